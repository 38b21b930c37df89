#include "sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/random.h"

namespace tf {

namespace {

bool Allowed(const uint32_t* mask, size_t id) { return mask == nullptr || ((mask[id >> 5] >> (id & 31)) & 1) != 0; }

constexpr double kOne = 1099511627776.0;  // 2^40

// The first of the largest allowed logits; -1: none is allowed.
int32_t Largest(const float* logits, size_t n, const uint32_t* mask) {
  int32_t best = -1;
  for (size_t id = 0; id < n; ++id) {
    if (Allowed(mask, id) && (best < 0 || logits[id] > logits[best])) best = static_cast<int32_t>(id);
  }
  return best;
}

// Calls f(id) for each logit that is `cut` or more, ids ascending. They are few: most stretches have none.
template <typename F>
void ForEachAtLeast(const float* logits, size_t n, double cut, const F& f) {
  constexpr size_t stretch = 32;
  // As a float: where rounded up, no float lies between.
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float rounded = cut < -static_cast<double>(std::numeric_limits<float>::max()) ? -inf : static_cast<float>(cut);
  for (size_t begin = 0; begin < n; begin += stretch) {
    if (begin + stretch <= n) {
      int any = 0;
      for (size_t i = 0; i < stretch; ++i) any |= logits[begin + i] >= rounded ? 1 : 0;
      if (any == 0) continue;
    }
    const size_t end = std::min(n, begin + stretch);
    for (size_t id = begin; id < end; ++id) {
      if (static_cast<double>(logits[id]) >= cut) f(id);
    }
  }
}

}  // namespace

int32_t Sampler::Draw(const float* logits, size_t n, const DrawSettings& s, int32_t largest_known) {
  const bool known = largest_known >= 0 && Allowed(s.mask, static_cast<size_t>(largest_known));
  const int32_t best = known ? largest_known : Largest(logits, n, s.mask);
  if (best < 0 || s.temperature <= 0.0 || s.top_k == 1) return best;

  const double largest = static_cast<double>(logits[best]);
  const auto weight_of = [&](float logit) {
    return static_cast<uint64_t>(std::floor(kOne * ExactExp((static_cast<double>(logit) - largest) / s.temperature)));
  };
  // exp(-27.8) < 2^-40: a token further below the largest weighs 0 and is never drawn. The margin covers rounding.
  const double cut = largest - 28.0 * s.temperature;
  candidates_.clear();
  ForEachAtLeast(logits, n, cut, [&](size_t id) {
    if (Allowed(s.mask, id)) candidates_.push_back({logits[id], static_cast<int32_t>(id)});
  });
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  };
  size_t kept = candidates_.size();
  if (s.top_k > 0 && static_cast<size_t>(s.top_k) < kept) {
    kept = static_cast<size_t>(s.top_k);
    std::nth_element(candidates_.begin(), candidates_.begin() + static_cast<ptrdiff_t>(kept) - 1, candidates_.end(),
                     before);
  }
  weights_.resize(kept);
  if (s.top_p < 1.0) {
    uint64_t total = 0;
    for (size_t i = 0; i < kept; ++i) total += weight_of(candidates_[i].logit);
    // ceil(top_p * total), at least one token.
    const double wanted = std::ceil(s.top_p * static_cast<double>(total));
    uint64_t sum = 0;
    size_t taken = 0, sorted = 0;
    while (taken < kept && (taken == 0 || static_cast<double>(sum) < wanted)) {
      if (taken == sorted) {  // sort a longer beginning only when the mass asks for it
        sorted = std::min(kept, sorted == 0 ? size_t{64} : sorted * 8);
        std::partial_sort(candidates_.begin() + static_cast<ptrdiff_t>(taken),
                          candidates_.begin() + static_cast<ptrdiff_t>(sorted),
                          candidates_.begin() + static_cast<ptrdiff_t>(kept), before);
      }
      weights_[taken] = weight_of(candidates_[taken].logit);
      sum += weights_[taken];
      taken += 1;
    }
    kept = taken;
  } else {
    for (size_t i = 0; i < kept; ++i) weights_[i] = weight_of(candidates_[i].logit);
  }
  const double least = s.min_p * kOne;  // the largest weight is 2^40
  const uint64_t key = RowKey(s.seed, s.position);
  int32_t winner = best;
  double winner_score = -1.0;
  for (size_t i = 0; i < kept; ++i) {
    if (weights_[i] == 0 || static_cast<double>(weights_[i]) < least) continue;
    const int32_t id = candidates_[i].id;
    const double score = (0.0 - ExactLog(Uniform(key, static_cast<uint64_t>(id)))) / static_cast<double>(weights_[i]);
    if (winner_score < 0.0 || score < winner_score || (score == winner_score && id < winner)) {
      winner = id;
      winner_score = score;
    }
  }
  return winner;
}

}  // namespace tf

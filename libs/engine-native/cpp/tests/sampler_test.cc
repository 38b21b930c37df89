// Rule 2 at its edges. 100,000 random draws against the TypeScript reference: tests/rule2.test.ts.
#include "sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/math.h"
#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

int32_t Draw(const std::vector<float>& logits, const DrawSettings& s) {
  Sampler sampler;
  return sampler.Draw(logits.data(), logits.size(), s);
}

TEST("temperature 0 takes the largest allowed logit, the lowest id of equals") {
  DrawSettings s;
  EXPECT(Draw({1, 3, 3, 2}, s) == 1);
  EXPECT(Draw({-5}, s) == 0);
  EXPECT(Draw({-INFINITY, -INFINITY}, s) == 0);
  EXPECT(Draw({-0.0f, 0.0f}, s) == 0);
  const uint32_t mask[] = {0b1100};
  s.mask = mask;
  EXPECT(Draw({9, 9, 1, 1}, s) == 2);
}

TEST("a mask that allows nothing draws nothing, and one that allows one token draws it") {
  std::vector<float> logits(70, 0.0f);
  uint32_t mask[3] = {};
  DrawSettings s;
  s.mask = mask;
  for (const double temperature : {0.0, 1.0}) {
    s.temperature = temperature;
    mask[2] = 0;
    EXPECT(Draw(logits, s) == -1);
    mask[2] = 1u << 5;
    EXPECT(Draw(logits, s) == 69);
  }
}

TEST("top_k keeps the first k by logit, then by id") {
  DrawSettings s;
  s.temperature = 5.0;
  s.top_k = 2;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    s.seed = seed;
    const int32_t token = Draw({1, 2, 2, 2, 0}, s);
    EXPECT(token == 1 || token == 2, token);
  }
  s.top_k = 1;
  EXPECT(Draw({1, 2, 2}, s) == 1);
  s.top_k = 100;  // more than there are
  EXPECT(Draw({1, 2, 2}, s) >= 0);
}

TEST("top_p keeps at least one token, and no more than its mass asks for") {
  DrawSettings s;
  s.temperature = 1.0;
  const std::vector<float> logits = {std::log(0.5f), std::log(0.3f), std::log(0.2f)};
  const auto seen = [&](double top_p) {
    std::map<int32_t, int> counts;
    s.top_p = top_p;
    for (uint64_t seed = 0; seed < 400; ++seed) {
      s.seed = seed;
      counts[Draw(logits, s)] += 1;
    }
    return counts;
  };
  EXPECT(seen(0.0).size() == 1 && seen(0.0).count(0) == 1);
  EXPECT(seen(0.49).size() == 1);
  EXPECT(seen(0.6).size() == 2);
  EXPECT(seen(0.95).size() == 3);
  // Of many equals, the lowest ids.
  s.top_p = 0.5;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    s.seed = seed;
    EXPECT(Draw(std::vector<float>(500, 1.0f), s) < 250);
  }
}

TEST("min_p keeps weights of at least its share of the largest") {
  DrawSettings s;
  s.temperature = 1.0;
  const std::vector<float> logits = {0.0f, std::log(0.4f), std::log(0.1f)};
  s.min_p = 0.2;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    s.seed = seed;
    EXPECT(Draw(logits, s) != 2);
  }
  s.min_p = 1.0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    s.seed = seed;
    EXPECT(Draw(logits, s) == 0);
  }
}

TEST("tokens far below the largest weigh nothing, also infinitely far, and large logits stay finite") {
  DrawSettings s;
  s.temperature = 1.0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    s.seed = seed;
    EXPECT(Draw({0.0f, -100.0f, -INFINITY, -3e38f}, s) == 0);
    EXPECT(Draw({3e38f, 3e38f, -3e38f}, s) < 2);
  }
  s.temperature = 1e-9;
  EXPECT(Draw({1.0f, 1.0001f}, s) == 1);
}

TEST("a draw depends on its arguments alone, not on the draws before it") {
  Dice dice(1);
  Sampler used;
  for (int i = 0; i < Repeat(300); ++i) {
    const std::vector<float> logits = dice.Normals(dice.Whole(1, 3000), 4.0f);
    DrawSettings s;
    s.temperature = dice.Pick({0.0, 0.3, 1.0, 2.0});
    s.top_k = dice.Pick<int64_t>({0, 1, 5, 64});
    s.top_p = dice.Pick({1.0, 0.9, 0.3});
    s.min_p = dice.Pick({0.0, 0.05});
    s.seed = dice.Bits();
    s.position = dice.Whole(0, 1000);
    EXPECT(used.Draw(logits.data(), logits.size(), s) == Draw(logits, s));
  }
}

TEST("a largest logit known beforehand changes no draw, allowed or not") {
  Dice dice(2);
  Sampler sampler;
  for (int i = 0; i < Repeat(300); ++i) {
    std::vector<float> logits = dice.Normals(dice.Whole(1, 300), 2.0f);
    for (float& logit : logits) logit = std::round(logit);  // many ties
    std::vector<uint32_t> mask((logits.size() + 31) / 32);
    for (uint32_t& word : mask) word = static_cast<uint32_t>(dice.Bits());
    DrawSettings s;
    s.temperature = dice.Pick({0.0, 1.0});
    s.seed = dice.Bits();
    s.mask = dice.Chance(0.5) ? mask.data() : nullptr;
    const auto largest = static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    EXPECT(sampler.Draw(logits.data(), logits.size(), s, largest) == Draw(logits, s));
  }
}

TEST("every logit that weighs anything can be drawn, wherever it stands") {
  Dice dice(3);
  for (int i = 0; i < Repeat(100); ++i) {
    std::vector<float> logits(dice.Whole(2, 200), dice.Pick({-INFINITY, -1e30f, -100.0f}));
    const size_t one = dice.Whole(0, logits.size() - 1), other = dice.Whole(0, logits.size() - 1);
    logits[one] = 0.0f;
    logits[other] = -27.0f * 0.5f;  // weighs little, but not nothing
    DrawSettings s;
    s.temperature = 0.5;
    s.seed = dice.Bits();
    const int32_t token = Draw(logits, s);
    EXPECT(token == static_cast<int32_t>(one) || token == static_cast<int32_t>(other));
    logits[other] = 0.0f;  // a tie: each is drawn by some seed
    bool first = false, second = false;
    for (s.position = 0; s.position < 64; ++s.position) {
      const auto drawn = static_cast<size_t>(Draw(logits, s));
      first |= drawn == one;
      second |= drawn == other;
    }
    EXPECT(first && second);
  }
}

}  // namespace
}  // namespace tf::test

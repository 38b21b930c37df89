// Rule 2 of docs/exactness.md: a token is a pure function of its row of logits. Doubles with + - * / only, so that the
// TypeScript reference (tests/rule2.ts) gives the same token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tf {

struct DrawSettings {
  double temperature = 0.0;  // >= 0; 0: the largest logit
  int64_t top_k = 0;         // <= 0: all
  double top_p = 1.0;        // [0, 1]; 1: all
  double min_p = 0.0;        // [0, 1]; 0: off
  uint64_t seed = 0;
  uint64_t position = 0;          // index of the new token in prompt + reply
  const uint32_t* mask = nullptr; // one bit a token, set: allowed; null: all
};

// Keeps its working memory between calls; one thread at a time.
class Sampler {
 public:
  // A token id in [0, n), or -1 where the mask allows none. Logits hold no NaN. `largest_known`: the first of the largest
  // logits, where the caller knows it.
  int32_t Draw(const float* logits, size_t n, const DrawSettings& settings, int32_t largest_known = -1);

 private:
  struct Candidate {
    float logit;
    int32_t id;
  };
  std::vector<Candidate> candidates_;
  std::vector<uint64_t> weights_;
};

}  // namespace tf

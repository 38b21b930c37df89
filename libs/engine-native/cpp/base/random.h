// Counter-based noise: one uniform number per (seed, position, token), no state. docs/exactness.md, rule 2.5.
#pragma once

#include <cstdint>

namespace tf {

// The 64-bit finaliser of SplitMix64 (Steele, Lea, Flood 2014).
inline uint64_t Finalize64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15ULL;

// The part of the noise that all tokens of a row share.
inline uint64_t RowKey(uint64_t seed, uint64_t position) {
  return Finalize64(Finalize64(seed + kGoldenGamma) ^ (position + kGoldenGamma));
}

// In (0, 1): an odd multiple of 2^-53, exact in double.
inline double Uniform(uint64_t row_key, uint64_t token) {
  const uint64_t hash = Finalize64(row_key ^ (token + kGoldenGamma));
  return (static_cast<double>(hash >> 12) + 0.5) * 0x1p-52;
}

}  // namespace tf

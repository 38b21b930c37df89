// 4-bit blocks of 32. Source: GGUF spec.
// Q4_0: bytes 0..1 scale f16, 2..17 nibbles; weight = scale * (nibble - 8).
// Q4_1: bytes 0..1 scale f16, 2..3 minimum f16, 4..19 nibbles; weight = scale * nibble + minimum.
#pragma once

#include "tensor/quant/bytes.h"

namespace tf::quant {

struct Q4_0 {
  static constexpr size_t kBlock = 32, kBytes = 18;
  static uint8_t Code(const uint8_t* b, int i) { return SplitNibble(b + 2, i); }
  static void Unpack(const uint8_t* b, float* v) {
    const float d = ReadHalf(b);
    for (int i = 0; i < 32; ++i) v[i] = d * static_cast<float>(Code(b, i) - 8);
  }
};

struct Q4_1 {
  static constexpr size_t kBlock = 32, kBytes = 20;
  static uint8_t Code(const uint8_t* b, int i) { return SplitNibble(b + 4, i); }
  static void Unpack(const uint8_t* b, float* v) {
    const float d = ReadHalf(b), m = ReadHalf(b + 2);
    for (int i = 0; i < 32; ++i) {
      const float product = d * static_cast<float>(Code(b, i));
      v[i] = product + m;
    }
  }
};

}  // namespace tf::quant

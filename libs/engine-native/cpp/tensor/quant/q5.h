// 5-bit blocks of 32: nibbles plus a plane of fifth bits. Source: GGUF spec.
// Q5_0: scale f16, bits u32 at 2, nibbles at 6; weight = scale * (code - 16).
// Q5_1: scale f16, minimum f16 at 2, bits u32 at 4, nibbles at 8; weight = scale * code + minimum.
#pragma once

#include "tensor/quant/bytes.h"

namespace tf::quant {

struct Q5_0 {
  static constexpr size_t kBlock = 32, kBytes = 22;
  static uint8_t Code(const uint8_t* b, int i) {
    return static_cast<uint8_t>(SplitNibble(b + 6, i) | (((ReadU32(b + 2) >> i) & 1) << 4));
  }
  static void Unpack(const uint8_t* b, float* v) {
    const float d = ReadHalf(b);
    for (int i = 0; i < 32; ++i) v[i] = d * static_cast<float>(Code(b, i) - 16);
  }
};

struct Q5_1 {
  static constexpr size_t kBlock = 32, kBytes = 24;
  static uint8_t Code(const uint8_t* b, int i) {
    return static_cast<uint8_t>(SplitNibble(b + 8, i) | (((ReadU32(b + 4) >> i) & 1) << 4));
  }
  static void Unpack(const uint8_t* b, float* v) {
    const float d = ReadHalf(b), m = ReadHalf(b + 2);
    for (int i = 0; i < 32; ++i) {
      const float product = d * static_cast<float>(Code(b, i));
      v[i] = product + m;
    }
  }
};

}  // namespace tf::quant

// 4-bit codes that look their value up in a table. Source: GGUF spec; OCP Microscaling for MXFP4.
// IQ4_NL: scale f16, 16 bytes of nibbles; weight = scale * table[nibble].
// MXFP4: exponent byte e, 16 bytes of nibbles; weight = 2^(e - 128) * (doubled E2M1 value of the nibble).
#pragma once

#include <bit>

#include "tensor/quant/bytes.h"

namespace tf::quant {

inline constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
inline constexpr int8_t kFp4Doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

struct IQ4_NL {
  static constexpr size_t kBlock = 32, kBytes = 18;
  static uint8_t Code(const uint8_t* b, int i) { return SplitNibble(b + 2, i); }
  static void Unpack(const uint8_t* b, float* v) {
    const float d = ReadHalf(b);
    for (int i = 0; i < 32; ++i) v[i] = d * static_cast<float>(kIq4Values[Code(b, i)]);
  }
};

struct MXFP4 {
  static constexpr size_t kBlock = 32, kBytes = 17;
  // 2^(e - 128); for e < 2 a subnormal float.
  static float Scale(uint8_t e) {
    return std::bit_cast<float>(e < 2 ? 0x00200000u << e : (uint32_t{e} - 1) << 23);
  }
  static uint8_t Code(const uint8_t* b, int i) { return SplitNibble(b + 1, i); }
  static void Unpack(const uint8_t* b, float* v) {
    const float d = Scale(b[0]);
    for (int i = 0; i < 32; ++i) v[i] = d * static_cast<float>(kFp4Doubled[Code(b, i)]);
  }
};

}  // namespace tf::quant

// K-quants: blocks of 256 with sub-scales of 16 or 32 elements. Byte offsets as in docs/formats.md. Source: GGUF spec.
// Code(b, i) is the unsigned code of element i, Scale(b, s) and Min(b, s) the integers of sub-block s; then
//   weight = (d * Scale) * (Code - kOffset) - (dmin * Min).
#pragma once

#include "tensor/quant/bytes.h"

namespace tf::quant {

struct Q2_K {
  static constexpr size_t kBlock = 256, kBytes = 84;
  static constexpr int kSub = 16, kOffset = 0;
  static float D(const uint8_t* b) { return ReadHalf(b + 80); }
  static float DMin(const uint8_t* b) { return ReadHalf(b + 82); }
  static int Scale(const uint8_t* b, int s) { return b[s] & 15; }
  static int Min(const uint8_t* b, int s) { return b[s] >> 4; }
  static uint8_t Code(const uint8_t* b, int i) {
    return (b[16 + 32 * (i / 128) + (i & 31)] >> (2 * ((i & 127) / 32))) & 3;
  }
};

struct Q3_K {
  static constexpr size_t kBlock = 256, kBytes = 110;
  static constexpr int kSub = 16, kOffset = 4;
  static float D(const uint8_t* b) { return ReadHalf(b + 108); }
  static float DMin(const uint8_t*) { return 0.0f; }
  static int Scale(const uint8_t* b, int k) {
    const uint8_t* s = b + 96;
    return static_cast<int>(((s[k & 7] >> (4 * (k / 8))) & 15) | (((s[8 + (k & 3)] >> (2 * (k / 4))) & 3) << 4)) - 32;
  }
  static int Min(const uint8_t*, int) { return 0; }
  static uint8_t Code(const uint8_t* b, int i) {
    const int n = i / 128, j = (i & 127) / 32, l = i & 31;
    const int low = (b[32 + 32 * n + l] >> (2 * j)) & 3;
    return static_cast<uint8_t>(low | (((b[l] >> (4 * n + j)) & 1) << 2));
  }
};

// The 6-bit scales and minimums that Q4_K and Q5_K share, 12 bytes for 8 groups.
inline int PackedScale6(const uint8_t* s, int g) {
  return g < 4 ? s[g] & 63 : (s[g + 4] & 15) | ((s[g - 4] >> 6) << 4);
}
inline int PackedMin6(const uint8_t* s, int g) {
  return g < 4 ? s[g + 4] & 63 : (s[g + 4] >> 4) | ((s[g] >> 6) << 4);
}

struct Q4_K {
  static constexpr size_t kBlock = 256, kBytes = 144;
  static constexpr int kSub = 32, kOffset = 0;
  static float D(const uint8_t* b) { return ReadHalf(b); }
  static float DMin(const uint8_t* b) { return ReadHalf(b + 2); }
  static int Scale(const uint8_t* b, int g) { return PackedScale6(b + 4, g); }
  static int Min(const uint8_t* b, int g) { return PackedMin6(b + 4, g); }
  static uint8_t Code(const uint8_t* b, int i) {
    const int g = i / 32;
    return (b[16 + 32 * (g / 2) + (i & 31)] >> (4 * (g & 1))) & 15;
  }
};

struct Q5_K {
  static constexpr size_t kBlock = 256, kBytes = 176;
  static constexpr int kSub = 32, kOffset = 0;
  static float D(const uint8_t* b) { return ReadHalf(b); }
  static float DMin(const uint8_t* b) { return ReadHalf(b + 2); }
  static int Scale(const uint8_t* b, int g) { return PackedScale6(b + 4, g); }
  static int Min(const uint8_t* b, int g) { return PackedMin6(b + 4, g); }
  static uint8_t Code(const uint8_t* b, int i) {
    const int g = i / 32, l = i & 31;
    const int low = (b[48 + 32 * (g / 2) + l] >> (4 * (g & 1))) & 15;
    return static_cast<uint8_t>(low | (((b[16 + l] >> g) & 1) << 4));
  }
};

struct Q6_K {
  static constexpr size_t kBlock = 256, kBytes = 210;
  static constexpr int kSub = 16, kOffset = 32;
  static float D(const uint8_t* b) { return ReadHalf(b + 208); }
  static float DMin(const uint8_t*) { return 0.0f; }
  static int Scale(const uint8_t* b, int s) { return static_cast<int8_t>(b[192 + s]); }
  static int Min(const uint8_t*, int) { return 0; }
  static uint8_t Code(const uint8_t* b, int i) {
    const int n = i / 128, j = (i & 127) / 32, l = i & 31;
    const int low = (b[64 * n + l + 32 * (j & 1)] >> (4 * (j / 2))) & 15;
    return static_cast<uint8_t>(low | (((b[128 + 32 * n + l] >> (2 * j)) & 3) << 4));
  }
};

template <typename Format>
void UnpackK(const uint8_t* b, float* v) {
  const float d = Format::D(b), dmin = Format::DMin(b);
  for (int s = 0; s < 256 / Format::kSub; ++s) {
    const float scale = d * static_cast<float>(Format::Scale(b, s));
    const float minimum = dmin * static_cast<float>(Format::Min(b, s));
    for (int i = s * Format::kSub; i < (s + 1) * Format::kSub; ++i) {
      const float product = scale * static_cast<float>(Format::Code(b, i) - Format::kOffset);
      // Formats without minimums must keep the product's sign of zero.
      v[i] = Format::kOffset == 0 ? product - minimum : product;
    }
  }
}

}  // namespace tf::quant

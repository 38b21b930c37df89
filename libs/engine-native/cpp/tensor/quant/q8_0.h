// Q8_0: 32 weights share a scale. Bytes 0..1 scale f16, 2..33 codes i8; weight[i] = scale * code[i]. Source: GGUF spec.
#pragma once

#include "tensor/quant/bytes.h"

namespace tf::quant {

struct Q8_0 {
  static constexpr size_t kBlock = 32, kBytes = 34;
  static void Unpack(const uint8_t* b, float* v) {
    const float d = ReadHalf(b);
    for (int i = 0; i < 32; ++i) v[i] = d * static_cast<float>(static_cast<int8_t>(b[2 + i]));
  }
};

}  // namespace tf::quant

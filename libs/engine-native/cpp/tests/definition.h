// docs/exactness.md written a second time, one number after the other, for the tests. It shares no code with the
// engine: block formats are read here the way ggml's dequantize loops walk them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backend/cpu/kernels/kernel_table.h"
#include "tensor/dtype.h"

namespace tf::test {

inline float PlainHalf(const uint8_t* p) {
  const int bits = p[0] + 256 * p[1];
  const int exponent = bits / 1024 % 32, mantissa = bits % 1024;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return static_cast<float>(bits >= 32768 ? -magnitude : magnitude);
}

// One block in whole numbers: weight[i] = d * scale[i / sub] * code[i] - dmin * min[i / sub] (+ m).
struct Block {
  float d = 0, dmin = 0, m = 0;
  bool has_m = false, has_dmin = false;
  int size = 32, sub = 32;
  int code[256] = {}, scale[16], min[16] = {};
  Block() {
    for (int& s : scale) s = 1;
  }
};

inline Block Decode(DType type, const uint8_t* b) {
  static const int kIq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  static const int kE2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  Block out;
  const auto nibbles = [&](const uint8_t* q, auto value) {
    for (int j = 0; j < 16; ++j) {
      out.code[j] = value(q[j] % 16, j);
      out.code[j + 16] = value(q[j] / 16, j + 16);
    }
  };
  const auto scales6 = [&](const uint8_t* s) {  // ggml's get_scale_min_k4
    for (int j = 0; j < 8; ++j) {
      if (j < 4) {
        out.scale[j] = s[j] % 64;
        out.min[j] = s[j + 4] % 64;
      } else {
        out.scale[j] = s[j + 4] % 16 + s[j - 4] / 64 * 16;
        out.min[j] = s[j + 4] / 16 + s[j] / 64 * 16;
      }
    }
  };
  switch (type) {
    case DType::kQ8_0:
      out.d = PlainHalf(b);
      for (int j = 0; j < 32; ++j) out.code[j] = b[2 + j] < 128 ? b[2 + j] : b[2 + j] - 256;
      return out;
    case DType::kQ4_0:
      out.d = PlainHalf(b);
      nibbles(b + 2, [](int q, int) { return q - 8; });
      return out;
    case DType::kQ4_1:
      out.d = PlainHalf(b);
      out.m = PlainHalf(b + 2);
      out.has_m = true;
      nibbles(b + 4, [](int q, int) { return q; });
      return out;
    case DType::kQ5_0:
      out.d = PlainHalf(b);
      nibbles(b + 6, [&](int q, int j) { return q + 16 * (b[2 + j / 8] >> j % 8 & 1) - 16; });
      return out;
    case DType::kQ5_1:
      out.d = PlainHalf(b);
      out.m = PlainHalf(b + 2);
      out.has_m = true;
      nibbles(b + 8, [&](int q, int j) { return q + 16 * (b[4 + j / 8] >> j % 8 & 1); });
      return out;
    case DType::kIQ4_NL:
      out.d = PlainHalf(b);
      nibbles(b + 2, [](int q, int) { return kIq4[q]; });
      return out;
    case DType::kMXFP4:
      out.d = static_cast<float>(std::ldexp(1.0, b[0] - 128));
      nibbles(b + 1, [](int q, int) { return kE2m1[q]; });
      return out;
    case DType::kQ2_K: {
      out.size = 256;
      out.sub = 16;
      out.d = PlainHalf(b + 80);
      out.dmin = PlainHalf(b + 82);
      out.has_dmin = true;
      for (int s = 0; s < 16; ++s) {
        out.scale[s] = b[s] % 16;
        out.min[s] = b[s] / 16;
      }
      int* y = out.code;
      for (const uint8_t* q = b + 16; q < b + 80; q += 32) {
        for (int shift = 0; shift < 8; shift += 2) {
          for (int l = 0; l < 32; ++l) *y++ = q[l] >> shift & 3;
        }
      }
      return out;
    }
    case DType::kQ3_K: {
      out.size = 256;
      out.sub = 16;
      out.d = PlainHalf(b + 108);
      const uint8_t* s = b + 96;
      for (int k = 0; k < 16; ++k) {
        const int low = k < 8 ? s[k] % 16 : s[k - 8] / 16;
        out.scale[k] = low + 16 * (s[8 + k % 4] >> 2 * (k / 4) & 3) - 32;
      }
      int* y = out.code;
      int high_bit = 0;
      for (const uint8_t* q = b + 32; q < b + 96; q += 32) {
        for (int shift = 0; shift < 8; shift += 2, ++high_bit) {
          for (int l = 0; l < 32; ++l) *y++ = (q[l] >> shift & 3) - ((b[l] >> high_bit & 1) != 0 ? 0 : 4);
        }
      }
      return out;
    }
    case DType::kQ4_K: {
      out.size = 256;
      out.d = PlainHalf(b);
      out.dmin = PlainHalf(b + 2);
      out.has_dmin = true;
      scales6(b + 4);
      int* y = out.code;
      for (const uint8_t* q = b + 16; q < b + 144; q += 32) {
        for (int l = 0; l < 32; ++l) *y++ = q[l] % 16;
        for (int l = 0; l < 32; ++l) *y++ = q[l] / 16;
      }
      return out;
    }
    case DType::kQ5_K: {
      out.size = 256;
      out.d = PlainHalf(b);
      out.dmin = PlainHalf(b + 2);
      out.has_dmin = true;
      scales6(b + 4);
      const uint8_t* high = b + 16;
      int* y = out.code;
      int bit = 0;
      for (const uint8_t* q = b + 48; q < b + 176; q += 32, bit += 2) {
        for (int l = 0; l < 32; ++l) *y++ = q[l] % 16 + 16 * (high[l] >> bit & 1);
        for (int l = 0; l < 32; ++l) *y++ = q[l] / 16 + 16 * (high[l] >> (bit + 1) & 1);
      }
      return out;
    }
    case DType::kQ6_K: {
      out.size = 256;
      out.sub = 16;
      out.d = PlainHalf(b + 208);
      for (int s = 0; s < 16; ++s) out.scale[s] = b[192 + s] < 128 ? b[192 + s] : b[192 + s] - 256;
      for (int half = 0; half < 2; ++half) {
        const uint8_t *low = b + 64 * half, *high = b + 128 + 32 * half;
        int* y = out.code + 128 * half;
        for (int l = 0; l < 32; ++l) {
          y[l] = low[l] % 16 + 16 * (high[l] % 4) - 32;
          y[l + 32] = low[l + 32] % 16 + 16 * (high[l] / 4 % 4) - 32;
          y[l + 64] = low[l] / 16 + 16 * (high[l] / 16 % 4) - 32;
          y[l + 96] = low[l + 32] / 16 + 16 * (high[l] / 64) - 32;
        }
      }
      return out;
    }
    default:
      std::abort();
  }
}

inline float FloatWeight(DType type, const uint8_t* b) {
  if (type == DType::kF16) return PlainHalf(b);
  float value;
  const uint8_t widened[4] = {0, 0, b[0], b[1]};
  std::memcpy(&value, type == DType::kF32 ? b : widened, 4);
  return value;
}

// "Activations of a row are rounded per block".
struct RoundedBlock {
  float scale;
  int code[256];
};
inline RoundedBlock RoundBlock(const float* x, int size, int limit) {
  float amax = 0;
  for (int i = 0; i < size; ++i) amax = std::fmax(amax, std::fabs(x[i]));
  RoundedBlock out;
  out.scale = amax / static_cast<float>(limit);
  float inverse = amax == 0 ? 0.0f : static_cast<float>(limit) / amax;
  if (std::isinf(inverse)) inverse = 0.0f;
  for (int i = 0; i < size; ++i) out.code[i] = static_cast<int>(std::nearbyint(x[i] * inverse));
  return out;
}

struct Activations {
  int block = 1, limit = 0;  // 0: floats
};
inline Activations ActivationsFor(DType type) {
  switch (type) {
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
      return {};
    case DType::kQ8_0:
      return {32, 32767};
    case DType::kQ2_K:
    case DType::kQ3_K:
    case DType::kQ4_K:
    case DType::kQ5_K:
    case DType::kQ6_K:
      return {256, 127};
    default:
      return {32, 127};
  }
}

// What a cache of q8 gives back: groups of 32 values of a head, the last one padded with zeros.
inline std::vector<float> CachedQ8(const std::vector<float>& x) {
  std::vector<float> out(x.size());
  for (size_t first = 0; first < x.size(); first += 32) {
    float group[32] = {};
    const size_t count = std::min<size_t>(32, x.size() - first);
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(first), count, group);
    const RoundedBlock block = RoundBlock(group, 32, 127);
    for (size_t i = 0; i < count; ++i) out[first + i] = static_cast<float>(block.code[i]) * block.scale;
  }
  return out;
}

// "Matrix products": [rows, n] of x [rows, k] with weights [n, k], before bias and accumulation.
inline std::vector<float> DefinedProduct(const DTypeInfo& type, const std::vector<uint8_t>& weights, size_t n, size_t k,
                                         size_t split, const std::vector<float>& x) {
  const size_t rows = x.size() / k;
  std::vector<float> y(rows * n);
  const Activations form = ActivationsFor(type.type);
  if (form.limit == 0) {
    for (size_t m = 0; m < rows; ++m) {
      for (size_t c = 0; c < n; ++c) {
        const auto segment = [&](size_t begin, size_t end) {
          float part = 0;
          for (size_t start = begin; start < end; start += 64) {
            float chain = 0;
            for (size_t i = start; i < end && i < start + 64; ++i) {
              const float w = FloatWeight(type.type, weights.data() + (c * k + i) * type.block_bytes);
              chain = std::fma(w, x[m * k + i], chain);
            }
            part = part + chain;
          }
          return part;
        };
        y[m * n + c] = split < k ? segment(0, split) + segment(split, k) : segment(0, k);
      }
    }
    return y;
  }
  const size_t block = static_cast<size_t>(form.block), num_blocks = k / block;
  std::vector<RoundedBlock> rounded;
  for (size_t m = 0; m < rows; ++m) {
    for (size_t b = 0; b < num_blocks; ++b) {
      rounded.push_back(RoundBlock(x.data() + m * k + b * block, form.block, form.limit));
    }
  }
  std::vector<Block> column(num_blocks);
  for (size_t c = 0; c < n; ++c) {
    for (size_t b = 0; b < num_blocks; ++b) {
      column[b] = Decode(type.type, weights.data() + (c * num_blocks + b) * type.block_bytes);
    }
    for (size_t m = 0; m < rows; ++m) {
      const auto segment = [&](size_t begin, size_t end) {
        float part = 0;
        for (size_t b = begin; b < end; ++b) {
          const Block& w = column[b];
          const RoundedBlock& a = rounded[m * num_blocks + b];
          int64_t isum = 0, msum = 0, asum = 0;
          for (int i = 0; i < w.size; ++i) {
            isum += int64_t{w.scale[i / w.sub]} * w.code[i] * a.code[i];
            msum += int64_t{w.min[i / w.sub]} * a.code[i];
            asum += a.code[i];
          }
          part = std::fma(static_cast<float>(isum), w.d * a.scale, part);
          if (w.has_m) part = std::fma(w.m, a.scale * static_cast<float>(asum), part);
          if (w.has_dmin) part = std::fma(-static_cast<float>(msum), w.dmin * a.scale, part);
        }
        return part;
      };
      y[m * n + c] =
          split < k ? segment(0, split / block) + segment(split / block, num_blocks) : segment(0, num_blocks);
    }
  }
  return y;
}

// "exp (float)".
inline float DefinedExp(float x) {
  if (x < -87.0f) return 0.0f;
  const float clamped = x > 88.0f ? 88.0f : x;
  const float n = std::fma(clamped, 1.44269504f, 12582912.0f) - 12582912.0f;
  float r = std::fma(-n, 0.693145752f, clamped);
  r = std::fma(-n, 1.42860677e-6f, r);
  float p = 1.0f / 5040.0f;
  for (const float c : {1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f, 1.0f, 1.0f}) {
    p = std::fma(p, r, c);
  }
  return p * std::ldexp(1.0f, static_cast<int>(n));
}
inline float DefinedTanh(float x) { return 1.0f - 2.0f / (DefinedExp(x + x) + 1.0f); }

inline float Tree(const float* v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

inline std::vector<float> DefinedRmsNorm(const std::vector<float>& x, const std::vector<float>& weight, float eps) {
  float lanes[16] = {};
  for (size_t i = 0; i < x.size(); ++i) lanes[i % 16] = std::fma(x[i], x[i], lanes[i % 16]);
  for (int j = 0; j < 8; ++j) lanes[j] = lanes[j] + lanes[j + 8];
  const float r = 1.0f / std::sqrt(Tree(lanes) / static_cast<float>(x.size()) + eps);
  std::vector<float> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = (x[i] * r) * weight[i];
  return y;
}

// "Attention": one query row over positions [first, position]. key(p)[d] and value(p)[d] are the cached numbers.
template <typename Key, typename Value>
std::vector<float> DefinedAttention(const float* q, size_t head_dim, int position, int first, float softcap,
                                    const Key& key, const Value& value) {
  struct Partial {
    float m = -INFINITY, l = 0;
    std::vector<float> o;
  };
  Partial merged;
  bool has_merged = false;
  for (int split = first / 1024; split <= position / 1024; ++split) {
    Partial now;
    now.o.assign(head_dim, 0.0f);
    for (int base = split * 1024; base < (split + 1) * 1024; base += 64) {
      const int low = std::max(first, base), high = std::min(position, base + 63);
      if (low > high) continue;
      float scores[64];
      float block_max = -INFINITY;
      for (int p = low; p <= high; ++p) {
        float s = 0;
        for (size_t d = 0; d < head_dim; ++d) s = std::fma(q[d], key(p)[d], s);
        if (softcap > 0) s = softcap * DefinedTanh(s / softcap);
        scores[p - base] = s;
        block_max = std::fmax(block_max, s);
      }
      const float m = std::fmax(now.m, block_max);
      const float c = DefinedExp(now.m - m);
      float lanes[8] = {};
      for (int p = low; p <= high; ++p) {
        scores[p - base] = DefinedExp(scores[p - base] - m);
        lanes[p % 8] = lanes[p % 8] + scores[p - base];
      }
      now.l = std::fma(now.l, c, Tree(lanes));
      for (size_t d = 0; d < head_dim; ++d) {
        if (m != now.m) now.o[d] = now.o[d] * c;
        for (int p = low; p <= high; ++p) now.o[d] = std::fma(scores[p - base], value(p)[d], now.o[d]);
      }
      now.m = m;
    }
    if (!has_merged) {
      merged = now;
      has_merged = true;
      continue;
    }
    const float both = std::fmax(merged.m, now.m);
    const float old_weight = DefinedExp(merged.m - both), new_weight = DefinedExp(now.m - both);
    merged.l = std::fma(merged.l, old_weight, now.l * new_weight);
    for (size_t d = 0; d < head_dim; ++d) merged.o[d] = std::fma(merged.o[d], old_weight, now.o[d] * new_weight);
    merged.m = both;
  }
  for (float& o : merged.o) o = o / merged.l;
  return merged.o;
}

}  // namespace tf::test

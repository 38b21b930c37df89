#include "bench/peaks.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace tf::bench {

namespace {

// Independent sums, enough to hide the longest latency (4 cycles, 2 a cycle); a burst is some tens of microseconds.
constexpr int kSums = 8;
constexpr int kRounds = 20000;

// Hides where a value comes from, so that no work is folded away.
template <typename T>
void Opaque(T& value) {
#if defined(__AVX2__)
  asm volatile("" : "+x"(value));
#elif defined(__ARM_NEON)
  asm volatile("" : "+w"(value));
#else
  asm volatile("" : "+r"(value));
#endif
}

template <typename T, typename Step>
uint64_t Burst(T start, uint64_t operations_a_step, const Step& step) {
  T sums[kSums];
  // Every loop over the sums is unrolled, or they would live in memory.
#pragma GCC unroll 8
  for (int i = 0; i < kSums; ++i) {
    sums[i] = start;
    Opaque(sums[i]);
  }
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 8
    for (int i = 0; i < kSums; ++i) sums[i] = step(sums[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < kSums; ++i) Opaque(sums[i]);
  return operations_a_step * kSums * kRounds;
}

#if defined(__AVX2__)

// Products are asm volatile: each is made, from registers, though all are the same.

uint64_t Float() {
  const __m256 a = _mm256_set1_ps(0.5f);
  return Burst(a, 16, [&](__m256 sum) {
    asm volatile("vfmadd231ps %1, %1, %0" : "+x"(sum) : "x"(a));
    return sum;
  });
}

// As below, but the pairs of eight products are added first, which codes of 4 bits leave room for.
uint64_t Int4() {
  const __m256i a = _mm256_set1_epi8(1), ones = _mm256_set1_epi16(1);
  return Burst(a, 8 * 64, [&](__m256i sum) {
    __m256i pairs = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      __m256i product;
      asm volatile("vpmaddubsw %1, %1, %0" : "=x"(product) : "x"(a));
      pairs = _mm256_add_epi16(pairs, product);
    }
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
  });
}

// Unsigned by signed bytes to pairs, pairs to fours, added.
uint64_t Int8() {
  const __m256i a = _mm256_set1_epi8(1), ones = _mm256_set1_epi16(1);
  return Burst(a, 64, [&](__m256i sum) {
    __m256i pairs;
    asm volatile("vpmaddubsw %1, %1, %0" : "=x"(pairs) : "x"(a));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
  });
}

uint64_t Int16() {
  const __m256i a = _mm256_set1_epi16(1);
  return Burst(a, 32, [&](__m256i sum) {
    __m256i pairs;
    asm volatile("vpmaddwd %1, %1, %0" : "=x"(pairs) : "x"(a));
    return _mm256_add_epi32(sum, pairs);
  });
}

#elif defined(__ARM_NEON)

uint64_t Float() {
  float32x4_t a = vdupq_n_f32(0.5f), b = a;
  Opaque(a), Opaque(b);
  return Burst(a, 8, [&](float32x4_t sum) { return vfmaq_f32(sum, a, b); });
}

uint64_t Int8() {
  int8x16_t a = vdupq_n_s8(1), b = a;
  Opaque(a), Opaque(b);
  return Burst(vdupq_n_s32(0), 32, [&](int32x4_t sum) { return vdotq_s32(sum, a, b); });
}

uint64_t Int4() { return Int8(); }

uint64_t Int16() {
  int16x4_t a = vdup_n_s16(1), b = a;
  return Burst(vdupq_n_s32(0), 8, [&](int32x4_t sum) { return vmlal_s16(sum, a, b); });
}

#else

uint64_t Float() {
  return Burst(1u, 2, [](uint32_t sum) { return sum * 3 + 1; });
}
uint64_t Int4() { return Float(); }
uint64_t Int8() { return Float(); }
uint64_t Int16() { return Float(); }

#endif

}  // namespace

const Peak* Peaks() {
  static const Peak peaks[kNumPeaks] = {
      {"float multiply-add", Float},
      {"int4 multiply-add", Int4},
      {"int8 multiply-add", Int8},
      {"int16 multiply-add", Int16},
  };
  return peaks;
}

uint64_t ReadAll(const uint8_t* data, size_t n) {
#if defined(__AVX2__)
  __m256i sums[8] = {};
  for (size_t i = 0; i < n; i += 256) {
#pragma GCC unroll 8
    for (size_t k = 0; k < 8; ++k) {
      sums[k] = _mm256_xor_si256(sums[k], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + i + 32 * k)));
    }
  }
  #pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) Opaque(sums[i]);
  return static_cast<uint64_t>(_mm256_extract_epi64(sums[0], 0));
#else
  uint64_t sum = 0;
  const uint64_t* words = reinterpret_cast<const uint64_t*>(data);
  for (size_t i = 0; i < n / 8; ++i) sum ^= words[i];
  Opaque(sum);
  return sum;
#endif
}

}  // namespace tf::bench

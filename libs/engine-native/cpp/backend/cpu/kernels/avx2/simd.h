// scalar/simd.h on AVX2, FMA and F16C, but for the dot products (dots.h). Included only by files built with those flags.
// The VNNI sets have the same vectors in namespaces of their own: CMakeLists.txt names their TF_ISA.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#define TF_INLINE inline __attribute__((always_inline))
#define TF_LAMBDA_INLINE __attribute__((always_inline))
#if !defined(TF_ISA)
#define TF_ISA avx2
#endif

namespace tf::TF_ISA {

constexpr size_t kLanes = 8;
constexpr int kTileRows = 4, kTilePanels = 2, kTallTileVectors = 2;

struct F32s {
  __m256 v;
};
struct I32s {
  __m256i v;
};
struct U8s {
  __m256i v;
};
struct Wide {
  __m256i v;
};
struct ActQuad {
  __m256i v;
};
struct ActPair {
  __m256i v;
};
struct SignedCodes {
  __m256i magnitude, code;
};
struct SubPair {
  __m256i v;  // int16 pairs
};

TF_INLINE F32s Broadcast(float x) { return {_mm256_set1_ps(x)}; }
TF_INLINE F32s Zero() { return {_mm256_setzero_ps()}; }
TF_INLINE F32s Load(const float* p) { return {_mm256_loadu_ps(p)}; }
TF_INLINE void Store(float* p, F32s a) { _mm256_storeu_ps(p, a.v); }
TF_INLINE F32s LoadHalf(const uint16_t* p) {
  return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
TF_INLINE F32s LoadBfloat(const uint16_t* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16))};
}
TF_INLINE void StoreHalf(uint16_t* p, F32s a) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
TF_INLINE F32s Add(F32s a, F32s b) { return {_mm256_add_ps(a.v, b.v)}; }
TF_INLINE F32s Sub(F32s a, F32s b) { return {_mm256_sub_ps(a.v, b.v)}; }
TF_INLINE F32s Mul(F32s a, F32s b) { return {_mm256_mul_ps(a.v, b.v)}; }
TF_INLINE F32s Div(F32s a, F32s b) { return {_mm256_div_ps(a.v, b.v)}; }
TF_INLINE F32s MulAdd(F32s a, F32s b, F32s c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
TF_INLINE F32s NegMulAdd(F32s a, F32s b, F32s c) { return {_mm256_fnmadd_ps(a.v, b.v, c.v)}; }
TF_INLINE F32s Max(F32s a, F32s b) { return {_mm256_max_ps(a.v, b.v)}; }
TF_INLINE F32s Min(F32s a, F32s b) { return {_mm256_min_ps(a.v, b.v)}; }
TF_INLINE F32s SelectLess(F32s x, F32s y, F32s a, F32s b) {
  return {_mm256_blendv_ps(b.v, a.v, _mm256_cmp_ps(x.v, y.v, _CMP_LT_OQ))};
}
TF_INLINE F32s Abs(F32s a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
TF_INLINE F32s PowerOfTwo(F32s n) {
  const __m256i whole = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(whole, 23))};
}
TF_INLINE float Fold(F32s a) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
using Eight = F32s;
TF_INLINE Eight ZeroEight() { return Zero(); }
TF_INLINE Eight AddEights(Eight s, F32s a) { return Add(s, a); }
TF_INLINE float FoldEight(Eight s) { return Fold(s); }
TF_INLINE float MaxOf(F32s a) {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
TF_INLINE bool AnyNan(F32s a) { return _mm256_movemask_ps(_mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q)) != 0; }

TF_INLINE I32s ZeroI() { return {_mm256_setzero_si256()}; }
TF_INLINE I32s BroadcastI(int32_t x) { return {_mm256_set1_epi32(x)}; }
TF_INLINE I32s AddI(I32s a, I32s b) { return {_mm256_add_epi32(a.v, b.v)}; }
TF_INLINE I32s SubI(I32s a, I32s b) { return {_mm256_sub_epi32(a.v, b.v)}; }
template <int n>
TF_INLINE I32s ShiftLeftI(I32s a) {
  return {_mm256_slli_epi32(a.v, n)};
}
TF_INLINE F32s ToFloat(I32s a) { return {_mm256_cvtepi32_ps(a.v)}; }
TF_INLINE I32s RoundToInt(F32s a) { return {_mm256_cvtps_epi32(a.v)}; }
TF_INLINE I32s LoadSignedBytes(const int8_t* p) {
  return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
}
TF_INLINE int32_t SumI(I32s a) {
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_srli_epi64(two, 32)));
}
// The low bits of 16 whole numbers.
TF_INLINE void StoreCodes(int16_t* p, const I32s (&a)[2]) {
  const __m256i low = _mm256_set1_epi32(0xffff);
  const __m256i mixed = _mm256_packus_epi32(_mm256_and_si256(a[0].v, low), _mm256_and_si256(a[1].v, low));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(mixed, 0xd8));
}
TF_INLINE void StoreCodes(int8_t* p, const I32s (&a)[2]) {
  const __m256i low = _mm256_set1_epi32(0xff);
  const __m256i mixed = _mm256_packus_epi32(_mm256_and_si256(a[0].v, low), _mm256_and_si256(a[1].v, low));
  const __m256i words = _mm256_permute4x64_epi64(mixed, 0xd8);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

TF_INLINE U8s LoadBytes(const uint8_t* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
TF_INLINE void StoreBytes(uint8_t* p, U8s a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v); }
template <int shift, int mask>
TF_INLINE U8s Bits(U8s a) {
  const __m256i shifted = shift == 0 ? a.v : _mm256_srli_epi16(a.v, shift);
  return {_mm256_and_si256(shifted, _mm256_set1_epi8(mask))};
}
template <int shift>
TF_INLINE U8s OrShifted(U8s a, U8s b) {
  return {_mm256_or_si256(a.v, _mm256_slli_epi16(b.v, shift))};
}
TF_INLINE U8s LookUp(const uint8_t* table, U8s codes) {
  const __m256i entries = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  return {_mm256_shuffle_epi8(entries, codes.v)};
}
TF_INLINE SignedCodes AsSigned(U8s a) { return {_mm256_abs_epi8(a.v), a.v}; }

TF_INLINE ActQuad LoadQuad(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return {_mm256_set1_epi32(four)};
}
TF_INLINE SubPair LoadSubPair(const uint8_t* p, bool is_signed) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes)};
}

TF_INLINE Wide LoadWide(const uint8_t* p) {
  return {_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
TF_INLINE ActPair LoadPair(const int16_t* p) {
  int32_t two;
  std::memcpy(&two, p, 4);
  return {_mm256_set1_epi32(two)};
}

// g++ otherwise re-associates and spills the integer sums (docs/performance.md). "v" is any vector register, also the
// second 16 that EVEX reaches.
template <typename T>
TF_INLINE void Pin(T& x) {
  asm volatile("" : "+v"(x.v));
}

}  // namespace tf::TF_ISA

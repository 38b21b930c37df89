// scalar/simd.h in 512-bit vectors, with the integer dot products of AVX-512 VNNI. Included only by files built with
// those flags.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#define TF_INLINE inline __attribute__((always_inline))
#define TF_LAMBDA_INLINE __attribute__((always_inline))
#if !defined(TF_ISA)
#define TF_ISA avx512vnni
#endif
// QuantRows::wide holds the bytes of 32 codes apart: vpdpbusd takes them so (generic/matmul_q8_bytes.inl).
#define TF_WIDE_AS_BYTES

namespace tf::TF_ISA {

constexpr size_t kLanes = 16;
constexpr int kTileRows = 8, kTilePanels = 2, kTallTileVectors = 4;
constexpr int kQuadBits = 32;
constexpr bool kWholeByteCodes = true;

struct F32s {
  __m512 v;
};
struct I32s {
  __m512i v;
};
struct U8s {
  __m512i v;
};
struct ActQuad {
  __m512i v;
};
struct ActPair {
  __m512i v;
};
struct QuadSum {
  __m512i v;  // int32
};
struct ColumnScale {
  __m512i v;  // int32
};
struct SubPair {
  __m512i v;  // int16 pairs
};

TF_INLINE F32s Broadcast(float x) { return {_mm512_set1_ps(x)}; }
TF_INLINE F32s Zero() { return {_mm512_setzero_ps()}; }
TF_INLINE F32s Load(const float* p) { return {_mm512_loadu_ps(p)}; }
TF_INLINE void Store(float* p, F32s a) { _mm512_storeu_ps(p, a.v); }
TF_INLINE F32s LoadHalf(const uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
TF_INLINE F32s LoadBfloat(const uint16_t* p) {
  const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(wide, 16))};
}
TF_INLINE void StoreHalf(uint16_t* p, F32s a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
TF_INLINE F32s Add(F32s a, F32s b) { return {_mm512_add_ps(a.v, b.v)}; }
TF_INLINE F32s Sub(F32s a, F32s b) { return {_mm512_sub_ps(a.v, b.v)}; }
TF_INLINE F32s Mul(F32s a, F32s b) { return {_mm512_mul_ps(a.v, b.v)}; }
TF_INLINE F32s Div(F32s a, F32s b) { return {_mm512_div_ps(a.v, b.v)}; }
TF_INLINE F32s MulAdd(F32s a, F32s b, F32s c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
TF_INLINE F32s NegMulAdd(F32s a, F32s b, F32s c) { return {_mm512_fnmadd_ps(a.v, b.v, c.v)}; }
TF_INLINE F32s Max(F32s a, F32s b) { return {_mm512_max_ps(a.v, b.v)}; }
TF_INLINE F32s Min(F32s a, F32s b) { return {_mm512_min_ps(a.v, b.v)}; }
TF_INLINE F32s SelectLess(F32s x, F32s y, F32s a, F32s b) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(x.v, y.v, _CMP_LT_OQ), b.v, a.v)};
}
TF_INLINE F32s Abs(F32s a) { return {_mm512_abs_ps(a.v)}; }
TF_INLINE F32s PowerOfTwo(F32s n) {
  const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(n.v), _mm512_set1_epi32(127));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(whole, 23))};
}
TF_INLINE __m256 LowHalf(F32s a) { return _mm512_castps512_ps256(a.v); }
TF_INLINE __m256 HighHalf(F32s a) { return _mm512_extractf32x8_ps(a.v, 1); }

struct Eight {
  __m256 v;
};
TF_INLINE Eight ZeroEight() { return {_mm256_setzero_ps()}; }
TF_INLINE Eight AddEights(Eight s, F32s a) { return {_mm256_add_ps(_mm256_add_ps(s.v, LowHalf(a)), HighHalf(a))}; }
TF_INLINE float FoldEight(Eight s) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(s.v), _mm256_extractf128_ps(s.v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
// The tree 8, 4, 2, 1.
TF_INLINE float Fold(F32s a) { return FoldEight({_mm256_add_ps(LowHalf(a), HighHalf(a))}); }
TF_INLINE float MaxOf(F32s a) {
  const __m256 eight = _mm256_max_ps(LowHalf(a), HighHalf(a));
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
TF_INLINE bool AnyNan(F32s a) { return _mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q) != 0; }

TF_INLINE I32s ZeroI() { return {_mm512_setzero_si512()}; }
TF_INLINE I32s BroadcastI(int32_t x) { return {_mm512_set1_epi32(x)}; }
TF_INLINE I32s AddI(I32s a, I32s b) { return {_mm512_add_epi32(a.v, b.v)}; }
TF_INLINE I32s SubI(I32s a, I32s b) { return {_mm512_sub_epi32(a.v, b.v)}; }
template <int n>
TF_INLINE I32s ShiftLeftI(I32s a) {
  return {_mm512_slli_epi32(a.v, n)};
}
TF_INLINE F32s ToFloat(I32s a) { return {_mm512_cvtepi32_ps(a.v)}; }
TF_INLINE I32s RoundToInt(F32s a) { return {_mm512_cvtps_epi32(a.v)}; }
TF_INLINE I32s LoadSignedBytes(const int8_t* p) {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
TF_INLINE int32_t SumI(I32s a) { return _mm512_reduce_add_epi32(a.v); }
TF_INLINE void StoreCodes(int16_t* p, const I32s (&a)[1]) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(a[0].v));
}
TF_INLINE void StoreCodes(int8_t* p, const I32s (&a)[1]) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a[0].v));
}
// 32 codes become their 32 low bytes, then their 32 high ones. Returns the sum of the high ones times -128.
TF_INLINE int32_t SplitWide(int16_t* codes) {
  const __m512i words = _mm512_loadu_si512(codes), high = _mm512_srai_epi16(words, 8);
  auto* bytes = reinterpret_cast<__m256i*>(codes);
  _mm256_storeu_si256(bytes, _mm512_cvtepi16_epi8(words));
  _mm256_storeu_si256(bytes + 1, _mm512_cvtepi16_epi8(high));
  return -128 * _mm512_reduce_add_epi32(_mm512_madd_epi16(high, _mm512_set1_epi16(1)));
}

TF_INLINE U8s LoadBytes(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
TF_INLINE void StoreBytes(uint8_t* p, U8s a) { _mm512_storeu_si512(p, a.v); }
template <int shift, int mask>
TF_INLINE U8s Bits(U8s a) {
  const __m512i shifted = shift == 0 ? a.v : _mm512_srli_epi16(a.v, shift);
  return {_mm512_and_si512(shifted, _mm512_set1_epi8(mask))};
}
template <int shift>
TF_INLINE U8s OrShifted(U8s a, U8s b) {
  return {_mm512_or_si512(a.v, _mm512_slli_epi16(b.v, shift))};
}
TF_INLINE U8s LookUp(const uint8_t* table, U8s codes) {
  const __m512i entries = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  return {_mm512_shuffle_epi8(entries, codes.v)};
}
// Signed bytes plus 128, as unsigned ones.
TF_INLINE U8s Plus128(U8s a) { return {_mm512_xor_si512(a.v, _mm512_set1_epi8(-128))}; }

TF_INLINE ActQuad LoadQuad(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return {_mm512_set1_epi32(four)};
}
TF_INLINE ActPair LoadPair(const int16_t* p) {
  int32_t two;
  std::memcpy(&two, p, 4);
  return {_mm512_set1_epi32(two)};
}
TF_INLINE SubPair LoadSubPair(const uint8_t* p, bool is_signed) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {is_signed ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes)};
}

TF_INLINE QuadSum ZeroQuad() { return {_mm512_setzero_si512()}; }
TF_INLINE QuadSum AddQuad(QuadSum s, U8s codes, ActQuad a) { return {_mm512_dpbusd_epi32(s.v, codes.v, a.v)}; }
// Signed codes by unsigned activations.
TF_INLINE QuadSum AddQuad(QuadSum s, ActQuad a, U8s codes) { return {_mm512_dpbusd_epi32(s.v, a.v, codes.v)}; }
TF_INLINE I32s Finish(I32s s, QuadSum q) { return {_mm512_add_epi32(s.v, q.v)}; }
TF_INLINE I32s FinishScaled(I32s s, QuadSum q, ColumnScale scale) {
  return {_mm512_add_epi32(s.v, _mm512_mullo_epi32(q.v, scale.v))};
}
template <int which>
TF_INLINE ColumnScale ScaleOf(SubPair p) {
  if constexpr (which == 0) {
    return {_mm512_srai_epi32(_mm512_slli_epi32(p.v, 16), 16)};
  } else {
    return {_mm512_srai_epi32(p.v, 16)};
  }
}
TF_INLINE I32s AddPair(I32s s, SubPair p, ActPair a) { return {_mm512_dpwssd_epi32(s.v, p.v, a.v)}; }

// See avx2/simd.h.
template <typename T>
TF_INLINE void Pin(T& x) {
  asm volatile("" : "+v"(x.v));
}

}  // namespace tf::TF_ISA

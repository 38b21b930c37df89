// The dot products of the avx2 set, on its vectors (simd.h): pairs of products in 16 bits, as vpmaddubsw gives them.
#pragma once

#include "backend/cpu/kernels/avx2/simd.h"

namespace tf::avx2 {

constexpr int kQuadBits = 16;
constexpr bool kWholeByteCodes = false;  // vpmaddubsw saturates

struct QuadSum {
  __m256i v;  // 16 int16: two partial sums a column
};
struct ColumnScale {
  __m256i v;  // int16, twice a column
};

TF_INLINE QuadSum ZeroQuad() { return {_mm256_setzero_si256()}; }
TF_INLINE QuadSum AddQuad(QuadSum s, U8s codes, ActQuad a) {
  return {_mm256_add_epi16(s.v, _mm256_maddubs_epi16(codes.v, a.v))};
}
TF_INLINE I32s AddSigned(I32s s, SignedCodes codes, ActQuad a) {
  // |code| <= 128 and |a| <= 127: a pair sums to at most 32512, no saturation.
  const __m256i pairs = _mm256_maddubs_epi16(codes.magnitude, _mm256_sign_epi8(a.v, codes.code));
  return {_mm256_add_epi32(s.v, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))};
}
TF_INLINE I32s Finish(I32s s, QuadSum q) {
  return {_mm256_add_epi32(s.v, _mm256_madd_epi16(q.v, _mm256_set1_epi16(1)))};
}
TF_INLINE I32s FinishScaled(I32s s, QuadSum q, ColumnScale scale) {
  return {_mm256_add_epi32(s.v, _mm256_madd_epi16(q.v, scale.v))};
}
template <int which>
TF_INLINE ColumnScale ScaleOf(SubPair p) {
  if constexpr (which == 0) {
    return {_mm256_blend_epi16(p.v, _mm256_slli_epi32(p.v, 16), 0xaa)};
  } else {
    return {_mm256_blend_epi16(p.v, _mm256_srli_epi32(p.v, 16), 0x55)};
  }
}
TF_INLINE I32s AddPair(I32s s, SubPair p, ActPair a) {
  return {_mm256_add_epi32(s.v, _mm256_madd_epi16(p.v, a.v))};
}
TF_INLINE I32s AddWide(I32s s, Wide w, ActPair a) {
  return {_mm256_add_epi32(s.v, _mm256_madd_epi16(w.v, a.v))};
}

}  // namespace tf::avx2

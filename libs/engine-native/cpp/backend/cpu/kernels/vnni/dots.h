// The dot products of the avxvnni set, on AVX2's vectors (avx2/simd.h): four products a column, summed in 32 bits at once.
#pragma once

#include "backend/cpu/kernels/avx2/simd.h"

#if defined(TF_EMULATE_VNNI)
#include "backend/cpu/kernels/vnni/emulated.h"
#else

namespace tf::TF_ISA {

// sum + u . s for each column: four unsigned bytes of u by four signed bytes of s.
TF_INLINE __m256i DotBytes(__m256i sum, __m256i u, __m256i s) {
  return _mm256_dpbusd_avx_epi32(sum, u, s);
}
// sum + a . b for each column: two int16 each.
TF_INLINE __m256i DotWords(__m256i sum, __m256i a, __m256i b) {
  return _mm256_dpwssd_avx_epi32(sum, a, b);
}

}  // namespace tf::TF_ISA

#endif

namespace tf::TF_ISA {

constexpr int kQuadBits = 32;
constexpr bool kWholeByteCodes = true;

struct QuadSum {
  __m256i v;  // int32
};
struct ColumnScale {
  __m256i v;  // int32
};

TF_INLINE QuadSum ZeroQuad() { return {_mm256_setzero_si256()}; }
TF_INLINE QuadSum AddQuad(QuadSum s, U8s codes, ActQuad a) { return {DotBytes(s.v, codes.v, a.v)}; }
TF_INLINE I32s AddSigned(I32s s, SignedCodes codes, ActQuad a) {
  return {DotBytes(s.v, codes.magnitude, _mm256_sign_epi8(a.v, codes.code))};
}
TF_INLINE I32s Finish(I32s s, QuadSum q) { return {_mm256_add_epi32(s.v, q.v)}; }
TF_INLINE I32s FinishScaled(I32s s, QuadSum q, ColumnScale scale) {
  return {_mm256_add_epi32(s.v, _mm256_mullo_epi32(q.v, scale.v))};
}
template <int which>
TF_INLINE ColumnScale ScaleOf(SubPair p) {
  if constexpr (which == 0) {
    return {_mm256_srai_epi32(_mm256_slli_epi32(p.v, 16), 16)};
  } else {
    return {_mm256_srai_epi32(p.v, 16)};
  }
}
TF_INLINE I32s AddPair(I32s s, SubPair p, ActPair a) { return {DotWords(s.v, p.v, a.v)}; }
TF_INLINE I32s AddWide(I32s s, Wide w, ActPair a) { return {DotWords(s.v, w.v, a.v)}; }

}  // namespace tf::TF_ISA

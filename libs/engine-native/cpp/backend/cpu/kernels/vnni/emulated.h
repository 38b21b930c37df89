// What vpdpbusd and vpdpwssd do, in AVX2 arithmetic: for tests on CPUs without them (TF_EMULATE_VNNI). Written from the
// instructions' definition (Intel SDM, volume 2): every factor widened to 32 bits, and sums that wrap.
#pragma once

namespace tf::TF_ISA {

// sum + u0 * s0 + u1 * s1 + u2 * s2 + u3 * s3 in each 32-bit lane: bytes of u unsigned, bytes of s signed.
TF_INLINE __m256i DotBytes(__m256i sum, __m256i u, __m256i s) {
  const __m256i low = _mm256_set1_epi32(0xff);
  const __m256i p0 = _mm256_mullo_epi32(_mm256_and_si256(u, low), _mm256_srai_epi32(_mm256_slli_epi32(s, 24), 24));
  const __m256i p1 = _mm256_mullo_epi32(_mm256_and_si256(_mm256_srli_epi32(u, 8), low),
                                        _mm256_srai_epi32(_mm256_slli_epi32(s, 16), 24));
  const __m256i p2 = _mm256_mullo_epi32(_mm256_and_si256(_mm256_srli_epi32(u, 16), low),
                                        _mm256_srai_epi32(_mm256_slli_epi32(s, 8), 24));
  const __m256i p3 = _mm256_mullo_epi32(_mm256_srli_epi32(u, 24), _mm256_srai_epi32(s, 24));
  return _mm256_add_epi32(sum, _mm256_add_epi32(_mm256_add_epi32(p0, p1), _mm256_add_epi32(p2, p3)));
}

// sum + a0 * b0 + a1 * b1 in each 32-bit lane: int16 each.
TF_INLINE __m256i DotWords(__m256i sum, __m256i a, __m256i b) {
  const __m256i p0 = _mm256_mullo_epi32(_mm256_srai_epi32(_mm256_slli_epi32(a, 16), 16),
                                        _mm256_srai_epi32(_mm256_slli_epi32(b, 16), 16));
  const __m256i p1 = _mm256_mullo_epi32(_mm256_srai_epi32(a, 16), _mm256_srai_epi32(b, 16));
  return _mm256_add_epi32(sum, _mm256_add_epi32(p0, p1));
}

}  // namespace tf::TF_ISA

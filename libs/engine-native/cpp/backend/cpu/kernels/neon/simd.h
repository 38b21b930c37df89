// scalar/simd.h on AArch64 NEON with the dot-product extension. Included only by files built with those flags.
#pragma once

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

#define TF_INLINE inline __attribute__((always_inline))
#define TF_LAMBDA_INLINE __attribute__((always_inline))
#define TF_ISA neon

namespace tf::neon {

constexpr size_t kLanes = 8;
constexpr int kTileRows = 4, kTilePanels = 2, kTallTileVectors = 2;
constexpr int kQuadBits = 32;
constexpr bool kWholeByteCodes = false;  // sdot takes signed bytes

struct F32s {
  float32x4_t a, b;
};
struct I32s {
  int32x4_t a, b;
};
struct U8s {
  uint8x16_t a, b;  // columns 0-3, columns 4-7
};
struct Wide {
  int16x8_t a, b;  // columns 0-3, columns 4-7
};
struct ActQuad {
  int8x16_t v;
};
struct ActPair {
  int16x8_t v;
};
struct QuadSum {
  int32x4_t a, b;
};
struct SignedCodes {
  int8x16_t a, b;
};
struct ColumnScale {
  int32x4_t a, b;
};
struct SubPair {
  int16x8_t a, b;
};

TF_INLINE F32s Broadcast(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
TF_INLINE F32s Zero() { return Broadcast(0.0f); }
TF_INLINE F32s Load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
TF_INLINE void Store(float* p, F32s x) {
  vst1q_f32(p, x.a);
  vst1q_f32(p + 4, x.b);
}
TF_INLINE F32s LoadHalf(const uint16_t* p) {
  const float16x8_t h = vreinterpretq_f16_u16(vld1q_u16(p));
  return {vcvt_f32_f16(vget_low_f16(h)), vcvt_f32_f16(vget_high_f16(h))};
}
TF_INLINE F32s LoadBfloat(const uint16_t* p) {
  const uint16x8_t h = vld1q_u16(p);
  return {vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(h), 16)),
          vreinterpretq_f32_u32(vshll_n_u16(vget_high_u16(h), 16))};
}
TF_INLINE void StoreHalf(uint16_t* p, F32s x) {
  vst1q_u16(p, vreinterpretq_u16_f16(vcombine_f16(vcvt_f16_f32(x.a), vcvt_f16_f32(x.b))));
}
TF_INLINE F32s Add(F32s x, F32s y) { return {vaddq_f32(x.a, y.a), vaddq_f32(x.b, y.b)}; }
TF_INLINE F32s Sub(F32s x, F32s y) { return {vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b)}; }
TF_INLINE F32s Mul(F32s x, F32s y) { return {vmulq_f32(x.a, y.a), vmulq_f32(x.b, y.b)}; }
TF_INLINE F32s Div(F32s x, F32s y) { return {vdivq_f32(x.a, y.a), vdivq_f32(x.b, y.b)}; }
TF_INLINE F32s MulAdd(F32s x, F32s y, F32s z) { return {vfmaq_f32(z.a, x.a, y.a), vfmaq_f32(z.b, x.b, y.b)}; }
TF_INLINE F32s NegMulAdd(F32s x, F32s y, F32s z) {
  return {vfmsq_f32(z.a, x.a, y.a), vfmsq_f32(z.b, x.b, y.b)};
}
TF_INLINE F32s SelectLess(F32s x, F32s y, F32s p, F32s q) {
  return {vbslq_f32(vcltq_f32(x.a, y.a), p.a, q.a), vbslq_f32(vcltq_f32(x.b, y.b), p.b, q.b)};
}
TF_INLINE F32s Max(F32s x, F32s y) { return SelectLess(y, x, x, y); }
TF_INLINE F32s Min(F32s x, F32s y) { return SelectLess(x, y, x, y); }
TF_INLINE F32s Abs(F32s x) { return {vabsq_f32(x.a), vabsq_f32(x.b)}; }
TF_INLINE F32s PowerOfTwo(F32s n) {
  const int32x4_t bias = vdupq_n_s32(127);
  return {vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n.a), bias), 23)),
          vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n.b), bias), 23))};
}
TF_INLINE float Fold(F32s x) {
  const float32x4_t four = vaddq_f32(x.a, x.b);
  const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
using Eight = F32s;
TF_INLINE Eight ZeroEight() { return Zero(); }
TF_INLINE Eight AddEights(Eight s, F32s a) { return Add(s, a); }
TF_INLINE float FoldEight(Eight s) { return Fold(s); }
TF_INLINE float MaxOf(F32s x) { return vmaxvq_f32(vmaxq_f32(x.a, x.b)); }
TF_INLINE bool AnyNan(F32s x) {
  const uint32x4_t equal = vandq_u32(vceqq_f32(x.a, x.a), vceqq_f32(x.b, x.b));
  return vminvq_u32(equal) == 0;
}

TF_INLINE I32s ZeroI() { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }
TF_INLINE I32s BroadcastI(int32_t x) { return {vdupq_n_s32(x), vdupq_n_s32(x)}; }
TF_INLINE I32s AddI(I32s x, I32s y) { return {vaddq_s32(x.a, y.a), vaddq_s32(x.b, y.b)}; }
TF_INLINE I32s SubI(I32s x, I32s y) { return {vsubq_s32(x.a, y.a), vsubq_s32(x.b, y.b)}; }
template <int n>
TF_INLINE I32s ShiftLeftI(I32s x) {
  return {vshlq_n_s32(x.a, n), vshlq_n_s32(x.b, n)};
}
TF_INLINE F32s ToFloat(I32s x) { return {vcvtq_f32_s32(x.a), vcvtq_f32_s32(x.b)}; }
TF_INLINE I32s RoundToInt(F32s x) { return {vcvtnq_s32_f32(x.a), vcvtnq_s32_f32(x.b)}; }
TF_INLINE I32s LoadSignedBytes(const int8_t* p) {
  const int16x8_t wide = vmovl_s8(vld1_s8(p));
  return {vmovl_s16(vget_low_s16(wide)), vmovl_s16(vget_high_s16(wide))};
}
TF_INLINE int32_t SumI(I32s x) { return vaddvq_s32(vaddq_s32(x.a, x.b)); }
// The low bits of 16 whole numbers.
TF_INLINE int16x8_t LowWords(I32s x) { return vcombine_s16(vmovn_s32(x.a), vmovn_s32(x.b)); }
TF_INLINE void StoreCodes(int16_t* p, I32s x, I32s y) {
  vst1q_s16(p, LowWords(x));
  vst1q_s16(p + 8, LowWords(y));
}
TF_INLINE void StoreCodes(int8_t* p, I32s x, I32s y) {
  vst1q_s8(p, vcombine_s8(vmovn_s16(LowWords(x)), vmovn_s16(LowWords(y))));
}

TF_INLINE U8s LoadBytes(const uint8_t* p) { return {vld1q_u8(p), vld1q_u8(p + 16)}; }
TF_INLINE void StoreBytes(uint8_t* p, U8s x) {
  vst1q_u8(p, x.a);
  vst1q_u8(p + 16, x.b);
}
template <int shift, int mask>
TF_INLINE U8s Bits(U8s x) {
  const uint8x16_t m = vdupq_n_u8(mask);
  if constexpr (shift == 0) {
    return {vandq_u8(x.a, m), vandq_u8(x.b, m)};
  } else {
    return {vandq_u8(vshrq_n_u8(x.a, shift), m), vandq_u8(vshrq_n_u8(x.b, shift), m)};
  }
}
template <int shift>
TF_INLINE U8s OrShifted(U8s x, U8s y) {
  return {vorrq_u8(x.a, vshlq_n_u8(y.a, shift)), vorrq_u8(x.b, vshlq_n_u8(y.b, shift))};
}
TF_INLINE U8s LookUp(const uint8_t* table, U8s codes) {
  const uint8x16_t entries = vld1q_u8(table);
  return {vqtbl1q_u8(entries, codes.a), vqtbl1q_u8(entries, codes.b)};
}
TF_INLINE SignedCodes AsSigned(U8s x) { return {vreinterpretq_s8_u8(x.a), vreinterpretq_s8_u8(x.b)}; }

TF_INLINE ActQuad LoadQuad(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return {vreinterpretq_s8_s32(vdupq_n_s32(four))};
}
TF_INLINE QuadSum ZeroQuad() { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }
TF_INLINE QuadSum AddQuad(QuadSum s, U8s codes, ActQuad a) {  // codes < 64: the same as int8
  return {vdotq_s32(s.a, vreinterpretq_s8_u8(codes.a), a.v), vdotq_s32(s.b, vreinterpretq_s8_u8(codes.b), a.v)};
}
TF_INLINE I32s AddSigned(I32s s, SignedCodes codes, ActQuad a) {
  return {vdotq_s32(s.a, codes.a, a.v), vdotq_s32(s.b, codes.b, a.v)};
}
TF_INLINE I32s Finish(I32s s, QuadSum q) { return {vaddq_s32(s.a, q.a), vaddq_s32(s.b, q.b)}; }
TF_INLINE I32s FinishScaled(I32s s, QuadSum q, ColumnScale scale) {
  return {vmlaq_s32(s.a, q.a, scale.a), vmlaq_s32(s.b, q.b, scale.b)};
}
TF_INLINE SubPair LoadSubPair(const uint8_t* p, bool is_signed) {
  const uint8x16_t bytes = vld1q_u8(p);
  if (is_signed) {
    const int8x16_t s = vreinterpretq_s8_u8(bytes);
    return {vmovl_s8(vget_low_s8(s)), vmovl_s8(vget_high_s8(s))};
  }
  return {vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes))), vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(bytes)))};
}
template <int which>
TF_INLINE ColumnScale ScaleOf(SubPair p) {
  // As int32 lanes: the low half is sub-block 0, the high half sub-block 1, both sign-extended.
  const int32x4_t a = vreinterpretq_s32_s16(p.a), b = vreinterpretq_s32_s16(p.b);
  if constexpr (which == 0) {
    return {vshrq_n_s32(vshlq_n_s32(a, 16), 16), vshrq_n_s32(vshlq_n_s32(b, 16), 16)};
  } else {
    return {vshrq_n_s32(a, 16), vshrq_n_s32(b, 16)};
  }
}
TF_INLINE I32s AddPair(I32s s, SubPair p, ActPair x) {
  return {vaddq_s32(s.a, vpaddq_s32(vmull_s16(vget_low_s16(p.a), vget_low_s16(x.v)),
                                    vmull_s16(vget_high_s16(p.a), vget_low_s16(x.v)))),
          vaddq_s32(s.b, vpaddq_s32(vmull_s16(vget_low_s16(p.b), vget_low_s16(x.v)),
                                    vmull_s16(vget_high_s16(p.b), vget_low_s16(x.v))))};
}

TF_INLINE Wide LoadWide(const uint8_t* p) {
  const int8x16_t bytes = vreinterpretq_s8_u8(vld1q_u8(p));
  return {vmovl_s8(vget_low_s8(bytes)), vmovl_s8(vget_high_s8(bytes))};
}
TF_INLINE ActPair LoadPair(const int16_t* p) {
  int32_t two;
  std::memcpy(&two, p, 4);
  return {vreinterpretq_s16_s32(vdupq_n_s32(two))};
}
TF_INLINE I32s AddWide(I32s s, Wide w, ActPair x) { return AddPair(s, {w.a, w.b}, x); }

template <typename T>
TF_INLINE void Pin(T&) {}

}  // namespace tf::neon

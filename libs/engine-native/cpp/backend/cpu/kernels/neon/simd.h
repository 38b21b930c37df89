// scalar/simd.h on AArch64 NEON with the dot-product extension. Included only by files built with those flags.
#pragma once

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

#define TF_INLINE inline __attribute__((always_inline))
#define TF_LAMBDA_INLINE __attribute__((always_inline))
#define TF_ISA neon

namespace tf::neon {

// Rows and panels of a register tile of a product.
constexpr int kTileRows = 4, kTilePanels = 2;
constexpr int kQuadBits = 32;

struct F32x8 {
  float32x4_t a, b;
};
struct I32x8 {
  int32x4_t a, b;
};
struct U8x32 {
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

TF_INLINE F32x8 Broadcast(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
TF_INLINE F32x8 Zero() { return Broadcast(0.0f); }
TF_INLINE F32x8 Load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
TF_INLINE void Store(float* p, F32x8 x) {
  vst1q_f32(p, x.a);
  vst1q_f32(p + 4, x.b);
}
TF_INLINE F32x8 LoadHalf(const uint16_t* p) {
  const float16x8_t h = vreinterpretq_f16_u16(vld1q_u16(p));
  return {vcvt_f32_f16(vget_low_f16(h)), vcvt_f32_f16(vget_high_f16(h))};
}
TF_INLINE F32x8 LoadBfloat(const uint16_t* p) {
  const uint16x8_t h = vld1q_u16(p);
  return {vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(h), 16)),
          vreinterpretq_f32_u32(vshll_n_u16(vget_high_u16(h), 16))};
}
TF_INLINE void StoreHalf(uint16_t* p, F32x8 x) {
  vst1q_u16(p, vreinterpretq_u16_f16(vcombine_f16(vcvt_f16_f32(x.a), vcvt_f16_f32(x.b))));
}
TF_INLINE F32x8 Add(F32x8 x, F32x8 y) { return {vaddq_f32(x.a, y.a), vaddq_f32(x.b, y.b)}; }
TF_INLINE F32x8 Sub(F32x8 x, F32x8 y) { return {vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b)}; }
TF_INLINE F32x8 Mul(F32x8 x, F32x8 y) { return {vmulq_f32(x.a, y.a), vmulq_f32(x.b, y.b)}; }
TF_INLINE F32x8 Div(F32x8 x, F32x8 y) { return {vdivq_f32(x.a, y.a), vdivq_f32(x.b, y.b)}; }
TF_INLINE F32x8 MulAdd(F32x8 x, F32x8 y, F32x8 z) { return {vfmaq_f32(z.a, x.a, y.a), vfmaq_f32(z.b, x.b, y.b)}; }
TF_INLINE F32x8 NegMulAdd(F32x8 x, F32x8 y, F32x8 z) {
  return {vfmsq_f32(z.a, x.a, y.a), vfmsq_f32(z.b, x.b, y.b)};
}
TF_INLINE F32x8 SelectLess(F32x8 x, F32x8 y, F32x8 p, F32x8 q) {
  return {vbslq_f32(vcltq_f32(x.a, y.a), p.a, q.a), vbslq_f32(vcltq_f32(x.b, y.b), p.b, q.b)};
}
TF_INLINE F32x8 Max(F32x8 x, F32x8 y) { return SelectLess(y, x, x, y); }
TF_INLINE F32x8 Min(F32x8 x, F32x8 y) { return SelectLess(x, y, x, y); }
TF_INLINE F32x8 Abs(F32x8 x) { return {vabsq_f32(x.a), vabsq_f32(x.b)}; }
TF_INLINE F32x8 PowerOfTwo(F32x8 n) {
  const int32x4_t bias = vdupq_n_s32(127);
  return {vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n.a), bias), 23)),
          vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n.b), bias), 23))};
}
TF_INLINE float Fold(F32x8 x) {
  const float32x4_t four = vaddq_f32(x.a, x.b);
  const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
TF_INLINE float MaxOf(F32x8 x) { return vmaxvq_f32(vmaxq_f32(x.a, x.b)); }
TF_INLINE bool AnyNan(F32x8 x) {
  const uint32x4_t equal = vandq_u32(vceqq_f32(x.a, x.a), vceqq_f32(x.b, x.b));
  return vminvq_u32(equal) == 0;
}

TF_INLINE I32x8 ZeroI() { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }
TF_INLINE I32x8 BroadcastI(int32_t x) { return {vdupq_n_s32(x), vdupq_n_s32(x)}; }
TF_INLINE I32x8 AddI(I32x8 x, I32x8 y) { return {vaddq_s32(x.a, y.a), vaddq_s32(x.b, y.b)}; }
TF_INLINE I32x8 SubI(I32x8 x, I32x8 y) { return {vsubq_s32(x.a, y.a), vsubq_s32(x.b, y.b)}; }
template <int n>
TF_INLINE I32x8 ShiftLeftI(I32x8 x) {
  return {vshlq_n_s32(x.a, n), vshlq_n_s32(x.b, n)};
}
TF_INLINE F32x8 ToFloat(I32x8 x) { return {vcvtq_f32_s32(x.a), vcvtq_f32_s32(x.b)}; }
TF_INLINE I32x8 RoundToInt(F32x8 x) { return {vcvtnq_s32_f32(x.a), vcvtnq_s32_f32(x.b)}; }
TF_INLINE I32x8 LoadSignedBytes(const int8_t* p) {
  const int16x8_t wide = vmovl_s8(vld1_s8(p));
  return {vmovl_s16(vget_low_s16(wide)), vmovl_s16(vget_high_s16(wide))};
}
TF_INLINE int32_t SumI(I32x8 x) { return vaddvq_s32(vaddq_s32(x.a, x.b)); }
// The low bits of 16 whole numbers.
TF_INLINE int16x8_t LowWords(I32x8 x) { return vcombine_s16(vmovn_s32(x.a), vmovn_s32(x.b)); }
TF_INLINE void StoreCodes(int16_t* p, I32x8 x, I32x8 y) {
  vst1q_s16(p, LowWords(x));
  vst1q_s16(p + 8, LowWords(y));
}
TF_INLINE void StoreCodes(int8_t* p, I32x8 x, I32x8 y) {
  vst1q_s8(p, vcombine_s8(vmovn_s16(LowWords(x)), vmovn_s16(LowWords(y))));
}

TF_INLINE U8x32 LoadBytes(const uint8_t* p) { return {vld1q_u8(p), vld1q_u8(p + 16)}; }
TF_INLINE void StoreBytes(uint8_t* p, U8x32 x) {
  vst1q_u8(p, x.a);
  vst1q_u8(p + 16, x.b);
}
template <int shift, int mask>
TF_INLINE U8x32 Bits(U8x32 x) {
  const uint8x16_t m = vdupq_n_u8(mask);
  if constexpr (shift == 0) {
    return {vandq_u8(x.a, m), vandq_u8(x.b, m)};
  } else {
    return {vandq_u8(vshrq_n_u8(x.a, shift), m), vandq_u8(vshrq_n_u8(x.b, shift), m)};
  }
}
template <int shift>
TF_INLINE U8x32 OrShifted(U8x32 x, U8x32 y) {
  return {vorrq_u8(x.a, vshlq_n_u8(y.a, shift)), vorrq_u8(x.b, vshlq_n_u8(y.b, shift))};
}
TF_INLINE U8x32 LookUp(const uint8_t* table, U8x32 codes) {
  const uint8x16_t entries = vld1q_u8(table);
  return {vqtbl1q_u8(entries, codes.a), vqtbl1q_u8(entries, codes.b)};
}
TF_INLINE SignedCodes AsSigned(U8x32 x) { return {vreinterpretq_s8_u8(x.a), vreinterpretq_s8_u8(x.b)}; }

TF_INLINE ActQuad LoadQuad(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return {vreinterpretq_s8_s32(vdupq_n_s32(four))};
}
TF_INLINE QuadSum ZeroQuad() { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }
TF_INLINE QuadSum AddQuad(QuadSum s, U8x32 codes, ActQuad a) {  // codes < 64: the same as int8
  return {vdotq_s32(s.a, vreinterpretq_s8_u8(codes.a), a.v), vdotq_s32(s.b, vreinterpretq_s8_u8(codes.b), a.v)};
}
TF_INLINE I32x8 AddSigned(I32x8 s, SignedCodes codes, ActQuad a) {
  return {vdotq_s32(s.a, codes.a, a.v), vdotq_s32(s.b, codes.b, a.v)};
}
TF_INLINE I32x8 Finish(I32x8 s, QuadSum q) { return {vaddq_s32(s.a, q.a), vaddq_s32(s.b, q.b)}; }
TF_INLINE I32x8 FinishScaled(I32x8 s, QuadSum q, ColumnScale scale) {
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
TF_INLINE I32x8 AddPair(I32x8 s, SubPair p, ActPair x) {
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
TF_INLINE I32x8 AddWide(I32x8 s, Wide w, ActPair x) { return AddPair(s, {w.a, w.b}, x); }

template <typename T>
TF_INLINE void Pin(T&) {}

}  // namespace tf::neon

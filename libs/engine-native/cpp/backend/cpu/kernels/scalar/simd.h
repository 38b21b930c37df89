// The vector types that kernels/generic is written in, as plain loops: the definition of what each operation does.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/f16.h"

#define TF_INLINE inline
#define TF_LAMBDA_INLINE
#define TF_ISA scalar

namespace tf::scalar {

// Rows and panels of a register tile of a product.
constexpr int kTileRows = 1, kTilePanels = 1;
// Width of the integers of a QuadSum. In 32 bits nothing overflows (generic/matmul_int.inl).
constexpr int kQuadBits = 32;

// Eight floats. Every operation acts lane by lane with one IEEE rounding.
struct F32x8 {
  float v[8];
};
struct I32x8 {
  int32_t v[8];
};
// 32 byte codes: byte 4 * column + (k & 3).
struct U8x32 {
  uint8_t v[32];
};
// 8 columns x 2 values of K, widened.
struct Wide {
  int16_t v[16];
};
// Four activations, or two, that meet every column.
struct ActQuad {
  int8_t v[4];
};
struct ActPair {
  int16_t v[2];
};
// A running sum of quads, not yet scaled. No more quads than QuadDepth allows (generic/matmul_int.inl).
struct QuadSum {
  int32_t v[8];
};
// Signed codes ready to multiply.
struct SignedCodes {
  int8_t v[32];
};
// One integer per column that multiplies a QuadSum.
struct ColumnScale {
  int32_t v[8];
};
// Two int8 integers per column (a pair of sub-blocks).
struct SubPair {
  int16_t v[16];
};

#define TF_LANES for (int i = 0; i < 8; ++i)

TF_INLINE F32x8 Broadcast(float x) {
  F32x8 r;
  TF_LANES r.v[i] = x;
  return r;
}
TF_INLINE F32x8 Zero() { return Broadcast(0.0f); }
TF_INLINE F32x8 Load(const float* p) {
  F32x8 r;
  std::memcpy(r.v, p, 32);
  return r;
}
TF_INLINE void StoreBytes(uint8_t* p, const U8x32& a) { std::memcpy(p, a.v, 32); }
TF_INLINE void Store(float* p, F32x8 a) { std::memcpy(p, a.v, 32); }
TF_INLINE F32x8 LoadHalf(const uint16_t* p) {
  F32x8 r;
  TF_LANES r.v[i] = HalfToFloat(p[i]);
  return r;
}
TF_INLINE F32x8 LoadBfloat(const uint16_t* p) {
  F32x8 r;
  TF_LANES r.v[i] = BfloatToFloat(p[i]);
  return r;
}
TF_INLINE void StoreHalf(uint16_t* p, F32x8 a) { TF_LANES p[i] = FloatToHalf(a.v[i]); }
TF_INLINE F32x8 Add(F32x8 a, F32x8 b) {
  TF_LANES a.v[i] = a.v[i] + b.v[i];
  return a;
}
TF_INLINE F32x8 Sub(F32x8 a, F32x8 b) {
  TF_LANES a.v[i] = a.v[i] - b.v[i];
  return a;
}
TF_INLINE F32x8 Mul(F32x8 a, F32x8 b) {
  TF_LANES a.v[i] = a.v[i] * b.v[i];
  return a;
}
TF_INLINE F32x8 Div(F32x8 a, F32x8 b) {
  TF_LANES a.v[i] = a.v[i] / b.v[i];
  return a;
}
// a * b + c, one rounding.
TF_INLINE F32x8 MulAdd(F32x8 a, F32x8 b, F32x8 c) {
  TF_LANES c.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
  return c;
}
// c - a * b, one rounding.
TF_INLINE F32x8 NegMulAdd(F32x8 a, F32x8 b, F32x8 c) {
  TF_LANES c.v[i] = std::fma(-a.v[i], b.v[i], c.v[i]);
  return c;
}
// a > b ? a : b.
TF_INLINE F32x8 Max(F32x8 a, F32x8 b) {
  TF_LANES a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return a;
}
TF_INLINE F32x8 Min(F32x8 a, F32x8 b) {
  TF_LANES a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
  return a;
}
// x < y ? a : b.
TF_INLINE F32x8 SelectLess(F32x8 x, F32x8 y, F32x8 a, F32x8 b) {
  TF_LANES a.v[i] = x.v[i] < y.v[i] ? a.v[i] : b.v[i];
  return a;
}
TF_INLINE F32x8 Abs(F32x8 a) {
  TF_LANES a.v[i] = std::fabs(a.v[i]);
  return a;
}
// 2^n for whole n in [-126, 127].
TF_INLINE F32x8 PowerOfTwo(F32x8 n) {
  TF_LANES {
    const uint32_t bits = static_cast<uint32_t>(static_cast<int32_t>(n.v[i]) + 127) << 23;
    std::memcpy(&n.v[i], &bits, 4);
  }
  return n;
}
// ((0+4) + (2+6)) + ((1+5) + (3+7)).
TF_INLINE float Fold(F32x8 a) {
  return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
}
TF_INLINE float MaxOf(F32x8 a) {
  float r = a.v[0];
  TF_LANES r = a.v[i] > r ? a.v[i] : r;
  return r;
}
TF_INLINE bool AnyNan(F32x8 a) {
  bool r = false;
  TF_LANES r |= a.v[i] != a.v[i];
  return r;
}

TF_INLINE I32x8 ZeroI() { return I32x8{}; }
TF_INLINE I32x8 BroadcastI(int32_t x) {
  I32x8 r;
  TF_LANES r.v[i] = x;
  return r;
}
TF_INLINE I32x8 AddI(I32x8 a, I32x8 b) {
  TF_LANES a.v[i] += b.v[i];
  return a;
}
TF_INLINE I32x8 SubI(I32x8 a, I32x8 b) {
  TF_LANES a.v[i] -= b.v[i];
  return a;
}
template <int n>
TF_INLINE I32x8 ShiftLeftI(I32x8 a) {
  TF_LANES a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) << n);
  return a;
}
TF_INLINE F32x8 ToFloat(I32x8 a) {
  F32x8 r;
  TF_LANES r.v[i] = static_cast<float>(a.v[i]);
  return r;
}
TF_INLINE I32x8 LoadSignedBytes(const int8_t* p) {
  I32x8 r;
  TF_LANES r.v[i] = p[i];
  return r;
}
// Nearest whole numbers, ties to even. |x| < 2^31.
TF_INLINE I32x8 RoundToInt(F32x8 a) {
  I32x8 r;
  // NaN has no integer; a block that holds one has a NaN scale, so any will do.
  TF_LANES r.v[i] = a.v[i] != a.v[i] ? INT32_MIN : static_cast<int32_t>(std::nearbyintf(a.v[i]));
  return r;
}
TF_INLINE int32_t SumI(I32x8 a) {
  int32_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += a.v[i];
  return sum;
}
// The low bits of 16 whole numbers.
template <typename Code>
TF_INLINE void StoreCodes(Code* p, I32x8 a, I32x8 b) {
  for (int i = 0; i < 8; ++i) {
    p[i] = static_cast<Code>(a.v[i]);
    p[i + 8] = static_cast<Code>(b.v[i]);
  }
}

#undef TF_LANES
#define TF_BYTES for (int i = 0; i < 32; ++i)

TF_INLINE U8x32 LoadBytes(const uint8_t* p) {
  U8x32 r;
  std::memcpy(r.v, p, 32);
  return r;
}
template <int shift, int mask>
TF_INLINE U8x32 Bits(U8x32 a) {  // (byte >> shift) & mask
  TF_BYTES a.v[i] = static_cast<uint8_t>((a.v[i] >> shift) & mask);
  return a;
}
template <int shift>
TF_INLINE U8x32 OrShifted(U8x32 a, U8x32 b) {  // a | (b << shift), b's bits staying in their byte
  TF_BYTES a.v[i] = static_cast<uint8_t>(a.v[i] | (b.v[i] << shift));
  return a;
}
// table[code], 16 entries, codes < 16.
TF_INLINE U8x32 LookUp(const uint8_t* table, U8x32 codes) {
  TF_BYTES codes.v[i] = table[codes.v[i]];
  return codes;
}
TF_INLINE SignedCodes AsSigned(U8x32 a) {
  SignedCodes r;
  std::memcpy(r.v, a.v, 32);
  return r;
}

TF_INLINE ActQuad LoadQuad(const int8_t* p) {
  ActQuad r;
  std::memcpy(r.v, p, 4);
  return r;
}
TF_INLINE QuadSum ZeroQuad() { return QuadSum{}; }
TF_INLINE QuadSum AddQuad(QuadSum s, U8x32 codes, ActQuad a) {
  for (int c = 0; c < 8; ++c) {
    for (int i = 0; i < 4; ++i) s.v[c] += codes.v[4 * c + i] * a.v[i];
  }
  return s;
}
TF_INLINE I32x8 AddSigned(I32x8 s, SignedCodes codes, ActQuad a) {
  for (int c = 0; c < 8; ++c) {
    for (int i = 0; i < 4; ++i) s.v[c] += codes.v[4 * c + i] * a.v[i];
  }
  return s;
}
TF_INLINE I32x8 Finish(I32x8 s, QuadSum q) {  // s + q
  for (int c = 0; c < 8; ++c) s.v[c] += q.v[c];
  return s;
}
TF_INLINE I32x8 FinishScaled(I32x8 s, QuadSum q, ColumnScale scale) {  // s + q * scale
  for (int c = 0; c < 8; ++c) s.v[c] += q.v[c] * scale.v[c];
  return s;
}
TF_INLINE SubPair LoadSubPair(const uint8_t* p, bool is_signed) {
  SubPair r;
  for (int i = 0; i < 16; ++i) r.v[i] = is_signed ? static_cast<int8_t>(p[i]) : p[i];
  return r;
}
template <int which>
TF_INLINE ColumnScale ScaleOf(SubPair p) {
  ColumnScale r;
  for (int c = 0; c < 8; ++c) r.v[c] = p.v[2 * c + which];
  return r;
}
// s + pair . (two sums of activations)
TF_INLINE I32x8 AddPair(I32x8 s, SubPair p, ActPair a) {
  for (int c = 0; c < 8; ++c) s.v[c] += p.v[2 * c] * a.v[0] + p.v[2 * c + 1] * a.v[1];
  return s;
}

TF_INLINE Wide LoadWide(const uint8_t* p) {
  Wide r;
  for (int i = 0; i < 16; ++i) r.v[i] = static_cast<int8_t>(p[i]);
  return r;
}
TF_INLINE ActPair LoadPair(const int16_t* p) {
  ActPair r;
  std::memcpy(r.v, p, 4);
  return r;
}
TF_INLINE I32x8 AddWide(I32x8 s, Wide w, ActPair a) {
  for (int c = 0; c < 8; ++c) s.v[c] += w.v[2 * c] * a.v[0] + w.v[2 * c + 1] * a.v[1];
  return s;
}
#undef TF_BYTES

// Keeps a compiler from re-ordering or spilling what it names; nothing here.
template <typename T>
TF_INLINE void Pin(T&) {}

}  // namespace tf::scalar

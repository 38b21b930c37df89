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

// Floats of a vector: columns of a panel, positions of a group of keys.
constexpr size_t kLanes = 8;
// Rows and panels of a register tile of a product.
constexpr int kTileRows = 1, kTilePanels = 1;
// Vectors side by side in a tile of attention of three rows and more.
constexpr int kTallTileVectors = 2;
// Whether AddQuad takes codes above 127.
constexpr bool kWholeByteCodes = true;
// Width of the integers of a QuadSum. In 32 bits nothing overflows (generic/matmul_int.inl).
constexpr int kQuadBits = 32;

// kLanes floats. Every operation acts lane by lane with one IEEE rounding.
struct F32s {
  float v[8];
};
struct I32s {
  int32_t v[8];
};
// 32 byte codes: byte 4 * column + (k & 3).
struct U8s {
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

TF_INLINE F32s Broadcast(float x) {
  F32s r;
  TF_LANES r.v[i] = x;
  return r;
}
TF_INLINE F32s Zero() { return Broadcast(0.0f); }
TF_INLINE F32s Load(const float* p) {
  F32s r;
  std::memcpy(r.v, p, 32);
  return r;
}
TF_INLINE void StoreBytes(uint8_t* p, const U8s& a) { std::memcpy(p, a.v, 32); }
TF_INLINE void Store(float* p, F32s a) { std::memcpy(p, a.v, 32); }
TF_INLINE F32s LoadHalf(const uint16_t* p) {
  F32s r;
  TF_LANES r.v[i] = HalfToFloat(p[i]);
  return r;
}
TF_INLINE F32s LoadBfloat(const uint16_t* p) {
  F32s r;
  TF_LANES r.v[i] = BfloatToFloat(p[i]);
  return r;
}
TF_INLINE void StoreHalf(uint16_t* p, F32s a) { TF_LANES p[i] = FloatToHalf(a.v[i]); }
TF_INLINE F32s Add(F32s a, F32s b) {
  TF_LANES a.v[i] = a.v[i] + b.v[i];
  return a;
}
TF_INLINE F32s Sub(F32s a, F32s b) {
  TF_LANES a.v[i] = a.v[i] - b.v[i];
  return a;
}
TF_INLINE F32s Mul(F32s a, F32s b) {
  TF_LANES a.v[i] = a.v[i] * b.v[i];
  return a;
}
TF_INLINE F32s Div(F32s a, F32s b) {
  TF_LANES a.v[i] = a.v[i] / b.v[i];
  return a;
}
// a * b + c, one rounding.
TF_INLINE F32s MulAdd(F32s a, F32s b, F32s c) {
  TF_LANES c.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
  return c;
}
// c - a * b, one rounding.
TF_INLINE F32s NegMulAdd(F32s a, F32s b, F32s c) {
  TF_LANES c.v[i] = std::fma(-a.v[i], b.v[i], c.v[i]);
  return c;
}
// a > b ? a : b.
TF_INLINE F32s Max(F32s a, F32s b) {
  TF_LANES a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return a;
}
TF_INLINE F32s Min(F32s a, F32s b) {
  TF_LANES a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
  return a;
}
// x < y ? a : b.
TF_INLINE F32s SelectLess(F32s x, F32s y, F32s a, F32s b) {
  TF_LANES a.v[i] = x.v[i] < y.v[i] ? a.v[i] : b.v[i];
  return a;
}
TF_INLINE F32s Abs(F32s a) {
  TF_LANES a.v[i] = std::fabs(a.v[i]);
  return a;
}
// 2^n for whole n in [-126, 127].
TF_INLINE F32s PowerOfTwo(F32s n) {
  TF_LANES {
    const uint32_t bits = static_cast<uint32_t>(static_cast<int32_t>(n.v[i]) + 127) << 23;
    std::memcpy(&n.v[i], &bits, 4);
  }
  return n;
}
// ((0+4) + (2+6)) + ((1+5) + (3+7)).
TF_INLINE float Fold(F32s a) {
  return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
}
// Eight running sums, whatever a vector's width: those of adding eight floats at a time, ascending.
using Eight = F32s;
TF_INLINE Eight ZeroEight() { return Zero(); }
TF_INLINE Eight AddEights(Eight s, F32s a) { return Add(s, a); }
TF_INLINE float FoldEight(Eight s) { return Fold(s); }
TF_INLINE float MaxOf(F32s a) {
  float r = a.v[0];
  TF_LANES r = a.v[i] > r ? a.v[i] : r;
  return r;
}
TF_INLINE bool AnyNan(F32s a) {
  bool r = false;
  TF_LANES r |= a.v[i] != a.v[i];
  return r;
}

TF_INLINE I32s ZeroI() { return I32s{}; }
TF_INLINE I32s BroadcastI(int32_t x) {
  I32s r;
  TF_LANES r.v[i] = x;
  return r;
}
TF_INLINE I32s AddI(I32s a, I32s b) {
  TF_LANES a.v[i] += b.v[i];
  return a;
}
TF_INLINE I32s SubI(I32s a, I32s b) {
  TF_LANES a.v[i] -= b.v[i];
  return a;
}
template <int n>
TF_INLINE I32s ShiftLeftI(I32s a) {
  TF_LANES a.v[i] = static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) << n);
  return a;
}
TF_INLINE F32s ToFloat(I32s a) {
  F32s r;
  TF_LANES r.v[i] = static_cast<float>(a.v[i]);
  return r;
}
TF_INLINE I32s LoadSignedBytes(const int8_t* p) {
  I32s r;
  TF_LANES r.v[i] = p[i];
  return r;
}
// Nearest whole numbers, ties to even. |x| < 2^31.
TF_INLINE I32s RoundToInt(F32s a) {
  I32s r;
  // NaN has no integer; a block that holds one has a NaN scale, so any will do.
  TF_LANES r.v[i] = a.v[i] != a.v[i] ? INT32_MIN : static_cast<int32_t>(std::nearbyintf(a.v[i]));
  return r;
}
TF_INLINE int32_t SumI(I32s a) {
  int32_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += a.v[i];
  return sum;
}
// The low bits of 16 whole numbers.
template <typename Code>
TF_INLINE void StoreCodes(Code* p, const I32s (&a)[2]) {
  for (int i = 0; i < 16; ++i) p[i] = static_cast<Code>(a[i / 8].v[i % 8]);
}

#undef TF_LANES
#define TF_BYTES for (int i = 0; i < 32; ++i)

TF_INLINE U8s LoadBytes(const uint8_t* p) {
  U8s r;
  std::memcpy(r.v, p, 32);
  return r;
}
template <int shift, int mask>
TF_INLINE U8s Bits(U8s a) {  // (byte >> shift) & mask
  TF_BYTES a.v[i] = static_cast<uint8_t>((a.v[i] >> shift) & mask);
  return a;
}
template <int shift>
TF_INLINE U8s OrShifted(U8s a, U8s b) {  // a | (b << shift), b's bits staying in their byte
  TF_BYTES a.v[i] = static_cast<uint8_t>(a.v[i] | (b.v[i] << shift));
  return a;
}
// table[code], 16 entries, codes < 16.
TF_INLINE U8s LookUp(const uint8_t* table, U8s codes) {
  TF_BYTES codes.v[i] = table[codes.v[i]];
  return codes;
}
TF_INLINE SignedCodes AsSigned(U8s a) {
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
TF_INLINE QuadSum AddQuad(QuadSum s, U8s codes, ActQuad a) {
  for (int c = 0; c < 8; ++c) {
    for (int i = 0; i < 4; ++i) s.v[c] += codes.v[4 * c + i] * a.v[i];
  }
  return s;
}
TF_INLINE I32s AddSigned(I32s s, SignedCodes codes, ActQuad a) {
  for (int c = 0; c < 8; ++c) {
    for (int i = 0; i < 4; ++i) s.v[c] += codes.v[4 * c + i] * a.v[i];
  }
  return s;
}
TF_INLINE I32s Finish(I32s s, QuadSum q) {  // s + q
  for (int c = 0; c < 8; ++c) s.v[c] += q.v[c];
  return s;
}
TF_INLINE I32s FinishScaled(I32s s, QuadSum q, ColumnScale scale) {  // s + q * scale
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
TF_INLINE I32s AddPair(I32s s, SubPair p, ActPair a) {
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
TF_INLINE I32s AddWide(I32s s, Wide w, ActPair a) {
  for (int c = 0; c < 8; ++c) s.v[c] += w.v[2 * c] * a.v[0] + w.v[2 * c + 1] * a.v[1];
  return s;
}
#undef TF_BYTES

// Keeps a compiler from re-ordering or spilling what it names; nothing here.
template <typename T>
TF_INLINE void Pin(T&) {}

}  // namespace tf::scalar

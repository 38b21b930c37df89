// Unaligned little-endian reads that every block format uses.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/f16.h"

namespace tf::quant {

inline uint16_t ReadU16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | (p[1] << 8)); }
inline uint32_t ReadU32(const uint8_t* p) { return ReadU16(p) | (uint32_t{ReadU16(p + 2)} << 16); }
inline float ReadHalf(const uint8_t* p) { return HalfToFloat(ReadU16(p)); }

// Code of element i where low nibbles hold the first 16 and high nibbles the last 16 of 32.
inline uint8_t SplitNibble(const uint8_t* qs, int i) { return (qs[i & 15] >> (4 * (i >> 4))) & 15; }

}  // namespace tf::quant

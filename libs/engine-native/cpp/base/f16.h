// Half floats in software: exact widening, narrowing to nearest even. The definition that hardware conversions equal.
#pragma once

#include <bit>
#include <cstdint>

namespace tf {

inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = (half >> 10) & 31;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // Subnormal: mantissa * 2^-24, exact in float.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

inline uint16_t FloatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00;   // NaN
  if (magnitude >= 0x477ff000u) return sign | 0x7c00;  // rounds to 65536 or more, or infinite
  if (magnitude >= 0x38800000u) {                      // normal half
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  if (magnitude < 0x33000000u) return sign;  // below half of the smallest subnormal
  // Subnormal half: units of 2^-24. Ties go to even.
  const uint32_t shift = 126 - (magnitude >> 23);
  const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t whole = mantissa >> shift;
  const uint32_t rest = mantissa & ((1u << shift) - 1);
  const uint32_t half = 1u << (shift - 1);
  return static_cast<uint16_t>(sign | (whole + ((rest > half || (rest == half && (whole & 1))) ? 1 : 0)));
}

inline float BfloatToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace tf

// Elementary functions of our own in double, from + - * / only (no fma, no libm): the same bits from every compiler,
// CPU and in JavaScript. Used where a table or a token is made; the float forms of the kernels are in kernels/generic.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tf {

// e^x for x <= 709; 0 below -745. Relative error under 2^-50.
inline double ExactExp(double x) {
  if (!(x > -745.0)) return 0.0;
  if (x > 709.0) x = 709.0;
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2Hi = 0.6931471803691238;  // ln 2 with 33 bits: multiples up to 2^10 are exact
  constexpr double kLn2Lo = 1.9082149292705877e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to the nearest even integer
  const double n = (x * kLog2E + kRound) - kRound;
  const double r = (x - n * kLn2Hi) - n * kLn2Lo;
  // Taylor to r^13: |r| <= 0.3466, the rest is below 2^-58.
  constexpr double kInverse[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                                 1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                                 1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        0.5};
  double p = kInverse[0];
  for (int i = 1; i < 12; ++i) p = p * r + kInverse[i];
  p = (p * r + 1.0) * r + 1.0;
  // Two steps keep 2^n a normal number.
  const int64_t whole = static_cast<int64_t>(n);
  const int64_t half = whole / 2;
  const double a = std::bit_cast<double>(static_cast<uint64_t>(half + 1023) << 52);
  const double b = std::bit_cast<double>(static_cast<uint64_t>(whole - half + 1023) << 52);
  return (p * a) * b;
}

// ln x for normal x > 0.
inline double ExactLog(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t exponent = static_cast<int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {
    m = m * 0.5;
    exponent += 1;
  }
  // ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.1716.
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double p = 1.0 / 23.0;
  for (int k = 21; k >= 3; k -= 2) p = p * s2 + 1.0 / static_cast<double>(k);
  const double log_m = 2.0 * s + 2.0 * s * (s2 * p);
  return static_cast<double>(exponent) * 1.9082149292705877e-10 +
         (log_m + static_cast<double>(exponent) * 0.6931471803691238);
}

// sin and cos for |x| up to 2^26 (positions); absolute error under 2^-45 there: the reduction is exact.
inline void ExactSinCos(double x, double* sin_out, double* cos_out) {
  constexpr double kTwoOverPi = 0.6366197723675814;
  constexpr double kPiOver2A = 1.5707963109016418;  // 26 bits, 26 bits, the rest: multiples up to 2^26 are exact
  constexpr double kPiOver2B = 1.5893254712295857e-08;
  constexpr double kPiOver2C = 6.123233995736766e-17;
  constexpr double kRound = 6755399441055744.0;
  const double n = (x * kTwoOverPi + kRound) - kRound;
  const double r = ((x - n * kPiOver2A) - n * kPiOver2B) - n * kPiOver2C;
  const double r2 = r * r;
  double s = 1.0;  // sin r = r * s, cos r = c, Taylor from the small end; |r| <= 0.7854
  for (int k = 17; k >= 3; k -= 2) s = 1.0 - s * r2 / static_cast<double>(k * (k - 1));
  s = s * r;
  double c = 1.0;
  for (int k = 18; k >= 2; k -= 2) c = 1.0 - c * r2 / static_cast<double>(k * (k - 1));
  const int64_t quadrant = static_cast<int64_t>(n) & 3;
  *sin_out = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
  *cos_out = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
}

}  // namespace tf

// The double functions that tables and tokens are made with, against long double.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/random.h"
#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

TEST("ExactExp is within 2^-50 of e^x") {
  Dice dice(1);
  long double worst = 0;
  for (int i = 0; i < Repeat(100000); ++i) {
    const double x = dice.Pick({1.0, 30.0, 708.0}) * (2 * dice.Unit() - 1);
    const long double expected = expl(static_cast<long double>(x));
    worst = std::max(worst, fabsl(ExactExp(x) / expected - 1));
  }
  EXPECT(worst < 0x1p-50L, "off by 2^" << std::log2(static_cast<double>(worst)));
  EXPECT(ExactExp(0.0) == 1.0 && ExactExp(-0.0) == 1.0);
  EXPECT(ExactExp(-746.0) == 0.0 && ExactExp(-INFINITY) == 0.0);
  EXPECT(std::isfinite(ExactExp(709.0)) && ExactExp(710.0) == ExactExp(709.0));
  // Below the normal numbers: within one unit of the last place, and never rising.
  for (double x = -708.0; x > -745.0; x -= 0.01) {
    EXPECT(std::fabs(ExactExp(x) - std::exp(x)) <= 0x1p-1074 + std::exp(x) * 0x1p-50, x);
    EXPECT(ExactExp(x - 0.01) <= ExactExp(x), x);
  }
}

TEST("ExactLog is within 2^-50 of ln x, also near 1") {
  Dice dice(2);
  long double worst = 0;
  for (int i = 0; i < Repeat(100000); ++i) {
    const double u = dice.Unit();
    const double x =
        dice.Pick({u, u * 1e6, 1 + (u - 0.5) * 1e-6, 1 - u * 0x1p-50, std::ldexp(1 + u, -1000), u * 0x1p-40});
    if (x == 1.0) continue;
    const long double expected = logl(static_cast<long double>(x));
    worst = std::max(worst, fabsl((ExactLog(x) - expected) / expected));
  }
  EXPECT(worst < 0x1p-50L, "off by 2^" << std::log2(static_cast<double>(worst)));
  EXPECT(ExactLog(1.0) == 0.0);
}

TEST("ExactSinCos is within 2^-45 of sin and cos up to 2^26") {
  Dice dice(3);
  long double worst = 0;
  for (int i = 0; i < Repeat(100000); ++i) {
    const double x = dice.Pick({1.0, 100.0, 131072.0, 0x1p26}) * (2 * dice.Unit() - 1);
    double s, c;
    ExactSinCos(x, &s, &c);
    worst =
        std::max({worst, fabsl(s - sinl(static_cast<long double>(x))), fabsl(c - cosl(static_cast<long double>(x)))});
  }
  EXPECT(worst < 0x1p-45L, "off by 2^" << std::log2(static_cast<double>(worst)));
  // Multiples of a quarter turn, where a cancelled reduction would show.
  for (int n = -1000; n <= 1000; ++n) {
    const double x = n * 1.5707963267948966;
    double s, c;
    ExactSinCos(x, &s, &c);
    EXPECT(std::fabs(s - std::sin(x)) < 0x1p-45 && std::fabs(c - std::cos(x)) < 0x1p-45, n);
  }
  double s, c;
  ExactSinCos(0.0, &s, &c);
  EXPECT(s == 0.0 && c == 1.0);
}

TEST("uniform numbers lie strictly between 0 and 1, and differ by seed, position and token") {
  Dice dice(4);
  double sum = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    const uint64_t seed = dice.Bits(), position = dice.Whole(0, 1000000);
    const double u = Uniform(RowKey(seed, position), i);
    EXPECT(u > 0.0 && u < 1.0);
    EXPECT(u != Uniform(RowKey(seed, position), i + 1) && u != Uniform(RowKey(seed, position + 1), i) &&
           u != Uniform(RowKey(seed + 1, position), i));
    sum += u;
  }
  EXPECT(std::fabs(sum / 10000 - 0.5) < 0.02);
}

}  // namespace
}  // namespace tf::test

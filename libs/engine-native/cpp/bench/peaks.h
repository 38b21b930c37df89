// What one core can do at most, measured with loops that do nothing else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tf::bench {

// A burst of arithmetic in registers. Returns operations done, a multiply-add as two.
struct Peak {
  const char* name;
  uint64_t (*burst)();
};

// The forms of arithmetic that kernels are built of, `kNumPeaks` of them; compiled for the instruction set that
// dispatch picks, so call only where that set is available.
enum PeakIndex { kFloatPeak, kInt4Peak, kInt8Peak, kInt16Peak, kNumPeaks };
const Peak* Peaks();

// Reads bytes [0, n), a multiple of 256, and returns something that depends on all of them.
uint64_t ReadAll(const uint8_t* data, size_t n);

}  // namespace tf::bench

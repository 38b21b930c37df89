#include "base/fp_state.h"

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tf {

#if defined(__x86_64__)
// MXCSR: rounding bits 13-14, flush-to-zero 15, denormals-are-zero 6. Exceptions stay masked (0x1f80 is the reset state).
constexpr uint32_t kStateBits = 0xe040;
void SetFloatState() { _mm_setcsr((_mm_getcsr() & ~kStateBits) | 0x1f80); }
bool FloatStateOk() { return (_mm_getcsr() & kStateBits) == 0; }
#elif defined(__aarch64__)
// FPCR: FZ16 19, rounding 22-23, FZ 24, AH 1.
constexpr uint64_t kStateBits = (1ull << 19) | (3ull << 22) | (1ull << 24) | 2ull;
static uint64_t Read() {
  uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void SetFloatState() { asm volatile("msr fpcr, %0" : : "r"(Read() & ~kStateBits)); }
bool FloatStateOk() { return (Read() & kStateBits) == 0; }
#else
void SetFloatState() {}
bool FloatStateOk() { return true; }
#endif

}  // namespace tf

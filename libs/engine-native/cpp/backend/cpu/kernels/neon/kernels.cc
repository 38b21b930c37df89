// The neon kernel set: the only file built with this instruction set's flags.
#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#if defined(__aarch64__)

#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "backend/cpu/kernels/neon/simd.h"

namespace tf {
namespace neon {
TF_DECLARE_MATMUL_PARTS
namespace {
#include "backend/cpu/kernels/generic/kernels.inl"
}  // namespace
}  // namespace neon

// Apple's CPUs all have the dot products; others, such as Cortex-A72, may not.
const KernelTable* NeonKernels() {
#if defined(__linux__)
  if ((getauxval(AT_HWCAP) & HWCAP_ASIMDDP) == 0) return nullptr;
#endif
  return &neon::kTable;
}

}  // namespace tf

#else

namespace tf {
const KernelTable* NeonKernels() { return nullptr; }
}  // namespace tf

#endif

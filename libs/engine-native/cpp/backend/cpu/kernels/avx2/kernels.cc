// The avx2 kernel set: the only file built with this instruction set's flags.
#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#if defined(__AVX2__)

#include "backend/cpu/kernels/avx2/simd.h"

namespace tf {
namespace avx2 {
TF_DECLARE_MATMUL_PARTS
namespace {
#include "backend/cpu/kernels/generic/kernels.inl"
}  // namespace
}  // namespace avx2

const KernelTable* Avx2Kernels() {
  static const bool supported =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  return supported ? &avx2::kTable : nullptr;
}

}  // namespace tf

#else

namespace tf {
const KernelTable* Avx2Kernels() { return nullptr; }
}  // namespace tf

#endif

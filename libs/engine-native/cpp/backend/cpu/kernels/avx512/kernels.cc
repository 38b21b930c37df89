// The avx512vnni kernel set: the only file built with this instruction set's flags.
#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#if defined(__AVX512VNNI__)

#include "backend/cpu/kernels/avx512/simd.h"

namespace tf {
namespace avx512vnni {
TF_DECLARE_MATMUL_PARTS
namespace {
#include "backend/cpu/kernels/generic/kernels.inl"
}  // namespace
}  // namespace avx512vnni

const KernelTable* Avx512VnniKernels() {
  static const bool supported =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
  return supported ? &avx512vnni::kTable : nullptr;
}

}  // namespace tf

#else

namespace tf {
const KernelTable* Avx512VnniKernels() { return nullptr; }
}  // namespace tf

#endif

// The neon kernel set: the only file built with this instruction set's flags.
#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#include <type_traits>
#include <utility>

#if defined(__aarch64__)

#include "backend/cpu/kernels/neon/simd.h"

namespace tf {
namespace neon {
TF_DECLARE_MATMUL_PARTS
namespace {
#include "backend/cpu/kernels/generic/kernels.inl"
}  // namespace
}  // namespace neon

const KernelTable* NeonKernels() { return &neon::kTable; }

}  // namespace tf

#else

namespace tf {
const KernelTable* NeonKernels() { return nullptr; }
}  // namespace tf

#endif

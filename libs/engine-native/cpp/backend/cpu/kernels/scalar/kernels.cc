// The scalar kernel set: the only file built with this instruction set's flags.
#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#if 1

#include "backend/cpu/kernels/scalar/simd.h"

namespace tf {
namespace scalar {
TF_DECLARE_MATMUL_PARTS
namespace {
#include "backend/cpu/kernels/generic/kernels.inl"
}  // namespace
}  // namespace scalar

const KernelTable* ScalarKernels() { return &scalar::kTable; }

}  // namespace tf

#else

namespace tf {
const KernelTable* ScalarKernels() { return nullptr; }
}  // namespace tf

#endif

// Part of the neon kernel set (kernels.cc), built with its flags.
#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#if defined(__aarch64__)

#include "backend/cpu/kernels/neon/simd.h"

namespace tf::neon {

#include "backend/cpu/kernels/generic/matmul_k_part.inl"

}  // namespace tf::neon

#endif

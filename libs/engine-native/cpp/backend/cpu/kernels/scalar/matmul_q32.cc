// Part of the scalar kernel set (kernels.cc), built with its flags.
#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#if 1

#include "backend/cpu/kernels/scalar/simd.h"

namespace tf::scalar {

#include "backend/cpu/kernels/generic/matmul_q32_part.inl"

}  // namespace tf::scalar

#endif

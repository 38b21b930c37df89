// Part of the avx2 kernel set (kernels.cc), built with its flags.
#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#if defined(__AVX2__)

#include "backend/cpu/kernels/avx2/dots.h"

namespace tf::avx2 {

#include "backend/cpu/kernels/generic/matmul_q32_part.inl"

}  // namespace tf::avx2

#endif

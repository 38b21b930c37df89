// Part of the avx512vnni kernel set (kernels.cc), built with its flags.
#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#if defined(__AVX512VNNI__)

#include "backend/cpu/kernels/avx512/simd.h"

namespace tf::avx512vnni {

#include "backend/cpu/kernels/generic/matmul_q32_part.inl"

}  // namespace tf::avx512vnni

#endif

// Part of a VNNI kernel set (kernels.cc), built with its flags, once for each TF_ISA (CMakeLists.txt).
#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"
#include "backend/cpu/kernels/vnni/dots.h"

namespace tf::TF_ISA {

#include "backend/cpu/kernels/generic/matmul_q32_part.inl"

}  // namespace tf::TF_ISA

// Part of a VNNI kernel set (kernels.cc), built with its flags, once for each TF_ISA (CMakeLists.txt).
#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"
#include "backend/cpu/kernels/vnni/dots.h"

namespace tf::TF_ISA {

TF_DECLARE_MATMUL_PARTS

namespace {
#include "backend/cpu/kernels/generic/matmul_all.inl"
}  // namespace

void MatmulK(const MatmulArgs& args) {
  switch (args.weights->layout) {
    case Layout::kK2: return MatmulLayout<Layout::kK2>(args);
    case Layout::kK3: return MatmulLayout<Layout::kK3>(args);
    case Layout::kK4: return MatmulLayout<Layout::kK4>(args);
    case Layout::kK5: return MatmulLayout<Layout::kK5>(args);
    case Layout::kK6: return MatmulLayout<Layout::kK6>(args);
    default: return;
  }
}

}  // namespace tf::TF_ISA

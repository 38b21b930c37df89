// Part of the avx2 kernel set (kernels.cc), built with its flags.
#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#if defined(__AVX2__)

#include "backend/cpu/kernels/avx2/dots.h"

namespace tf::avx2 {

TF_DECLARE_MATMUL_PARTS

namespace {
#include "backend/cpu/kernels/generic/matmul_all.inl"
}  // namespace

void MatmulFloat(const MatmulArgs& args) {
  switch (args.weights->layout) {
    case Layout::kF32: return MatmulLayout<Layout::kF32>(args);
    case Layout::kF16: return MatmulLayout<Layout::kF16>(args);
    case Layout::kBF16: return MatmulLayout<Layout::kBF16>(args);
    default: return;
  }
}

}  // namespace tf::avx2

#endif

// MatmulQ32 of a kernel set: products with blocks of 32. Included in its namespace, in a file built with its flags.

TF_DECLARE_MATMUL_PARTS

namespace {
#include "backend/cpu/kernels/generic/matmul_all.inl"
}  // namespace

void MatmulQ32(const MatmulArgs& args) {
  switch (args.weights->layout) {
    case Layout::kQ8: return MatmulLayout<Layout::kQ8>(args);
    case Layout::kU4: return MatmulLayout<Layout::kU4>(args);
    case Layout::kU4Min: return MatmulLayout<Layout::kU4Min>(args);
    case Layout::kU5: return MatmulLayout<Layout::kU5>(args);
    case Layout::kU5Min: return MatmulLayout<Layout::kU5Min>(args);
    case Layout::kIq4: return MatmulLayout<Layout::kIq4>(args);
    case Layout::kFp4: return MatmulLayout<Layout::kFp4>(args);
    default: return;
  }
}

// MatmulK of a kernel set: products with K-quants. Included in its namespace, in a file built with its flags.

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

// MatmulFloat of a kernel set. Included in its namespace, in a file built with its flags.

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

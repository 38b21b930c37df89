// The avxvnni kernel set: AVX2's with other integer products. Built without its flags: this runs before the CPU is asked.
#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#if defined(TF_VNNI)

#include <cpuid.h>

namespace tf {

namespace avx2 {
TF_DECLARE_MATMUL_PARTS
}
#if defined(TF_EMULATE_VNNI)
namespace emulated {
TF_DECLARE_MATMUL_PARTS
}
namespace avxvnni = emulated;
#else
namespace avxvnni {
TF_DECLARE_MATMUL_PARTS
}
#endif

namespace {

#if defined(TF_EMULATE_VNNI)
bool CpuHasAvxVnni() { return true; }
#else
// By hand: not every compiler's __builtin_cpu_supports knows it. That the system keeps AVX registers is AVX2's check.
bool CpuHasAvxVnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || a < 1) return false;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}
#endif

void Matmul(const MatmulArgs& args) {
  switch (InfoOf(args.weights->layout).rows) {
    case RowForm::kFloat: return avx2::MatmulFloat(args);
    case RowForm::kQ32:
    case RowForm::kQ32Wide: return avxvnni::MatmulQ32(args);
    case RowForm::kQ256: return avxvnni::MatmulK(args);
  }
}

KernelTable Table() {
  KernelTable table = *Avx2Kernels();
  table.name = "avxvnni";
  table.matmul = Matmul;
  return table;
}

}  // namespace

const KernelTable* AvxVnniKernels() {
  static const bool supported = Avx2Kernels() != nullptr && CpuHasAvxVnni();
  if (!supported) return nullptr;
  static const KernelTable table = Table();
  return &table;
}

}  // namespace tf

#else

namespace tf {
const KernelTable* AvxVnniKernels() { return nullptr; }
}  // namespace tf

#endif

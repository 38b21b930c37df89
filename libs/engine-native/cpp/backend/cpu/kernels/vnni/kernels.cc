// The VNNI kernel sets: AVX2's with other integer products. Built without their flags: this runs before the CPU is asked.
#include "backend/cpu/kernels/generic/matmul_part.h"
#include "backend/cpu/kernels/kernel_table.h"

#if defined(TF_VNNI)

#include <cpuid.h>

namespace tf {

namespace avx2 {
TF_DECLARE_MATMUL_PARTS
}
#if defined(TF_EMULATE_VNNI)
// In AVX2 arithmetic the two are the same code.
namespace emulated {
TF_DECLARE_MATMUL_PARTS
}
namespace avx512vnni = emulated;
namespace avxvnni = emulated;
#else
namespace avx512vnni {
TF_DECLARE_MATMUL_PARTS
}
namespace avxvnni {
TF_DECLARE_MATMUL_PARTS
}
#endif

namespace {

#if defined(TF_EMULATE_VNNI)
bool CpuHasAvx512Vnni() { return true; }
bool CpuHasAvxVnni() { return true; }
#else
bool CpuHasAvx512Vnni() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
}
// By hand: not every compiler's __builtin_cpu_supports knows it. That the system keeps AVX registers is AVX2's check.
bool CpuHasAvxVnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || a < 1) return false;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}
#endif

template <void (*q32)(const MatmulArgs&), void (*k)(const MatmulArgs&)>
void Matmul(const MatmulArgs& args) {
  switch (InfoOf(args.weights->layout).rows) {
    case RowForm::kFloat: return avx2::MatmulFloat(args);
    case RowForm::kQ32:
    case RowForm::kQ32Wide: return q32(args);
    case RowForm::kQ256: return k(args);
  }
}

KernelTable Avx2With(const char* name, void (*matmul)(const MatmulArgs&)) {
  KernelTable table = *Avx2Kernels();
  table.name = name;
  table.matmul = matmul;
  return table;
}

}  // namespace

const KernelTable* Avx512VnniKernels() {
  static const bool supported = Avx2Kernels() != nullptr && CpuHasAvx512Vnni();
  if (!supported) return nullptr;
  static const KernelTable table = Avx2With("avx512vnni", Matmul<avx512vnni::MatmulQ32, avx512vnni::MatmulK>);
  return &table;
}

const KernelTable* AvxVnniKernels() {
  static const bool supported = Avx2Kernels() != nullptr && CpuHasAvxVnni();
  if (!supported) return nullptr;
  static const KernelTable table = Avx2With("avxvnni", Matmul<avxvnni::MatmulQ32, avxvnni::MatmulK>);
  return &table;
}

}  // namespace tf

#else

namespace tf {
const KernelTable* Avx512VnniKernels() { return nullptr; }
const KernelTable* AvxVnniKernels() { return nullptr; }
}  // namespace tf

#endif

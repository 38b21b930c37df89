#include "backend/cpu/dispatch.h"

#include <cstdlib>

namespace tf {

std::vector<const KernelTable*> AvailableKernels() {
  std::vector<const KernelTable*> sets;
  for (const KernelTable* set :
       {Avx512VnniKernels(), AvxVnniKernels(), Avx2Kernels(), NeonKernels(), ScalarKernels()}) {
    if (set != nullptr) sets.push_back(set);
  }
  return sets;
}

const KernelTable* FindKernels(const std::string& name) {
  std::string wanted = name;
  if (wanted.empty()) {
    const char* env = std::getenv("TF_KERNEL");
    if (env != nullptr) wanted = env;
  }
  for (const KernelTable* set : AvailableKernels()) {
    if (wanted.empty() || wanted == set->name) return set;
  }
  return nullptr;
}

}  // namespace tf

// Which kernel set runs.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/kernels/kernel_table.h"

namespace tf {

// Sets this CPU can run, fastest first.
std::vector<const KernelTable*> AvailableKernels();

// The set of that name; "" takes env TF_KERNEL, else the fastest. Null where there is none.
const KernelTable* FindKernels(const std::string& name);

}  // namespace tf

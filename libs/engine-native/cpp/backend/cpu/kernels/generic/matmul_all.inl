// The products, in the vector types of the including file's namespace.

#include "backend/cpu/kernels/generic/unroll.inl"
#include "backend/cpu/kernels/generic/layouts.inl"
#include "backend/cpu/kernels/generic/prefetch.inl"
#include "backend/cpu/kernels/generic/matmul_int.inl"
#include "backend/cpu/kernels/generic/matmul_float.inl"
#include "backend/cpu/kernels/generic/matmul.inl"

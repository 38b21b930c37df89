// Everything but the products, in the vector types of the including file's namespace.

#include "backend/cpu/kernels/generic/unroll.inl"
#include "backend/cpu/kernels/generic/prefetch.inl"
#include "backend/cpu/kernels/generic/rows.inl"
#include "backend/cpu/kernels/generic/attention.inl"
#include "backend/cpu/kernels/generic/table.inl"

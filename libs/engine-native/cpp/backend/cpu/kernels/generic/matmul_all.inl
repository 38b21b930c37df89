// The products, in the vector types of the including file's namespace.

#include "backend/cpu/kernels/generic/unroll.inl"
#include "backend/cpu/kernels/generic/layouts.inl"
#include "backend/cpu/kernels/generic/prefetch.inl"
#include "backend/cpu/kernels/generic/matmul_int.inl"
#if defined(TF_WIDE_AS_BYTES)
#include "backend/cpu/kernels/generic/matmul_q8_bytes.inl"
#else
#include "backend/cpu/kernels/generic/matmul_q8_words.inl"
#endif
#include "backend/cpu/kernels/generic/matmul_float.inl"
#include "backend/cpu/kernels/generic/matmul.inl"

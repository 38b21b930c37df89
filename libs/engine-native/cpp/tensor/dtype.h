// Element types of tensors on disk, by GGUF's type ids, and how their rows are cut in blocks. Source: GGUF spec.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tf {

enum class DType : int32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kIQ4_NL = 20,
  kBF16 = 30,
  kMXFP4 = 39,
};

struct DTypeInfo {
  DType type;
  const char* name;
  size_t block_values;
  size_t block_bytes;
  // Writes the block_values float values of one block. Bits as the format's definition says: plain float steps.
  void (*unpack)(const uint8_t* block, float* values);
};

// Null for a type this engine does not read.
const DTypeInfo* FindDType(int32_t id);

// values[0, n) of n / block_values blocks; n is a multiple of block_values.
void Dequantize(const DTypeInfo& type, const uint8_t* blocks, size_t n, float* values);

}  // namespace tf

#include "tensor/dtype.h"

#include <bit>

#include "tensor/quant/k_quants.h"
#include "tensor/quant/nonlinear.h"
#include "tensor/quant/q4.h"
#include "tensor/quant/q5.h"
#include "tensor/quant/q8_0.h"

namespace tf {

namespace {

template <typename Format>
constexpr DTypeInfo Blocks(DType type, const char* name) {
  return {type, name, Format::kBlock, Format::kBytes, Format::Unpack};
}

template <typename Format>
constexpr DTypeInfo KBlocks(DType type, const char* name) {
  return {type, name, Format::kBlock, Format::kBytes, quant::UnpackK<Format>};
}

constexpr DTypeInfo kTypes[] = {
    {DType::kF32, "F32", 1, 4, [](const uint8_t* b, float* v) { *v = std::bit_cast<float>(quant::ReadU32(b)); }},
    {DType::kF16, "F16", 1, 2, [](const uint8_t* b, float* v) { *v = quant::ReadHalf(b); }},
    {DType::kBF16, "BF16", 1, 2, [](const uint8_t* b, float* v) { *v = BfloatToFloat(quant::ReadU16(b)); }},
    Blocks<quant::Q8_0>(DType::kQ8_0, "Q8_0"),
    Blocks<quant::Q4_0>(DType::kQ4_0, "Q4_0"),
    Blocks<quant::Q4_1>(DType::kQ4_1, "Q4_1"),
    Blocks<quant::Q5_0>(DType::kQ5_0, "Q5_0"),
    Blocks<quant::Q5_1>(DType::kQ5_1, "Q5_1"),
    Blocks<quant::IQ4_NL>(DType::kIQ4_NL, "IQ4_NL"),
    Blocks<quant::MXFP4>(DType::kMXFP4, "MXFP4"),
    KBlocks<quant::Q2_K>(DType::kQ2_K, "Q2_K"),
    KBlocks<quant::Q3_K>(DType::kQ3_K, "Q3_K"),
    KBlocks<quant::Q4_K>(DType::kQ4_K, "Q4_K"),
    KBlocks<quant::Q5_K>(DType::kQ5_K, "Q5_K"),
    KBlocks<quant::Q6_K>(DType::kQ6_K, "Q6_K"),
};

}  // namespace

const DTypeInfo* FindDType(int32_t id) {
  for (const DTypeInfo& info : kTypes) {
    if (static_cast<int32_t>(info.type) == id) return &info;
  }
  return nullptr;
}

void Dequantize(const DTypeInfo& type, const uint8_t* blocks, size_t n, float* values) {
  for (size_t i = 0; i < n; i += type.block_values, blocks += type.block_bytes) type.unpack(blocks, values + i);
}

}  // namespace tf

// One hash over the outputs of a fixed sequence of kernel calls: the same on every kernel set of every machine. A
// change here is a change of the numeric version.
#include <algorithm>

#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

uint64_t HashOfProducts(const KernelTable& kernels, DType type) {
  Dice dice(static_cast<uint64_t>(type));
  const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
  Hash hash;
  for (const size_t rows : {1, 3, 6}) {
    const size_t n = 21, k = info.block_values == 1 ? 205 : info.block_values * 3;
    const std::vector<uint8_t> blocks = RandomBlocks(dice, info, n * k);
    PackedMatrix matrix = Pack(kernels, info, blocks, n, k);
    matrix.split = info.block_values == 1 ? 96 : info.block_values;
    const std::vector<float> x = dice.Normals(rows * k);
    std::vector<float> bias = dice.Normals(24);
    bias.resize(matrix.padded_n());
    matrix.bias = bias.data();
    const RowForm form = InfoOf(matrix.layout).rows;
    RowMemory quantized(rows, (k + 255) / 256 * 256);
    for (size_t row = 0; row < rows; ++row) kernels.quantize(x.data() + row * k, k, form, quantized.view, row);
    if (form != RowForm::kFloat) quantized.AddTo(hash, kernels, form);
    const std::vector<float> before = dice.Normals(rows * 24);
    const size_t stride = matrix.padded_n();
    std::vector<float> y(rows * stride);
    for (size_t row = 0; row < rows; ++row) std::copy_n(before.data() + row * 24, n, y.data() + row * stride);
    MatmulArgs args;
    args.weights = &matrix;
    args.quant = quantized.view;
    args.floats = {x.data(), k};
    args.y = y.data();
    args.y_stride = stride;
    args.accumulate = true;
    args.split = matrix.split;
    args.row_end = rows;
    args.panel_end = matrix.num_panels();
    kernels.matmul(args);
    for (size_t row = 0; row < rows; ++row) hash.Add(y.data() + row * stride, n);
  }
  return hash.value();
}

uint64_t HashOfRows(const KernelTable& kernels) {
  Dice dice(100);
  Hash hash;
  for (const size_t n : {16, 64, 77, 256}) {
    const std::vector<float> x = dice.Normals(n, 3.0f), w = dice.Normals(n);
    std::vector<float> y(n);
    kernels.rms_norm(x.data(), w.data(), 1e-6f, n, y.data());
    hash.AddAll(y);
    kernels.silu_mul(x.data(), w.data(), y.data(), n);
    hash.AddAll(y);
    kernels.gelu_mul(x.data(), w.data(), y.data(), n);
    hash.AddAll(y);
    y = x;
    kernels.softcap(y.data(), 2.5f, n);
    hash.AddAll(y);
    kernels.rope(y.data(), w.data(), w.data() + n / 2, n / 2);
    kernels.scale(y.data(), 0.7f, n);
    kernels.add(y.data(), x.data(), n);
    hash.AddAll(y);
    hash.Add(kernels.argmax(y.data(), n));
  }
  return hash.value();
}

uint64_t HashOfAttention(const KernelTable& kernels, size_t head_dim, KvType type) {
  Dice dice(200 + head_dim);
  constexpr size_t kPositions = 1100;
  Hash hash;
  std::vector<std::vector<uint8_t>> memory(kPositions / kBlockPositions + 1);
  std::vector<const uint8_t*> blocks;
  for (std::vector<uint8_t>& block : memory) {
    block.assign(KvBlockBytes(type, head_dim), 0xff);
    blocks.push_back(block.data());
  }
  for (size_t p = 0; p < kPositions; ++p) {
    const std::vector<float> key = dice.Normals(head_dim), value = dice.Normals(head_dim);
    uint8_t* block = memory[p / kBlockPositions].data();
    kernels.store_key(key.data(), head_dim, p % kBlockPositions, type, block);
    kernels.store_value(value.data(), head_dim, p % kBlockPositions, type, block);
  }
  std::vector<std::vector<float>> queries, outs;
  std::vector<AttentionArgs::Row> rows;
  const int32_t positions[] = {0, 63, 64, 900, 1022, 1023, 1024, 1099, 1099};
  for (size_t r = 0; r < 9; ++r) {
    queries.push_back(dice.Normals(head_dim, 0.3f));
    outs.push_back(std::vector<float>(head_dim));
  }
  for (size_t r = 0; r < 9; ++r) rows.push_back({queries[r].data(), outs[r].data(), positions[r], r == 8 ? 1000 : 0});
  std::vector<float> scratch(AttentionScratchFloats(head_dim));
  AttentionArgs args;
  args.rows = rows.data();
  args.num_rows = rows.size();
  args.head_dim = head_dim;
  args.blocks = blocks.data();
  args.kv_type = type;
  args.scratch = scratch.data();
  for (const float softcap : {0.0f, 4.0f}) {
    args.softcap = softcap;
    kernels.attention(args);
    for (const std::vector<float>& out : outs) hash.AddAll(out);
  }
  return hash.value();
}

struct Golden {
  const char* name;
  uint64_t hash;
};

void Check(const KernelTable& kernels, const Golden& golden, uint64_t hash) {
  char hex[32];
  std::snprintf(hex, sizeof(hex), "0x%016llx", static_cast<unsigned long long>(hash));
  EXPECT(hash == golden.hash, golden.name << " on " << kernels.name << " is " << hex);
}

TEST("products of every type hash to their golden numbers on every kernel set") {
  constexpr Golden kGolden[] = {
      {"F32", 0xf11540eafeb27200ULL},   {"F16", 0x598eced6c8b41573ULL},  {"BF16", 0xb7ec0d87a0246e90ULL},
      {"Q8_0", 0x73556d975514f0b5ULL},  {"Q4_0", 0xf416c570765ec308ULL}, {"Q4_1", 0x80a51921ec028a09ULL},
      {"Q5_0", 0xb492393b6942b17fULL},  {"Q5_1", 0xd1112377f7068667ULL}, {"IQ4_NL", 0x7589d08179308792ULL},
      {"MXFP4", 0x4ee285f95f19f81dULL}, {"Q2_K", 0xcdb43c05491a31f4ULL}, {"Q3_K", 0x70fcd486f2ce2798ULL},
      {"Q4_K", 0xea3196c7de70b160ULL},  {"Q5_K", 0xf271b921465e2e60ULL}, {"Q6_K", 0xab126da9a2716b7cULL},
  };
  for (const KernelTable* kernels : AllKernels()) {
    size_t i = 0;
    for (const DType type : kAllTypes) Check(*kernels, kGolden[i++], HashOfProducts(*kernels, type));
  }
}

TEST("row steps and attention hash to their golden numbers on every kernel set") {
  for (const KernelTable* kernels : AllKernels()) {
    Check(*kernels, {"rows", 0x239b464354887200ULL}, HashOfRows(*kernels));
    Check(*kernels, {"attention 16 f16", 0xd5a55038ca7d377eULL}, HashOfAttention(*kernels, 16, KvType::kF16));
    Check(*kernels, {"attention 64 f16", 0x2759f257225d3863ULL}, HashOfAttention(*kernels, 64, KvType::kF16));
    Check(*kernels, {"attention 20 f32", 0x2378b61f422541cbULL}, HashOfAttention(*kernels, 20, KvType::kF32));
    Check(*kernels, {"attention 128 f32", 0x8eb25da92b9d5a81ULL}, HashOfAttention(*kernels, 128, KvType::kF32));
    Check(*kernels, {"attention 20 q8", 0x9a3a9a6aeb46f9b4ULL}, HashOfAttention(*kernels, 20, KvType::kQ8));
    Check(*kernels, {"attention 128 q8", 0x4ae4b5e058f22005ULL}, HashOfAttention(*kernels, 128, KvType::kQ8));
  }
}

}  // namespace
}  // namespace tf::test

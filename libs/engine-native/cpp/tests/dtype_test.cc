// Block formats: unpacking as the formats define it, and the packed layouts' sizes.
#include "tests/definition.h"
#include "tests/inputs.h"
#include "tests/test.h"

namespace tf {
namespace {
#include "backend/cpu/kernels/generic/layouts.inl"
}
}  // namespace tf

namespace tf::test {
namespace {

TEST("unpacking gives the values that the formats define, bit for bit") {
  Dice dice(1);
  for (const DType type : kAllTypes) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    const size_t n = info.block_values * 200;
    for (const Codes codes : {Codes::kRandom, Codes::kAllOnes, Codes::kAllZeros, Codes::kLowest}) {
      const std::vector<uint8_t> blocks = RandomBlocks(dice, info, n, codes);
      std::vector<float> values(n), expected(n);
      Dequantize(info, blocks.data(), n, values.data());
      for (size_t i = 0; i < n; ++i) {
        const uint8_t* block = blocks.data() + i / info.block_values * info.block_bytes;
        if (info.block_values == 1) {
          expected[i] = FloatWeight(type, block);
          continue;
        }
        const Block b = Decode(type, block);
        const size_t at = i % info.block_values;
        const int sub = static_cast<int>(at) / b.sub;
        const float scale = b.sub == 32 && !b.has_dmin ? b.d : b.d * static_cast<float>(b.scale[sub]);
        const float product = scale * static_cast<float>(b.code[at]);
        expected[i] = b.has_dmin ? product - b.dmin * static_cast<float>(b.min[sub])
                      : b.has_m  ? product + b.m
                                 : product;
      }
      const size_t at = FirstDifference(values.data(), expected.data(), n);
      EXPECT(at == n, info.name << " value " << at << " is " << values[at] << ", not " << expected[at]);
    }
  }
}

// One-hot rows read single weights back out of the packed planes. Codes are exact in float at scale 1.
TEST("packed planes hold the codes of the blocks") {
  Dice dice(2);
  for (const DType type : kAllTypes) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    const size_t k = info.block_values == 1 ? 40 : info.block_values, n = 13;
    const std::vector<uint8_t> blocks = RandomBlocks(dice, info, n * k);
    PackedMatrix matrix = Pack(*ScalarKernels(), info, blocks, n, k);
    const RowForm form = InfoOf(matrix.layout).rows;
    std::vector<float> x(k), y(16);
    RowMemory row(1, (k + 255) / 256 * 256);
    for (size_t i = 0; i < k; ++i) {
      std::fill(x.begin(), x.end(), 0.0f);
      // 127 or 32767 codes of 1: the row's scale is then 1.
      x[i] = form == RowForm::kFloat ? 1.0f : form == RowForm::kQ32Wide ? 32767.0f : 127.0f;
      ScalarKernels()->quantize(x.data(), k, form, row.view, 0);
      MatmulArgs args;
      args.weights = &matrix;
      args.quant = row.view;
      args.floats = {x.data(), k};
      args.y = y.data();
      args.y_stride = 16;
      args.split = k;
      args.row_end = 1;
      args.panel_end = matrix.num_panels();
      ScalarKernels()->matmul(args);
      for (size_t column = 0; column < n; ++column) {
        std::vector<float> values(k);
        Dequantize(info, blocks.data() + column * k / info.block_values * info.block_bytes, k, values.data());
        const double expected = static_cast<double>(values[i]) * x[i];
        EXPECT(std::fabs(y[column] - expected) <= 1e-5 * std::fabs(expected) + 1e-4,
               info.name << " column " << column << " k " << i << ": " << y[column] << ", not " << expected);
      }
    }
  }
}

TEST("the kernels' constant layouts are the layouts of the packer") {
  for (const DType type : kAllTypes) {
    const Layout layout = LayoutFor(type);
    const LayoutInfo info = InfoOf(layout), constant = InfoOfConstant(layout);
    const DTypeInfo& dtype = *FindDType(static_cast<int32_t>(type));
    EXPECT(info.block == dtype.block_values, dtype.name);
    EXPECT(info.rows == constant.rows && info.block == constant.block && info.column_bytes == constant.column_bytes,
           dtype.name);
  }
  EXPECT(FindDType(9) == nullptr && FindDType(-1) == nullptr && FindDType(1000) == nullptr);
}

}  // namespace
}  // namespace tf::test

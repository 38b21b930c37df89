// Products: every layout and kernel set against the definition in docs/exactness.md, bit for bit.
#include <algorithm>

#include "tests/definition.h"
#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

size_t RoundUp(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Cuts [0, n) in random pieces, in random order.
std::vector<std::pair<size_t, size_t>> Cuts(Dice& dice, size_t n, size_t largest) {
  std::vector<std::pair<size_t, size_t>> pieces;
  for (size_t at = 0; at < n;) {
    const size_t end = std::min(n, at + dice.Whole(1, largest));
    pieces.push_back({at, end});
    at = end;
  }
  for (size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[dice.Whole(0, i - 1)]);
  return pieces;
}

struct Problem {
  const DTypeInfo* type;
  size_t n, k, rows, split;
  std::vector<uint8_t> weights;
  std::vector<float> x, bias, before;
  bool accumulate;
};

// Runs it on one kernel set, cut at random, rows and strides padded with NaN, and compares with `expected`.
void Check(Dice& dice, const Problem& p, const std::vector<float>& expected, const KernelTable& kernels) {
  PackedMatrix matrix = Pack(kernels, *p.type, p.weights, p.n, p.k);
  matrix.split = p.split;
  const size_t padded = matrix.padded_n(), y_stride = padded + 8 * dice.Whole(0, 2);
  std::vector<float> bias(padded);
  if (!p.bias.empty()) {
    std::copy(p.bias.begin(), p.bias.end(), bias.begin());
    matrix.bias = bias.data();
  }
  const RowForm form = InfoOf(matrix.layout).rows;
  RowMemory quantized(form == RowForm::kFloat ? 0 : p.rows, RoundUp(p.k, 256) + 256 * dice.Whole(0, 1));
  MatmulArgs args;
  args.weights = &matrix;
  args.quant = quantized.view;
  args.floats = {p.x.data(), p.k};
  if (form != RowForm::kFloat) {
    for (size_t row = 0; row < p.rows; ++row) {
      kernels.quantize(p.x.data() + row * p.k, p.k, form, quantized.view, row);
    }
  }
  std::vector<float> y(p.rows * y_stride, NAN);
  if (p.accumulate) {
    for (size_t row = 0; row < p.rows; ++row) {
      std::copy_n(p.before.begin() + static_cast<ptrdiff_t>(row * p.n), p.n,
                  y.begin() + static_cast<ptrdiff_t>(row * y_stride));
    }
  }
  args.y = y.data();
  args.y_stride = y_stride;
  args.accumulate = p.accumulate;
  args.split = p.split;
  std::vector<uint8_t> scratch(MatmulScratchBytes(p.k));
  if (dice.Chance(0.5)) args.scratch = scratch.data();
  for (const auto& [row_begin, row_end] : Cuts(dice, p.rows, p.rows)) {
    for (const auto& [panel_begin, panel_end] : Cuts(dice, matrix.num_panels(), 5)) {
      args.row_begin = row_begin;
      args.row_end = row_end;
      args.panel_begin = panel_begin;
      args.panel_end = panel_end;
      kernels.matmul(args);
    }
  }
  for (size_t row = 0; row < p.rows; ++row) {
    const size_t at = FirstDifference(y.data() + row * y_stride, expected.data() + row * p.n, p.n);
    EXPECT(at == p.n, p.type->name << " " << kernels.name << " rows " << p.rows << " n " << p.n << " k " << p.k
                                   << " split " << p.split << ": row " << row << " column " << at << " is "
                                   << y[row * y_stride + at] << ", not " << expected[row * p.n + at]);
    for (size_t i = padded; i < y_stride; ++i) EXPECT(std::isnan(y[row * y_stride + i]), "wrote past the columns");
  }
}

std::vector<float> Defined(const Problem& p) {
  std::vector<float> y = DefinedProduct(*p.type, p.weights, p.n, p.k, p.split, p.x);
  for (size_t i = 0; i < y.size(); ++i) {
    if (!p.bias.empty()) y[i] = y[i] + p.bias[i % p.n];
    if (p.accumulate) y[i] = p.before[i] + y[i];
  }
  return y;
}

void CheckAll(Dice& dice, const Problem& p) {
  const std::vector<float> expected = Defined(p);
  for (const KernelTable* kernels : AllKernels()) Check(dice, p, expected, *kernels);
}

Problem RandomProblem(Dice& dice, const DTypeInfo& type, size_t rows, Codes codes = Codes::kRandom) {
  Problem p;
  p.type = &type;
  p.rows = rows;
  p.n = dice.Whole(1, 70);
  const bool is_float = type.block_values == 1;
  p.k = is_float ? dice.Whole(1, 400) : dice.Whole(1, 1024 / type.block_values) * type.block_values;
  p.split = p.k;
  if (dice.Chance(0.5)) {
    p.split = is_float ? dice.Whole(0, p.k) : dice.Whole(0, p.k / type.block_values) * type.block_values;
  }
  p.weights = RandomBlocks(dice, type, p.n * p.k, codes);
  p.x = dice.Normals(p.rows * p.k, dice.Pick({1.0f, 100.0f, 1e-3f}));
  for (float& x : p.x) {
    if (dice.Chance(0.02)) x = dice.Pick({0.0f, -0.0f, 40.0f, -40.0f});
  }
  // A row of zeros, and a row whose first block is zero.
  if (rows > 3) std::fill_n(p.x.begin(), p.k, 0.0f);
  if (rows > 4) std::fill_n(p.x.begin() + static_cast<ptrdiff_t>(p.k), std::min<size_t>(p.k, 256), -0.0f);
  if (dice.Chance(0.3)) p.bias = dice.Normals(p.n);
  p.accumulate = dice.Chance(0.4);
  if (p.accumulate) p.before = dice.Normals(p.rows * p.n);
  return p;
}

TEST("products of every type equal the definition, for any shape, cut, split, bias and accumulation") {
  Dice dice(1);
  for (const DType type : kAllTypes) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    for (int i = 0; i < Repeat(24); ++i) CheckAll(dice, RandomProblem(dice, info, dice.Whole(1, 12)));
    for (int i = 0; i < Repeat(4); ++i) CheckAll(dice, RandomProblem(dice, info, dice.Whole(13, 70)));
  }
}

// The largest sums a 16-bit partial sum can see: every code at an end of its range against saturated activations of
// one sign, of the other, and of the sign pattern that the codes have.
TEST("codes and activations at the ends of their ranges overflow nothing") {
  Dice dice(2);
  for (const DType type : kAllTypes) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    if (info.block_values == 1) continue;
    for (const Codes codes : {Codes::kAllOnes, Codes::kAllZeros, Codes::kLowest, Codes::kRandom}) {
      for (int pattern = 0; pattern < 6; ++pattern) {
        Problem p;
        p.type = &info;
        p.n = 11;
        p.k = p.split = info.block_values * dice.Whole(1, 2);
        p.rows = 5;
        p.accumulate = false;
        p.weights = RandomBlocks(dice, info, p.n * p.k, codes);
        // Any sub-scales the format can hold come with the bytes; these patterns meet them with +-limit everywhere.
        p.x.resize(p.rows * p.k);
        for (size_t i = 0; i < p.x.size(); ++i) {
          const bool negative = pattern == 0   ? false
                                : pattern == 1 ? true
                                : pattern == 2 ? i % 2 == 0
                                : pattern == 3 ? i / 2 % 2 == 0
                                : pattern == 4 ? i / 16 % 2 == 0
                                               : dice.Chance(0.5);
          p.x[i] = negative ? -3.0f : 3.0f;
        }
        CheckAll(dice, p);
      }
    }
  }
}

// Every pair of a code byte and a saturated activation, where a table or a sign trick could go wrong.
TEST("every nibble and every signed byte meets the lowest and the highest activation") {
  Dice dice(3);
  for (const DType type : {DType::kQ8_0, DType::kIQ4_NL, DType::kMXFP4, DType::kQ4_0, DType::kQ5_0}) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    Problem p;
    p.type = &info;
    p.n = 256;
    p.k = p.split = 32;
    p.rows = 3;
    p.accumulate = false;
    p.weights = RandomBlocks(dice, info, p.n * p.k);
    const size_t header = info.block_bytes - (type == DType::kQ8_0 ? 32 : 16);
    for (size_t column = 0; column < p.n; ++column) {
      std::memset(p.weights.data() + column * info.block_bytes + header, static_cast<int>(column),
                  info.block_bytes - header);
    }
    p.x.assign(p.rows * p.k, 1.0f);
    for (size_t i = 0; i < p.k; ++i) {
      p.x[p.k + i] = -1.0f;
      p.x[2 * p.k + i] = i % 3 == 0 ? -1.0f : 1.0f;
    }
    CheckAll(dice, p);
  }
}

// A product of row r is the same among 70 rows, alone, and at any place.
TEST("a row's product depends on the row alone") {
  Dice dice(4);
  for (const DType type : kAllTypes) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    Problem all = RandomProblem(dice, info, 70);
    all.accumulate = false;
    const std::vector<float> expected = Defined(all);
    for (int i = 0; i < Repeat(6); ++i) {
      const size_t begin = dice.Whole(0, 69), rows = dice.Whole(1, 70 - begin);
      Problem some = all;
      some.rows = rows;
      some.x.assign(all.x.begin() + static_cast<ptrdiff_t>(begin * all.k),
                    all.x.begin() + static_cast<ptrdiff_t>((begin + rows) * all.k));
      const std::vector<float> part(expected.begin() + static_cast<ptrdiff_t>(begin * all.n),
                                    expected.begin() + static_cast<ptrdiff_t>((begin + rows) * all.n));
      for (const KernelTable* kernels : AllKernels()) Check(dice, some, part, *kernels);
    }
  }
}

TEST("packing with an order of rows equals packing the ordered rows") {
  Dice dice(5);
  for (const DType type : kAllTypes) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    const size_t n = dice.Whole(9, 30), k = info.block_values == 1 ? 33 : info.block_values * 2;
    const size_t row_bytes = k / info.block_values * info.block_bytes;
    const std::vector<uint8_t> blocks = RandomBlocks(dice, info, n * k);
    std::vector<uint32_t> order(n);
    std::vector<uint8_t> ordered(blocks.size());
    for (size_t i = 0; i < n; ++i) {
      order[i] = static_cast<uint32_t>((i * 7 + 3) % n);
      std::memcpy(ordered.data() + i * row_bytes, blocks.data() + order[i] * row_bytes, row_bytes);
    }
    for (const KernelTable* kernels : AllKernels()) {
      const PackedMatrix a = Pack(*kernels, info, blocks, n, k, order.data()), b = Pack(*kernels, info, ordered, n, k);
      EXPECT(std::memcmp(a.data.data(), b.data.data(), a.data.size()) == 0, info.name << " " << kernels->name);
    }
  }
}

}  // namespace
}  // namespace tf::test

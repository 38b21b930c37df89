// Halves: our software conversions, and the ones of each kernel set, over all halves.
#include "tests/definition.h"
#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

// To the nearest half by arithmetic in double, ties to even.
uint16_t PlainToHalf(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(static_cast<double>(value));
  if (size >= 65520.0) return sign | 0x7c00;
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const int units = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<uint16_t>(sign + (exponent + 14) * 1024 + units);
}

bool IsNanHalf(uint32_t half) { return (half & 0x7fff) > 0x7c00; }

TEST("every half widens to its value, and narrows back to itself") {
  for (uint32_t half = 0; half < 65536; ++half) {
    const float wide = HalfToFloat(static_cast<uint16_t>(half));
    if (IsNanHalf(half)) {
      EXPECT(std::isnan(wide));
      EXPECT(IsNanHalf(FloatToHalf(wide)));
      continue;
    }
    const uint8_t bytes[2] = {static_cast<uint8_t>(half), static_cast<uint8_t>(half >> 8)};
    if ((half & 0x7fff) == 0x7c00) {
      EXPECT(std::isinf(wide) && std::signbit(wide) == (half >= 0x8000));
    } else {
      EXPECT(Bits(wide) == Bits(PlainHalf(bytes)), half);
    }
    EXPECT(FloatToHalf(wide) == half, half);
  }
}

// Each half, the floats beside it, and the midpoints to the next half with the floats beside them.
std::vector<float> HardFloats() {
  std::vector<float> values;
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const double a = HalfToFloat(static_cast<uint16_t>(half));
    const double b = half == 0x7bff ? 65536.0 : HalfToFloat(static_cast<uint16_t>(half + 1));
    for (const double center : {a, (a + b) / 2}) {
      const float x = static_cast<float>(center);
      for (const float y : {x, std::nextafter(x, 0.0f), std::nextafter(x, INFINITY)}) {
        values.push_back(y);
        values.push_back(-y);
      }
    }
  }
  Dice dice(1);
  for (int i = 0; i < Repeat(400000); ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(dice.Bits()));
    if (!std::isnan(x)) values.push_back(x);
  }
  for (const float x : {INFINITY, 65504.0f, 65519.996f, 65520.0f, 1e30f, 0x1p-149f, 0x1p-25f, 0x1.000002p-25f}) {
    values.push_back(x);
    values.push_back(-x);
  }
  return values;
}

TEST("floats narrow to the nearest half, ties to even, on every kernel set") {
  std::vector<float> values = HardFloats();
  values.resize((values.size() + 255) / 256 * 256);
  std::vector<uint8_t> block(KvBlockBytes(KvType::kF16, 256));
  for (const KernelTable* kernels : AllKernels()) {
    for (size_t i = 0; i < values.size(); i += 256) {
      kernels->store_value(values.data() + i, 256, 0, KvType::kF16, block.data());
      const uint8_t* stored = block.data() + KeyBlockValues(256) * 2;
      for (size_t j = 0; j < 256; ++j) {
        const uint32_t half = stored[2 * j] + 256u * stored[2 * j + 1];
        EXPECT(half == PlainToHalf(values[i + j]), kernels->name << " " << values[i + j] << " gives " << half);
      }
    }
  }
  for (const float x : values) EXPECT(FloatToHalf(x) == PlainToHalf(x), x);
}

TEST("every half and bfloat is widened exactly inside the products of every kernel set") {
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    std::vector<uint8_t> weights(65536 * 2);
    for (uint32_t half = 0; half < 65536; ++half) {
      weights[2 * half] = static_cast<uint8_t>(half);
      weights[2 * half + 1] = static_cast<uint8_t>(half >> 8);
    }
    const float one = 1.0f;
    std::vector<float> y(65536);
    MatmulArgs args;
    args.floats = {&one, 1};
    args.y = y.data();
    args.y_stride = y.size();
    args.split = args.row_end = 1;
    for (const KernelTable* kernels : AllKernels()) {
      const PackedMatrix matrix = Pack(*kernels, info, weights, 65536, 1);
      args.weights = &matrix;
      args.panel_end = matrix.num_panels();
      kernels->matmul(args);
      for (uint32_t half = 0; half < 65536; ++half) {
        const uint16_t bits = static_cast<uint16_t>(half);
        // A sum from +0 turns -0 to +0.
        const float expected = (type == DType::kF16 ? HalfToFloat(bits) : BfloatToFloat(bits)) + 0.0f;
        EXPECT(std::isnan(expected) ? std::isnan(y[half]) : Bits(y[half]) == Bits(expected),
               info.name << " " << kernels->name << " " << half << ": " << y[half]);
      }
    }
  }
}

}  // namespace
}  // namespace tf::test

// What happens to a row between products: against the definition, across sets, and against libm in double.
#include <algorithm>
#include <cmath>

#include "tests/definition.h"
#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

void ExpectSame(const std::vector<float>& got, const std::vector<float>& expected, const char* what,
                const KernelTable* kernels) {
  const size_t at = FirstDifference(got.data(), expected.data(), expected.size());
  EXPECT(at == expected.size(), what << " " << kernels->name << " n " << expected.size() << " at " << at << ": "
                                     << got[at] << ", not " << expected[at]);
}

size_t AnyLength(Dice& dice) { return dice.Chance(0.5) ? dice.Whole(1, 40) : dice.Whole(41, 700); }

// Of every magnitude, zeros among them.
std::vector<float> AnyFloats(Dice& dice, size_t n, int lowest = -30, int highest = 20) {
  std::vector<float> x(n);
  for (float& value : x) {
    value = std::ldexp(dice.Normal(), static_cast<int>(dice.Whole(0, static_cast<size_t>(highest - lowest))) + lowest);
    if (dice.Chance(0.05)) value = dice.Pick({0.0f, -0.0f});
  }
  return x;
}

TEST("rounding activations equals the definition, sums included") {
  Dice dice(1);
  for (int i = 0; i < Repeat(120); ++i) {
    const size_t n = 256 * dice.Whole(1, 3);
    std::vector<float> x = dice.Chance(0.5) ? AnyFloats(dice, n) : dice.Normals(n);
    if (dice.Chance(0.3)) std::fill_n(x.begin(), 256, dice.Pick({0.0f, -0.0f}));
    // Ties of nearest even: amax 127 (or 32767) makes the factor 1.
    if (dice.Chance(0.3)) {
      for (size_t j = 0; j < n; ++j)
        x[j] = j % 32 == 0 ? 127.0f : static_cast<float>(dice.Whole(0, 252)) * 0.5f - 63.0f;
    }
    for (const KernelTable* kernels : AllKernels()) {
      RowMemory rows(2, n);
      kernels->quantize(x.data(), n, RowForm::kQ32, rows.view, 1);
      kernels->quantize(x.data(), n, RowForm::kQ32Wide, rows.view, 0);
      const std::vector<int16_t> wide_codes = rows.WideCodes(*kernels, 0);
      for (size_t b = 0; b < n / 32; ++b) {
        const RoundedBlock narrow = RoundBlock(x.data() + 32 * b, 32, 127);
        int sum = 0;
        for (size_t j = 0; j < 32; ++j) {
          EXPECT(rows.codes[n + 32 * b + j] == narrow.code[j]);
          sum += narrow.code[j];
        }
        const size_t at = n / 32 + b;
        EXPECT(Bits(rows.scale[at]) == Bits(narrow.scale) && rows.sum[at] == sum);
        EXPECT(Bits(rows.scaled_sum[at]) == Bits(narrow.scale * static_cast<float>(sum)));
        const RoundedBlock wide = RoundBlock(x.data() + 32 * b, 32, 32767);
        for (size_t j = 0; j < 32; ++j) EXPECT(wide_codes[32 * b + j] == wide.code[j], kernels->name);
        EXPECT(Bits(rows.scale[b]) == Bits(wide.scale), kernels->name);
      }
      kernels->quantize(x.data(), n, RowForm::kQ256, rows.view, 1);
      for (size_t b = 0; b < n / 256; ++b) {
        const RoundedBlock block = RoundBlock(x.data() + 256 * b, 256, 127);
        EXPECT(Bits(rows.scale[n / 256 + b]) == Bits(block.scale));
        for (size_t s = 0; s < 16; ++s) {
          int sum = 0;
          for (size_t j = 0; j < 16; ++j) {
            EXPECT(rows.codes[n + 256 * b + 16 * s + j] == block.code[16 * s + j]);
            sum += block.code[16 * s + j];
          }
          EXPECT(rows.sum16[n / 16 + 16 * b + s] == sum);
        }
        for (size_t s = 0; s < 8; ++s) {
          const int16_t* halves = rows.sum16.data() + n / 16 + 16 * b + 2 * s;
          EXPECT(rows.sum32[n / 32 + 8 * b + s] == halves[0] + halves[1]);
        }
      }
    }
  }
}

// limit / amax is infinite below about 1e-34 (1e-37): such codes are 0, as no CPU agrees with another on infinity.
TEST("activations too small for their factor round to 0 on every kernel set") {
  Dice dice(2);
  for (const float size : {1e-33f, 1e-35f, 1e-37f, 1e-38f, 1e-40f, 1e-44f}) {
    std::vector<float> x = dice.Normals(256);
    for (float& value : x) value *= size;
    x[3] = 0.0f;
    for (const RowForm form : {RowForm::kQ32, RowForm::kQ32Wide, RowForm::kQ256}) {
      RowMemory expected(1, 256);
      ScalarKernels()->quantize(x.data(), 256, form, expected.view, 0);
      for (const KernelTable* kernels : AllKernels()) {
        RowMemory rows(1, 256);
        kernels->quantize(x.data(), 256, form, rows.view, 0);
        Hash got, wanted;
        rows.AddTo(got, *kernels, form);
        expected.AddTo(wanted, *ScalarKernels(), form);
        EXPECT(got.value() == wanted.value(), kernels->name << " amax about " << size);
        // Where limit / amax is infinite the code is 0. x86 and ARM convert infinities to different whole numbers, so
        // sets of one machine that agree are not enough.
        const size_t block = form == RowForm::kQ256 ? 256 : 32;
        for (size_t i = 0; i < 256; ++i) {
          float amax = 0;
          for (size_t j = i / block * block; j < (i / block + 1) * block; ++j) amax = std::fmax(amax, std::fabs(x[j]));
          if (!std::isinf((form == RowForm::kQ32Wide ? 32767.0f : 127.0f) / amax)) continue;
          EXPECT(rows.codes[i] == 0 && rows.WideCodes(*kernels, 0)[i] == 0, kernels->name << " amax " << amax << " at " << i);
        }
      }
    }
  }
}

TEST("the scale of a block with a NaN is NaN, wherever it stands") {
  Dice dice(9);
  for (const RowForm form : {RowForm::kQ32, RowForm::kQ32Wide, RowForm::kQ256}) {
    const size_t block = form == RowForm::kQ256 ? 256 : 32;
    for (size_t at = 0; at < block; ++at) {
      std::vector<float> x = dice.Normals(512);
      x[256 + at] = NAN;
      for (const KernelTable* kernels : AllKernels()) {
        RowMemory rows(1, 512);
        kernels->quantize(x.data(), 512, form, rows.view, 0);
        for (size_t b = 0; b < 512 / block; ++b) {
          EXPECT(std::isnan(rows.scale[b]) == (b == 256 / block), kernels->name << " block " << b << " at " << at);
        }
      }
    }
  }
}

TEST("e^NaN is NaN in every function built on it") {
  for (const KernelTable* kernels : AllKernels()) {
    std::vector<float> nan(11, NAN), ones(11, 1.0f), y(11);
    kernels->silu_mul(nan.data(), ones.data(), y.data(), y.size());
    for (const float value : y) EXPECT(std::isnan(value), kernels->name);
    kernels->gelu_mul(nan.data(), ones.data(), y.data(), y.size());
    for (const float value : y) EXPECT(std::isnan(value), kernels->name);
    kernels->softcap(nan.data(), 30.0f, nan.size());
    for (const float value : nan) EXPECT(std::isnan(value), kernels->name);
  }
}

TEST("norms equal the definition, in place too, and are near the double result") {
  Dice dice(3);
  for (int i = 0; i < Repeat(200); ++i) {
    const size_t n = AnyLength(dice);
    const std::vector<float> x = dice.Normals(n, dice.Pick({1.0f, 1e-4f, 1e4f})), weight = dice.Normals(n);
    const float eps = dice.Pick({1e-5f, 1e-6f});
    const std::vector<float> expected = DefinedRmsNorm(x, weight, eps);
    double squares = 0;
    for (const float value : x) squares += static_cast<double>(value) * value;
    const double r = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
    for (size_t j = 0; j < n; ++j) {
      const double exact = x[j] * r * weight[j];
      EXPECT(std::fabs(expected[j] - exact) <= 2e-6 * std::fabs(exact));
    }
    for (const KernelTable* kernels : AllKernels()) {
      std::vector<float> y(n);
      kernels->rms_norm(x.data(), weight.data(), eps, n, y.data());
      ExpectSame(y, expected, "rms_norm", kernels);
      std::vector<float> in_place = x;
      kernels->rms_norm(in_place.data(), weight.data(), eps, n, in_place.data());
      ExpectSame(in_place, expected, "rms_norm in place", kernels);
    }
  }
}

TEST("rotations, scales and additions equal the definition, over odd lengths") {
  Dice dice(4);
  for (int i = 0; i < Repeat(200); ++i) {
    const size_t half = dice.Whole(1, 140);
    const std::vector<float> x = AnyFloats(dice, 2 * half), cosines = dice.Normals(half), sines = dice.Normals(half);
    std::vector<float> turned(2 * half), scaled(2 * half), sum(2 * half);
    const float factor = dice.Normal();
    const std::vector<float> y = AnyFloats(dice, 2 * half);
    for (size_t j = 0; j < half; ++j) {
      const float u = x[j], v = x[half + j];
      turned[j] = std::fma(u, cosines[j], -(v * sines[j]));
      turned[half + j] = std::fma(v, cosines[j], u * sines[j]);
    }
    for (size_t j = 0; j < 2 * half; ++j) {
      scaled[j] = x[j] * factor;
      sum[j] = x[j] + y[j];
    }
    for (const KernelTable* kernels : AllKernels()) {
      std::vector<float> a = x, b = x, c = x;
      kernels->rope(a.data(), cosines.data(), sines.data(), half);
      kernels->scale(b.data(), factor, b.size());
      kernels->add(c.data(), y.data(), c.size());
      // 0 - v * s and -(v * s) differ in the sign of a zero product only, which the sum hides unless both are zero.
      for (float& value : a) value += 0.0f;
      for (float& value : turned) value += 0.0f;
      ExpectSame(a, turned, "rope", kernels);
      ExpectSame(b, scaled, "scale", kernels);
      ExpectSame(c, sum, "add", kernels);
    }
  }
}

float DefinedSilu(float g, float u) { return g / (1.0f + DefinedExp(0.0f - g)) * u; }
float DefinedGelu(float g, float u) {
  const float inner = std::fma((g * g) * g, 0.044715f, g) * 0.797884561f;
  return (0.5f * g) * (1.0f + DefinedTanh(inner)) * u;
}

TEST("silu, gelu and softcap equal the definition and are near libm") {
  Dice dice(5);
  for (int i = 0; i < Repeat(200); ++i) {
    const size_t n = AnyLength(dice);
    const std::vector<float> gate = AnyFloats(dice, n, -20, 7), up = dice.Normals(n);
    const float cap = dice.Pick({30.0f, 50.0f, 2.5f});
    std::vector<float> silu(n), gelu(n), capped(n);
    for (size_t j = 0; j < n; ++j) {
      silu[j] = DefinedSilu(gate[j], up[j]);
      gelu[j] = DefinedGelu(gate[j], up[j]);
      capped[j] = cap * DefinedTanh(gate[j] / cap);
      const double g = gate[j], u = up[j];
      EXPECT(std::fabs(silu[j] - g / (1 + std::exp(-g)) * u) <= 1e-6 * std::fabs(g * u) + 1e-30, g);
      const double exact = 0.5 * g * (1 + std::tanh(0.7978845608028654 * (g + 0.044715 * g * g * g))) * u;
      EXPECT(std::fabs(gelu[j] - exact) <= 2e-6 * std::fabs(g * u) + 1e-30, g);
      EXPECT(std::fabs(capped[j] - cap * std::tanh(g / cap)) <= 1e-6 * cap, g);
    }
    for (const KernelTable* kernels : AllKernels()) {
      std::vector<float> y(n);
      kernels->silu_mul(gate.data(), up.data(), y.data(), n);
      ExpectSame(y, silu, "silu", kernels);
      kernels->gelu_mul(gate.data(), up.data(), y.data(), n);
      ExpectSame(y, gelu, "gelu", kernels);
      std::vector<float> x = gate;
      kernels->softcap(x.data(), cap, n);
      ExpectSame(x, capped, "softcap", kernels);
    }
  }
}

// silu(g) * (1 + e^-g) = g lets e^x be read off; here over a fine grid, its ends and beyond.
TEST("e^x in float is within 2^-22, 0 below -87, and never falls") {
  float before = 0;
  for (int i = -9000; i <= 8800; ++i) {
    const float x = static_cast<float>(i) / 100;
    const float e = DefinedExp(x);
    if (x < -87.0f) {
      EXPECT(e == 0.0f);
    } else {
      EXPECT(std::fabs(e / std::exp(static_cast<double>(x)) - 1) < 0x1p-22, x);
    }
    EXPECT(e >= before, x);
    before = e;
  }
  EXPECT(DefinedExp(0.0f) == 1.0f && DefinedExp(-0.0f) == 1.0f && DefinedExp(-INFINITY) == 0.0f);
}

TEST("keys and values are stored where attention reads them, padding included") {
  Dice dice(6);
  for (int i = 0; i < Repeat(60); ++i) {
    const size_t head_dim = dice.Whole(1, 260), dim = PadToVectors(head_dim), position = dice.Whole(0, 63);
    const std::vector<float> key = dice.Normals(head_dim), value = dice.Normals(head_dim);
    for (const KvType type : {KvType::kF16, KvType::kF32}) {
      const size_t bytes = type == KvType::kF16 ? 2 : 4;
      for (const KernelTable* kernels : AllKernels()) {
        std::vector<uint8_t> expected(KvBlockBytes(type, head_dim), 0xab);
        const auto put = [&](size_t at, float x) {
          const uint16_t half = FloatToHalf(x);
          std::memcpy(expected.data() + at * bytes, type == KvType::kF16 ? static_cast<const void*>(&half) : &x, bytes);
        };
        const size_t lanes = kernels->lanes, first = position / lanes * head_dim * lanes + position % lanes;
        for (size_t d = 0; d < head_dim; ++d) put(first + d * lanes, key[d]);
        for (size_t d = 0; d < dim; ++d) {
          put(KeyBlockValues(head_dim) + position * dim + d, d < head_dim ? value[d] : 0.0f);
        }
        std::vector<uint8_t> block(expected.size(), 0xab);
        kernels->store_key(key.data(), head_dim, position, type, block.data());
        kernels->store_value(value.data(), head_dim, position, type, block.data());
        EXPECT(block == expected, kernels->name << " head_dim " << head_dim << " position " << position);
      }
    }
  }
}

TEST("q8 keys and values are codes and scales where the layout says, and nothing else is written") {
  Dice dice(11);
  for (int i = 0; i < Repeat(60); ++i) {
    const size_t head_dim = dice.Whole(1, 260), dim = PadToVectors(head_dim), position = dice.Whole(0, 63);
    const size_t groups = (head_dim + 31) / 32;
    std::vector<float> key = dice.Normals(head_dim), value = dice.Normals(head_dim);
    if (dice.Chance(0.2)) std::fill(key.begin(), key.end(), 0.0f);
    if (dice.Chance(0.2)) value[0] = 1e-39f;
    for (const KernelTable* kernels : AllKernels()) {
      const size_t lanes = kernels->lanes;
      std::vector<uint8_t> expected(KvBlockBytes(KvType::kQ8, head_dim), 0xab);
      uint8_t* values = expected.data() + KeyBlockBytes(KvType::kQ8, head_dim);
      for (size_t g = 0; g < groups; ++g) {
        const size_t first = 32 * g, count = std::min<size_t>(32, head_dim - first);
        std::vector<float> k(32, 0.0f), v(32, 0.0f);
        std::copy_n(key.begin() + static_cast<ptrdiff_t>(first), count, k.begin());
        std::copy_n(value.begin() + static_cast<ptrdiff_t>(first), count, v.begin());
        const RoundedBlock of_key = RoundBlock(k.data(), 32, 127), of_value = RoundBlock(v.data(), 32, 127);
        for (size_t d = 0; d < count; ++d) {
          expected[position / lanes * head_dim * lanes + (first + d) * lanes + position % lanes] = static_cast<uint8_t>(of_key.code[d]);
        }
        for (size_t d = 0; d < std::min<size_t>(32, dim - first); ++d) {
          values[position * dim + first + d] = static_cast<uint8_t>(of_value.code[d]);
        }
        std::memcpy(expected.data() + 64 * head_dim + 4 * (position / lanes * groups * lanes + g * lanes + position % lanes),
                    &of_key.scale, 4);
        std::memcpy(values + 64 * dim + 4 * (position * groups + g), &of_value.scale, 4);
      }
      std::vector<uint8_t> block(expected.size(), 0xab);
      kernels->store_key(key.data(), head_dim, position, KvType::kQ8, block.data());
      kernels->store_value(value.data(), head_dim, position, KvType::kQ8, block.data());
      EXPECT(block == expected, kernels->name << " head_dim " << head_dim << " position " << position);
    }
  }
}

TEST("argmax is the first of the largest, over any length") {
  Dice dice(7);
  for (int i = 0; i < Repeat(300); ++i) {
    std::vector<float> x = dice.Normals(AnyLength(dice));
    for (float& value : x) value = std::round(value);  // many ties
    if (dice.Chance(0.1)) std::fill(x.begin(), x.end(), -INFINITY);
    const size_t expected = static_cast<size_t>(std::max_element(x.begin(), x.end()) - x.begin());
    for (const KernelTable* kernels : AllKernels()) {
      EXPECT(kernels->argmax(x.data(), x.size()) == expected, kernels->name << " n " << x.size());
    }
  }
}

TEST("a NaN is found wherever it stands; infinities pass") {
  Dice dice(8);
  for (int i = 0; i < Repeat(200); ++i) {
    std::vector<float> x = dice.Normals(AnyLength(dice));
    x[dice.Whole(0, x.size() - 1)] = dice.Pick({INFINITY, -INFINITY});
    for (const KernelTable* kernels : AllKernels()) EXPECT(kernels->all_finite(x.data(), x.size()), kernels->name);
    x[dice.Whole(0, x.size() - 1)] = dice.Pick({NAN, -NAN});
    for (const KernelTable* kernels : AllKernels()) EXPECT(!kernels->all_finite(x.data(), x.size()), kernels->name);
  }
}

}  // namespace
}  // namespace tf::test

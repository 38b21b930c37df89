// Reproducible inputs: dice, random blocks of every weight type, bit comparison, hashes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backend/cpu/dispatch.h"
#include "backend/cpu/packed_matrix.h"
#include "base/f16.h"
#include "base/random.h"
#include "tensor/dtype.h"

namespace tf::test {

constexpr DType kAllTypes[] = {DType::kF32,  DType::kF16,  DType::kBF16, DType::kQ8_0,   DType::kQ4_0,
                               DType::kQ4_1, DType::kQ5_0, DType::kQ5_1, DType::kIQ4_NL, DType::kMXFP4,
                               DType::kQ2_K, DType::kQ3_K, DType::kQ4_K, DType::kQ5_K,   DType::kQ6_K};

class Dice {
 public:
  explicit Dice(uint64_t seed) : seed_(seed) {}
  uint64_t Bits() { return RowKey(seed_, count_++); }
  double Unit() { return Uniform(seed_, count_++); }
  bool Chance(double p) { return Unit() < p; }
  // A whole number in [low, high].
  size_t Whole(size_t low, size_t high) { return low + Bits() % (high - low + 1); }
  // About normal: a sum of uniform numbers, exact in double, so the same on every machine.
  float Normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += Unit();
    return static_cast<float>(sum);
  }
  std::vector<float> Normals(size_t n, float spread = 1.0f) {
    std::vector<float> values(n);
    for (float& value : values) value = Normal() * spread;
    return values;
  }
  template <typename T>
  T Pick(std::initializer_list<T> items) {
    return items.begin()[Bits() % items.size()];
  }

 private:
  uint64_t seed_, count_ = 0;
};

inline uint32_t Bits(float x) { return std::bit_cast<uint32_t>(x); }

// Index of the first element whose bits differ, or n.
inline size_t FirstDifference(const float* a, const float* b, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (Bits(a[i]) != Bits(b[i])) return i;
  }
  return n;
}

// Order-dependent 64-bit hash of bits.
class Hash {
 public:
  void Add(uint64_t word) { state_ = Finalize64((state_ ^ word) + kGoldenGamma); }
  void Add(const float* x, size_t n) {
    for (size_t i = 0; i < n; ++i) Add(Bits(x[i]));
  }
  template <typename T>
  void AddAll(const std::vector<T>& values) {
    for (const T& value : values) {
      if constexpr (std::is_same_v<T, float>) {
        Add(Bits(value));
      } else {
        Add(static_cast<uint64_t>(static_cast<int64_t>(value)));
      }
    }
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0;
};

enum class Codes { kRandom, kAllOnes, kAllZeros, kLowest };

// Blocks of `type` with any codes, and scales near 1 / 64 (some negative, some 0, some subnormal halves).
inline std::vector<uint8_t> RandomBlocks(Dice& dice, const DTypeInfo& type, size_t num_values,
                                         Codes codes = Codes::kRandom) {
  const size_t num_blocks = num_values / type.block_values;
  std::vector<uint8_t> bytes(num_blocks * type.block_bytes);
  const auto half = [&](uint8_t* at) {
    float scale = dice.Normal() / 64.0f;
    if (codes == Codes::kRandom && dice.Chance(0.05)) scale = dice.Pick({0.0f, -0.0f, 0x1p-24f, -0x1p-20f});
    const uint16_t bits = FloatToHalf(scale);
    std::memcpy(at, &bits, 2);
  };
  for (size_t i = 0; i < num_blocks; ++i) {
    uint8_t* block = bytes.data() + i * type.block_bytes;
    for (size_t b = 0; b < type.block_bytes; ++b) {
      block[b] = codes == Codes::kAllOnes    ? 0xff
                 : codes == Codes::kAllZeros ? 0
                 : codes == Codes::kLowest   ? 0x80
                                             : static_cast<uint8_t>(dice.Bits());
    }
    switch (type.type) {
      case DType::kF32: {
        const float value = dice.Normal();
        std::memcpy(block, &value, 4);
        break;
      }
      case DType::kF16:
        half(block);
        break;
      case DType::kBF16: {
        const uint16_t value = static_cast<uint16_t>(Bits(dice.Normal()) >> 16);
        std::memcpy(block, &value, 2);
        break;
      }
      case DType::kQ4_1:
      case DType::kQ5_1:
      case DType::kQ4_K:
      case DType::kQ5_K:
        half(block);
        half(block + 2);
        break;
      case DType::kQ2_K:
        half(block + 80);
        half(block + 82);
        break;
      case DType::kQ3_K:
        half(block + 108);
        break;
      case DType::kQ6_K:
        half(block + 208);
        break;
      // 2^-13 .. 2^-2 mostly; the ends are subnormal floats and the largest powers.
      case DType::kMXFP4:
        block[0] = static_cast<uint8_t>(dice.Chance(0.03) ? dice.Whole(0, 3) : dice.Whole(115, 126));
        break;
      default:
        half(block);
    }
  }
  return bytes;
}

// The kernel sets to hold against the scalar one (itself first).
inline std::vector<const KernelTable*> AllKernels() {
  std::vector<const KernelTable*> sets = {ScalarKernels()};
  for (const KernelTable* set : AvailableKernels()) {
    if (set != ScalarKernels()) sets.push_back(set);
  }
  return sets;
}

// As the kernel set reads it.
inline PackedMatrix Pack(const KernelTable& kernels, const DTypeInfo& type, const std::vector<uint8_t>& blocks, size_t n,
                         size_t k, const uint32_t* source_row = nullptr) {
  PackedMatrix matrix;
  matrix.columns = kernels.lanes;
  matrix.layout = LayoutFor(type.type);
  matrix.k = matrix.split = k;
  matrix.n = n;
  matrix.data = HugeBuffer(matrix.num_panels() * matrix.panel_stride());
  PackPanels(type, blocks.data(), source_row, matrix, 0, matrix.num_panels());
  return matrix;
}

// Memory for rows in every form. `stride` of codes; a multiple of 256.
struct RowMemory {
  RowMemory(size_t rows, size_t stride)
      : codes(rows * stride),
        wide(rows * stride),
        scale(rows * stride / 32),
        sum(rows * stride / 32),
        scaled_sum(rows * stride / 32),
        sum16(rows * stride / 16),
        sum32(rows * stride / 32) {
    view.codes = codes.data();
    view.wide = wide.data();
    view.scale = scale.data();
    view.sum = sum.data();
    view.scaled_sum = scaled_sum.data();
    view.sum16 = sum16.data();
    view.sum32 = sum32.data();
    view.stride = stride;
  }
  std::vector<int8_t> codes;
  std::vector<int16_t> wide;
  std::vector<float> scale;
  std::vector<int32_t> sum;
  std::vector<float> scaled_sum;
  std::vector<int16_t> sum16, sum32;
  QuantRows view;

  // The int16 codes of a row that `kernels` quantized, in whichever form it keeps them.
  std::vector<int16_t> WideCodes(const KernelTable& kernels, size_t row) const {
    const int16_t* kept = view.wide + row * view.stride;
    std::vector<int16_t> plain(kept, kept + view.stride);
    if (kernels.lanes != 16) return plain;
    for (size_t i = 0; i < view.stride; ++i) {
      const uint8_t* block = reinterpret_cast<const uint8_t*>(kept) + i / 32 * 64;
      plain[i] = static_cast<int16_t>(block[i % 32] | block[32 + i % 32] << 8);
    }
    return plain;
  }

  // What every set has, of rows quantized to `form`.
  void AddTo(Hash& hash, const KernelTable& kernels, RowForm form) const {
    hash.AddAll(codes);
    for (size_t row = 0; row < wide.size() / view.stride; ++row) hash.AddAll(WideCodes(kernels, row));
    hash.AddAll(scale);
    hash.AddAll(form == RowForm::kQ32Wide ? std::vector<int32_t>(sum.size()) : sum);
    hash.AddAll(scaled_sum);
    hash.AddAll(sum16);
    hash.AddAll(sum32);
  }
};

}  // namespace tf::test

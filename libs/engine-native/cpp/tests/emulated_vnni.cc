// Only in tf_tests_vnni: the emulated VNNI instructions against plain loops, and that the set built on them takes part.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "tests/inputs.h"
#include "tests/test.h"

#define TF_INLINE inline __attribute__((always_inline))
#define TF_ISA test
#include "backend/cpu/kernels/vnni/emulated.h"

namespace tf::test {
namespace {

struct Vector {
  alignas(32) uint8_t bytes[32];

  template <typename T>
  int64_t At(int i) const {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    return value;
  }
  __m256i Load() const { return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes)); }
};

// Random bytes, or the ends of each type's range in random order.
Vector RandomVector(Dice& dice) {
  Vector v;
  const bool ends = dice.Chance(0.5);
  for (int i = 0; i < 16; ++i) {
    uint16_t word = static_cast<uint16_t>(dice.Bits());
    if (ends) word = dice.Pick<uint16_t>({0, 1, 0x7f, 0x80, 0xff, 0x7f7f, 0x7fff, 0x8000, 0x8001, 0x8080, 0xffff});
    std::memcpy(v.bytes + 2 * i, &word, 2);
  }
  return v;
}

void ExpectLanes(const char* name, __m256i result, const Vector& sum, const int64_t (&products)[8]) {
  Vector got;
  _mm256_store_si256(reinterpret_cast<__m256i*>(got.bytes), result);
  for (int i = 0; i < 8; ++i) {
    const uint32_t expected = static_cast<uint32_t>(static_cast<uint64_t>(sum.At<int32_t>(i) + products[i]));
    EXPECT(static_cast<uint32_t>(got.At<int32_t>(i)) == expected, name << ", lane " << i);
  }
}

TEST("the emulated dot products equal a loop over their bytes and words, wrapping") {
  if (Avx2Kernels() == nullptr) return Skip("this CPU has no AVX2");
  Dice dice(1);
  for (int round = 0; round < 20000; ++round) {
    const Vector sum = RandomVector(dice), a = RandomVector(dice), b = RandomVector(dice);
    int64_t bytes[8] = {}, words[8] = {};
    for (int i = 0; i < 32; ++i) bytes[i / 4] += a.At<uint8_t>(i) * b.At<int8_t>(i);
    for (int i = 0; i < 16; ++i) words[i / 2] += a.At<int16_t>(i) * b.At<int16_t>(i);
    ExpectLanes("DotBytes", DotBytes(sum.Load(), a.Load(), b.Load()), sum, bytes);
    ExpectLanes("DotWords", DotWords(sum.Load(), a.Load(), b.Load()), sum, words);
  }
}

TEST("the avxvnni set is among the tested ones, ahead of avx2") {
  if (Avx2Kernels() == nullptr) return Skip("this CPU has no AVX2");
  const std::vector<const KernelTable*> sets = AvailableKernels();
  const auto at = std::find(sets.begin(), sets.end(), FindKernels("avxvnni"));
  EXPECT(sets.end() - at >= 3 && at[1] == Avx2Kernels());
}

}  // namespace
}  // namespace tf::test

// Two builds of the products in turn: JSON on stdout. argv: BEFORE.so NOW.so. One thread.
//
// A shared machine drifts by 20 % within minutes, but hardly within the 100 microseconds that a few panels take. So both
// builds run the same panels one right after the other, and what counts is the median of the ratios. The build from
// before runs a second time as a control: how far its ratio is from 1 is how far to trust the others.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/product.h"

namespace {

struct Build {
  explicit Build(const char* path) : library(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
    Find(make, "tf_product_new");
    Find(free, "tf_product_delete");
    Find(panels, "tf_product_panels");
    Find(run, "tf_product_run");
    Find(hash, "tf_product_hash");
  }
  template <typename F>
  void Find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (function == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
  }
  void* library;
  decltype(tf_product_new)* make = nullptr;
  decltype(tf_product_delete)* free = nullptr;
  decltype(tf_product_panels)* panels = nullptr;
  decltype(tf_product_run)* run = nullptr;
  decltype(tf_product_hash)* hash = nullptr;
};

double Seconds(const Build& build, void* product, size_t begin, size_t end) {
  const auto start = std::chrono::steady_clock::now();
  build.run(product, begin, end);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double MedianOf(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

constexpr size_t kChunk = 16;    // panels of a measurement, as the model's threads claim them
constexpr size_t kPairs = 1500;  // of each case
constexpr size_t kInner = 1024;  // k
// Up to so many rows wait for weights: theirs come from memory, those of more rows from a cache.
constexpr size_t kFewRows = 4;
constexpr size_t kColumnsInMemory = 32768, kColumnsInCache = 512;

bool first_row = true;

void Compare(const Build& before, const Build& now, const char* type, size_t rows) {
  const bool streams = rows <= kFewRows;
  const size_t n = streams ? kColumnsInMemory : kColumnsInCache;
  struct Side {
    const Build& build;
    void* product;
    std::vector<double> ratios;
  };
  Side sides[] = {{before, before.make(type, n, kInner, rows), {}},
                  {now, now.make(type, n, kInner, rows), {}},
                  {before, before.make(type, n, kInner, rows), {}}};
  if (sides[0].product == nullptr) return;  // the revision does not know the type
  const size_t panels = before.panels(sides[0].product);
  size_t begin = 0;
  for (size_t pair = 0; pair < kPairs; ++pair) {
    double seconds[3];
    for (size_t i = 0; i < 3; ++i) {
      const size_t at = (pair + i) % 3;  // each follows each of the others as often
      if (!streams) sides[at].build.run(sides[at].product, begin, begin + kChunk);
      seconds[at] = Seconds(sides[at].build, sides[at].product, begin, begin + kChunk);
    }
    for (size_t i = 0; i < 3; ++i) sides[i].ratios.push_back(seconds[0] / seconds[i]);
    begin = (begin + kChunk) % (panels / kChunk * kChunk);
  }
  for (const Side& side : sides) {
    for (size_t at = 0; at < panels; at += kChunk) side.build.run(side.product, at, std::min(panels, at + kChunk));
  }
  const bool same_bits = before.hash(sides[0].product) == now.hash(sides[1].product);
  std::printf("%s{\"kernel\": \"%s %zux%zu\", \"rows\": %zu, \"rate\": %.4f, \"control\": %.4f, \"sameBits\": %s}",
              first_row ? "" : ",\n", type, n, kInner, rows, MedianOf(sides[1].ratios), MedianOf(sides[2].ratios),
              same_bits ? "true" : "false");
  first_row = false;
  for (const Side& side : sides) side.build.free(side.product);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Build before(argv[1]), now(argv[2]);
  std::printf("[");
  for (const char* type : {"F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "IQ4_NL", "MXFP4", "Q2_K", "Q3_K",
                           "Q4_K", "Q5_K", "Q6_K"}) {
    for (const size_t rows : {1, 4, 16, 64}) Compare(before, now, type, rows);
  }
  std::printf("]\n");
  return 0;
}

// Two builds of the kernels in turn: JSON on stdout. argv: BEFORE.so NOW.so THREADS.
//
// A shared machine drifts by 20 % within minutes, but hardly within the milliseconds that some products take. So both
// builds do the same work one right after the other, and what counts is the median of the ratios. The build from before
// runs a second time as a control: how far its ratio is from 1 is how far to trust the others.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "backend/cpu/kernels/kernel_table.h"
#include "base/thread_team.h"
#include "bench/work.h"

namespace {

using tf::ThreadTeam;

struct Build {
  explicit Build(const char* path) : library(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
    Find(new_product, "tf_product_new");
    Find(new_attention, "tf_attention_new");
    Find(free, "tf_work_delete");
    Find(units, "tf_work_units");
    Find(run, "tf_work_run");
    Find(hash, "tf_work_hash");
  }
  template <typename F>
  void Find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (function == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
  }
  void* library;
  decltype(tf_product_new)* new_product = nullptr;
  decltype(tf_attention_new)* new_attention = nullptr;
  decltype(tf_work_delete)* free = nullptr;
  decltype(tf_work_units)* units = nullptr;
  decltype(tf_work_run)* run = nullptr;
  decltype(tf_work_hash)* hash = nullptr;
};

double MedianOf(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

constexpr int kTurns = 100;              // of each case
constexpr size_t kOuter = 3072, kInner = 1024;
constexpr size_t kCopies = 4;            // of a side's product: three sides are more than a cache holds
constexpr size_t kCacheBytes = 64 << 20; // of keys and values, where they are to come from memory

struct Pairs {
  const Build &before, &now;
  ThreadTeam team;
  bool first_row = true;

  // make(build) is one copy of the work; null: the build does not know it. `most`: units claimed at once, at most.
  void Compare(const std::string& name, size_t rows, size_t copies, size_t most,
               const std::function<void*(const Build&)>& make);
};

void Pairs::Compare(const std::string& name, size_t rows, size_t copies, size_t most,
                    const std::function<void*(const Build&)>& make) {
  struct Side {
    const Build& build;
    std::vector<void*> work;
    std::vector<double> ratios;
  };
  Side sides[] = {{before, {}, {}}, {now, {}, {}}, {before, {}, {}}};
  for (Side& side : sides) {
    for (size_t i = 0; i < copies; ++i) side.work.push_back(make(side.build));
    if (side.work[0] == nullptr) return;
  }
  const size_t units = before.units(sides[0].work[0]);
  const auto seconds_of = [&](const Side& side) {
    const auto start = std::chrono::steady_clock::now();
    team.Run([&](int) {
      int phase = 0;
      for (void* work : side.work) {
        team.ClaimPairs(phase, units, most, [&](size_t begin, size_t end) { side.build.run(work, begin, end); });
        team.Barrier();
      }
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int turn = -1; turn < kTurns; ++turn) {  // the first does not count
    double seconds[3];
    for (int i = 0; i < 3; ++i) {
      const int at = (turn + 1 + i) % 3;  // each follows each of the others as often
      seconds[at] = seconds_of(sides[at]);
    }
    if (turn < 0) continue;
    for (int i = 0; i < 3; ++i) sides[i].ratios.push_back(seconds[0] / seconds[i]);
  }
  const bool same_bits = before.hash(sides[0].work[0]) == now.hash(sides[1].work[0]);
  std::printf("%s{\"kernel\": \"%s\", \"rows\": %zu, \"rate\": %.4f, \"control\": %.4f, \"sameBits\": %s}",
              first_row ? "" : ",\n", name.c_str(), rows, MedianOf(sides[1].ratios), MedianOf(sides[2].ratios),
              same_bits ? "true" : "false");
  first_row = false;
  for (const Side& side : sides) {
    for (void* work : side.work) side.build.free(work);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || std::atoi(argv[3]) < 1) return 2;
  const Build before(argv[1]), now(argv[2]);
  Pairs pairs{before, now, ThreadTeam(std::atoi(argv[3]))};
  std::printf("[");
  for (const char* type : {"F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "IQ4_NL", "MXFP4", "Q2_K", "Q3_K",
                           "Q4_K", "Q5_K", "Q6_K"}) {
    for (const size_t rows : {1, 4, 16, 64}) {
      pairs.Compare(std::string(type) + " " + std::to_string(kOuter) + "x" + std::to_string(kInner), rows, kCopies,
                    tf::MostPanels(rows),
                    [&](const Build& build) { return build.new_product(type, kOuter, kInner, rows); });
    }
  }
  const struct {
    size_t head_dim, group;
  } heads[] = {{128, 2}, {64, 3}};
  for (const auto [head_dim, group] : heads) {
    for (const size_t positions : {512, 2048}) {
      for (const size_t queries : {1, 8, 128}) {
        const size_t lane_bytes = positions * head_dim * 2 * sizeof(uint16_t);
        const size_t lanes = queries == 128 ? 16 : kCacheBytes / lane_bytes;
        pairs.Compare("attention, head " + std::to_string(head_dim) + ", group " + std::to_string(group) + ", " +
                          std::to_string(positions) + " positions",
                      queries, 1, 2, [&](const Build& build) {
                        return build.new_attention(head_dim, group, positions, queries, lanes);
                      });
      }
    }
  }
  std::printf("]\n");
  return 0;
}

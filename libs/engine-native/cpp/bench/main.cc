// Matmul and attention kernels against what this machine can do at most: JSON on stdout. argv: THREADS REPETITIONS.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "backend/cpu/dispatch.h"
#include "base/thread_team.h"
#include "bench/peaks.h"
#include "tests/inputs.h"

namespace tf::bench {

namespace {

// More than any cache holds: weights of a decode come from memory.
constexpr size_t kStreamBytes = size_t{256} << 20;

struct Bench {
  const KernelTable& kernels;
  ThreadTeam team;
  int repetitions;
  HugeBuffer stream;
  double peaks[kNumPeaks] = {}, best_peaks[kNumPeaks] = {};  // GOP/s of the team: now, and the highest seen
  double bandwidth = 0, best_bandwidth = 0;                  // GB/s of the team
  bool first_row = true;

  // Median seconds of run(), after one that does not count.
  double Median(const std::function<void()>& run) {
    run();
    std::vector<double> seconds;
    for (int i = 0; i < repetitions; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run();
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }

  void MeasurePeaks();
  void PrintPeaks() const;
  void MeasureMatmul(DType type, size_t n, size_t k, const std::vector<size_t>& row_counts);
  void MeasureAttention(KvType type, size_t head_dim, size_t group, size_t num_positions, size_t num_queries);
  void Print(const std::string& kernel, size_t rows, double seconds, double bytes, double operations, PeakIndex peak);
};

// Measured anew before each group of kernels: a machine that others use drifts. A group is held against its own.
void Bench::MeasurePeaks() {
  const int threads = team.num_threads();
  for (int i = 0; i < kNumPeaks; ++i) {
    std::vector<uint64_t> operations(static_cast<size_t>(threads));
    const double seconds = Median([&] {
      team.Run([&](int thread) {
        uint64_t done = 0;
        for (int burst = 0; burst < 50; ++burst) done += Peaks()[i].burst();
        operations[static_cast<size_t>(thread)] = done;
      });
    });
    peaks[i] = static_cast<double>(operations[0]) * threads / seconds / 1e9;
    best_peaks[i] = std::max(best_peaks[i], peaks[i]);
  }
  const size_t share = kStreamBytes / static_cast<size_t>(threads) / 256 * 256;
  const double seconds = Median([&] {
    team.Run([&](int thread) { ReadAll(stream.data() + share * static_cast<size_t>(thread), share); });
  });
  bandwidth = static_cast<double>(share) * threads / seconds / 1e9;
  best_bandwidth = std::max(best_bandwidth, bandwidth);
}

void Bench::PrintPeaks() const {
  std::printf("\"peaks\": [");
  for (int i = 0; i < kNumPeaks; ++i) {
    std::printf("{\"name\": \"%s\", \"unit\": \"GOP/s\", \"value\": %.2f},\n", Peaks()[i].name, best_peaks[i]);
  }
  std::printf("{\"name\": \"memory read\", \"unit\": \"GB/s\", \"value\": %.2f}]", best_bandwidth);
}

void Bench::Print(const std::string& kernel, size_t rows, double seconds, double bytes, double operations,
                  PeakIndex peak) {
  const double of_bandwidth = bytes / seconds / 1e9 / bandwidth, of_peak = operations / seconds / 1e9 / peaks[peak];
  std::printf("%s{\"kernel\": \"%s\", \"rows\": %zu, \"microseconds\": %.2f, \"gigabytesPerSecond\": %.3f, "
              "\"gigaopsPerSecond\": %.3f, \"share\": %.4f, \"bound\": \"%s\"}",
              first_row ? "" : ",\n", kernel.c_str(), rows, seconds * 1e6, bytes / seconds / 1e9,
              operations / seconds / 1e9, std::max(of_bandwidth, of_peak),
              of_bandwidth > of_peak ? "memory read" : Peaks()[peak].name);
  first_row = false;
}

// The form of arithmetic that a layout's products are built of.
PeakIndex PeakOf(Layout layout) {
  switch (layout) {
    case Layout::kU4:
    case Layout::kU4Min:
    case Layout::kK2:
    case Layout::kK3:
    case Layout::kK4: return kInt4Peak;
    case Layout::kQ8: return kInt16Peak;
    default: return InfoOf(layout).rows == RowForm::kFloat ? kFloatPeak : kInt8Peak;
  }
}

// As the model runs a product: panels claimed in chunks by the team, a barrier at the end. Rows are quantized already.
void Bench::MeasureMatmul(DType type, size_t n, size_t k, const std::vector<size_t>& row_counts) {
  MeasurePeaks();
  test::Dice dice(1);
  const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
  std::vector<PackedMatrix> copies;
  copies.push_back(test::Pack(kernels, info, test::RandomBlocks(dice, info, n * k), n, k));
  const size_t bytes = copies[0].data.size();
  while (copies.size() * bytes < kStreamBytes) {
    PackedMatrix copy;
    copy.layout = copies[0].layout;
    copy.columns = copies[0].columns;
    copy.n = n;
    copy.k = k;
    copy.split = copies[0].split;
    copy.data = HugeBuffer(bytes);
    std::copy_n(copies[0].data.data(), bytes, copy.data.data());
    copies.push_back(std::move(copy));
  }
  std::vector<HugeBuffer> scratch;
  for (int thread = 0; thread < team.num_threads(); ++thread) scratch.emplace_back(MatmulScratchBytes(k));
  const RowForm form = InfoOf(copies[0].layout).rows;
  size_t next = 0;
  for (const size_t rows : row_counts) {
    const std::vector<float> x = dice.Normals(rows * k);
    test::RowMemory quantized(rows, (k + 255) / 256 * 256);
    if (form != RowForm::kFloat) {
      for (size_t row = 0; row < rows; ++row) kernels.quantize(x.data() + row * k, k, form, quantized.view, row);
    }
    const size_t panels = copies[0].num_panels();
    const size_t stride = copies[0].padded_n();
    HugeBuffer y(rows * stride * sizeof(float));
    // Few rows: several products a measurement, each of another copy.
    const size_t products = std::max<size_t>(1, 64 / rows);
    const double seconds = Median([&] {
      team.Run([&](int thread) {
        int phase = 0;
        for (size_t product = 0; product < products; ++product) {
          const PackedMatrix& weights = copies[(next + product) % copies.size()];
          team.ClaimPairs(phase, panels, MostPanels(rows), [&](size_t begin, size_t end) {
            MatmulArgs args;
            args.weights = &weights;
            args.quant = quantized.view;
            args.floats = {x.data(), k};
            args.y = y.as<float>();
            args.y_stride = stride;
            args.split = weights.split;
            args.row_end = rows;
            args.panel_begin = begin;
            args.panel_end = end;
            args.scratch = scratch[static_cast<size_t>(thread)].data();
            kernels.matmul(args);
          });
          team.Barrier();
        }
      });
      next += products;
    });
    const double operations = 2.0 * static_cast<double>(rows * n * k);
    Print(std::string(info.name) + " " + std::to_string(n) + "x" + std::to_string(k), rows,
          seconds / static_cast<double>(products), static_cast<double>(bytes), operations,
          PeakOf(copies[0].layout));
  }
}

// The last `num_queries` rows of a lane of `num_positions`, `group` query heads a kv head; each thread has kv heads of
// its own, as in the model.
void Bench::MeasureAttention(KvType type, size_t head_dim, size_t group, size_t num_positions, size_t num_queries) {
  MeasurePeaks();
  test::Dice dice(2);
  const size_t num_blocks = (num_positions + kBlockPositions - 1) / kBlockPositions;
  const size_t block_bytes = KvBlockBytes(type, head_dim);
  const size_t lane_bytes = num_blocks * block_bytes;
  const size_t threads = static_cast<size_t>(team.num_threads());
  // As many lanes as fill memory, so that one query's keys and values do not come from a cache.
  const size_t lanes = num_queries == 1 ? std::max<size_t>(threads, kStreamBytes / lane_bytes) : 8 * threads;
  HugeBuffer cache(lanes * lane_bytes);
  const std::vector<float> x = dice.Normals(head_dim);
  for (size_t b = 0; b < lanes * num_blocks; ++b) {
    for (size_t p = 0; p < kBlockPositions; ++p) {
      kernels.store_key(x.data(), head_dim, p, type, cache.data() + b * block_bytes);
      kernels.store_value(x.data(), head_dim, p, type, cache.data() + b * block_bytes);
    }
  }
  const std::vector<float> q = dice.Normals(num_queries * group * head_dim, 0.1f);
  size_t seen = 0;
  for (size_t i = 0; i < num_queries; ++i) seen += group * (num_positions - num_queries + i + 1);
  const double seconds = Median([&] {
    team.Run([&](int) {
      std::vector<float> out(q.size()), scratch(AttentionScratchFloats(head_dim));
      std::vector<const uint8_t*> blocks(num_blocks);
      std::vector<AttentionArgs::Row> rows;
      int phase = 0;
      team.Claim(phase, lanes, 1, [&](size_t lane, size_t) {
        for (size_t b = 0; b < num_blocks; ++b) blocks[b] = cache.data() + lane * lane_bytes + b * block_bytes;
        // Units of one band, as the model cuts a prompt.
        for (size_t first = 0; first < num_queries; first += kAttentionBand / group) {
          rows.clear();
          for (size_t i = first; i < std::min(num_queries, first + kAttentionBand / group); ++i) {
            for (size_t g = 0; g < group; ++g) {
              const size_t at = (i * group + g) * head_dim;
              rows.push_back({q.data() + at, out.data() + at, static_cast<int32_t>(num_positions - num_queries + i), 0});
            }
          }
          AttentionArgs args;
          args.rows = rows.data();
          args.num_rows = rows.size();
          args.head_dim = head_dim;
          args.blocks = blocks.data();
          args.kv_type = type;
          args.scratch = scratch.data();
          kernels.attention(args);
        }
      });
    });
  });
  const double a_lane = seconds / static_cast<double>(lanes);
  Print(std::string("attention ") + (type == KvType::kQ8 ? "q8" : "f16") + ", head " + std::to_string(head_dim) + ", group " + std::to_string(group) + ", " +
            std::to_string(num_positions) + " positions",
        num_queries, a_lane, static_cast<double>(lane_bytes), 4.0 * static_cast<double>(seen * head_dim), kFloatPeak);
}

}  // namespace

}  // namespace tf::bench

int main(int argc, char** argv) {
  using tf::DType;
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2, repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  const tf::KernelTable* kernels = tf::FindKernels("");
  if (kernels == nullptr || threads < 1 || repetitions < 1) return 2;
  tf::bench::Bench bench{*kernels, tf::ThreadTeam(threads), repetitions, tf::HugeBuffer(tf::bench::kStreamBytes)};
  std::fill_n(bench.stream.data(), tf::bench::kStreamBytes, uint8_t{1});
  std::printf("{\"set\": \"%s\",\n", kernels->name);
  std::printf("\"kernels\": [");
  for (const DType type : {DType::kQ8_0, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1, DType::kIQ4_NL, DType::kMXFP4,
                           DType::kQ2_K, DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K, DType::kF16,
                           DType::kBF16, DType::kF32}) {
    bench.MeasureMatmul(type, 3072, 1024, {1, 2, 4, 8, 16, 64, 256});
  }
  for (const size_t positions : {size_t{512}, size_t{2048}}) {
    for (const size_t queries : {size_t{1}, size_t{128}}) {
      bench.MeasureAttention(tf::KvType::kF16, 128, 2, positions, queries);
      bench.MeasureAttention(tf::KvType::kF16, 64, 3, positions, queries);
      bench.MeasureAttention(tf::KvType::kQ8, 128, 2, positions, queries);
    }
  }
  std::printf("],\n");
  bench.PrintPeaks();
  std::printf("}\n");
  return 0;
}

// Attention: every kernel set against the definition, bit for bit, whatever shares the pass; and against double.
#include <algorithm>

#include "tests/definition.h"
#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

// A lane's cache of one kv head, its pages anywhere in memory and full of NaN and infinities where nothing was written.
struct Cache {
  Cache(Dice& dice, size_t head_dim, size_t num_positions, KvType type, float spread = 1.0f)
      : head_dim(head_dim), type(type) {
    const size_t block_bytes = KvBlockBytes(type, head_dim), step = type == KvType::kF16 ? 2 : 4;
    const size_t num_blocks = (num_positions + kBlockPositions - 1) / kBlockPositions;
    for (const KernelTable* kernels : AllKernels()) {
      if (kernels != ScalarKernels() && kernels->lanes == ScalarKernels()->lanes) continue;
      Form& form = forms.emplace_back();
      form.kernels = kernels;
      form.memory.resize(num_blocks);
      for (std::vector<uint8_t>& block : form.memory) {
        block.resize(block_bytes);
        for (size_t i = 0; i < block_bytes; i += step) {
          const uint16_t half = dice.Pick<uint16_t>({0x7e00, 0x7c00, 0xfc00});
          const float wide = dice.Pick({NAN, INFINITY, -INFINITY});
          std::memcpy(block.data() + i, type == KvType::kF16 ? static_cast<const void*>(&half) : &wide, step);
        }
        form.blocks.push_back(block.data());
      }
    }
    for (size_t p = 0; p < num_positions; ++p) Store(dice.Normals(head_dim, spread), dice.Normals(head_dim));
  }

  void Store(const std::vector<float>& key, const std::vector<float>& value) {
    const size_t p = keys.size();
    StoreKey(key, p);
    StoreValue(value, p);
    keys.push_back(Rounded(key));
    values.push_back(Rounded(value));
  }

  void StoreKey(const std::vector<float>& key, size_t p) {
    for (Form& form : forms) {
      uint8_t* block = form.memory[p / kBlockPositions].data();
      form.kernels->store_key(key.data(), head_dim, p % kBlockPositions, type, block);
    }
  }
  void StoreValue(const std::vector<float>& value, size_t p) {
    for (Form& form : forms) {
      uint8_t* block = form.memory[p / kBlockPositions].data();
      form.kernels->store_value(value.data(), head_dim, p % kBlockPositions, type, block);
    }
  }

  // As `kernels` lays them out.
  const uint8_t* const* BlocksFor(const KernelTable& kernels) const {
    for (const Form& form : forms) {
      if (form.kernels->lanes == kernels.lanes) return form.blocks.data();
    }
    return nullptr;
  }

  std::vector<float> Rounded(std::vector<float> x) const {
    if (type == KvType::kQ8) return CachedQ8(x);
    if (type == KvType::kF16) {
      for (float& v : x) v = HalfToFloat(FloatToHalf(v));
    }
    return x;
  }

  size_t head_dim;
  KvType type;
  // One for each width of vectors among the sets.
  struct Form {
    const KernelTable* kernels;  // that stores
    std::vector<std::vector<uint8_t>> memory;
    std::vector<const uint8_t*> blocks;
  };
  std::vector<Form> forms;
  std::vector<std::vector<float>> keys, values;  // as cached
};

struct Query {
  std::vector<float> q;
  int position, first;
};

std::vector<float> Defined(const Cache& cache, const Query& query, float softcap) {
  return DefinedAttention(
      query.q.data(), cache.head_dim, query.position, query.first, softcap,
      [&](int p) -> const std::vector<float>& { return cache.keys[static_cast<size_t>(p)]; },
      [&](int p) -> const std::vector<float>& { return cache.values[static_cast<size_t>(p)]; });
}

// Runs the queries in one call and compares each with its definition.
void Check(const KernelTable& kernels, const Cache& cache, const std::vector<Query>& queries, float softcap,
           const std::vector<std::vector<float>>& expected) {
  std::vector<std::vector<float>> out(queries.size(), std::vector<float>(cache.head_dim, NAN));
  std::vector<AttentionArgs::Row> rows;
  for (size_t i = 0; i < queries.size(); ++i) {
    rows.push_back({queries[i].q.data(), out[i].data(), queries[i].position, queries[i].first});
  }
  // What scratch holds from calls before must not matter.
  std::vector<float> scratch(AttentionScratchFloats(cache.head_dim), NAN);
  AttentionArgs args;
  args.rows = rows.data();
  args.num_rows = rows.size();
  args.head_dim = cache.head_dim;
  args.softcap = softcap;
  args.blocks = cache.BlocksFor(kernels);
  args.kv_type = cache.type;
  args.scratch = scratch.data();
  kernels.attention(args);
  for (size_t i = 0; i < queries.size(); ++i) {
    const size_t at = FirstDifference(out[i].data(), expected[i].data(), cache.head_dim);
    EXPECT(at == cache.head_dim, kernels.name << " head_dim " << cache.head_dim << " row " << i << " of "
                                              << queries.size() << " position " << queries[i].position << " first "
                                              << queries[i].first << " softcap " << softcap << " at " << at << ": "
                                              << out[i][at] << ", not " << expected[i][at]);
  }
}

// All queries at once, alone, and cut in random runs, on every set.
void CheckGroupings(Dice& dice, const Cache& cache, const std::vector<Query>& queries, float softcap) {
  std::vector<std::vector<float>> expected;
  for (const Query& query : queries) expected.push_back(Defined(cache, query, softcap));
  for (const KernelTable* kernels : AllKernels()) {
    Check(*kernels, cache, queries, softcap, expected);
    for (int cut = 0; cut < 2; ++cut) {
      for (size_t begin = 0; begin < queries.size();) {
        const size_t end = cut == 0 ? begin + 1 : std::min(queries.size(), begin + dice.Whole(1, 6));
        const auto part = [&](const auto& all) {
          return std::remove_cvref_t<decltype(all)>(all.begin() + static_cast<ptrdiff_t>(begin),
                                                    all.begin() + static_cast<ptrdiff_t>(end));
        };
        Check(*kernels, cache, part(queries), softcap, part(expected));
        begin = end;
      }
    }
  }
}

TEST("attention equals the definition for any head, window, cap and grouping of rows, beside stale NaN and infinity") {
  Dice dice(1);
  for (int i = 0; i < Repeat(48); ++i) {
    const size_t head_dim = dice.Pick<size_t>({16, 20, 32, 64, 80, 100, 128, 256});
    const size_t positions = dice.Pick<size_t>({1, 7, 63, 64, 65, 130, 300});
    const Cache cache(dice, head_dim, positions, dice.Pick({KvType::kF16, KvType::kF32, KvType::kQ8}));
    const float softcap = dice.Pick({0.0f, 0.0f, 5.0f});
    const int window = dice.Pick({0, 1, 5, 64, 100});
    // A chunk of a prefill, each position with a group of heads; or rows at any positions.
    std::vector<Query> queries;
    const size_t group = dice.Whole(1, 4), rows = dice.Whole(1, std::min<size_t>(positions, 9));
    const bool chunk = dice.Chance(0.7);
    for (size_t r = 0; r < rows; ++r) {
      const int position = static_cast<int>(chunk ? positions - rows + r : dice.Whole(0, positions - 1));
      const int first = window == 0 ? 0 : std::max(0, position - window + 1);
      for (size_t g = 0; g < group; ++g) {
        queries.push_back({dice.Normals(head_dim, 1.0f / std::sqrt(static_cast<float>(head_dim))), position, first});
      }
    }
    CheckGroupings(dice, cache, queries, softcap);
  }
}

TEST("splits past 1,024 and 2,048 positions are merged as defined, windows across them too") {
  Dice dice(2);
  for (const auto& [head_dim, type] : {std::pair<size_t, KvType>{16, KvType::kF16}, {20, KvType::kF32}, {40, KvType::kQ8}}) {
    const Cache cache(dice, head_dim, 2200, type);
    for (const int window : {0, 30, 1100}) {
      std::vector<Query> queries;
      // Tiles whose rows lie before and behind a border, and far apart.
      for (const int position : {1021, 1022, 1023, 1024, 1025, 1026, 5, 2047, 2048, 2049, 2199, 1087, 1088}) {
        queries.push_back(
            {dice.Normals(head_dim, 0.3f), position, window == 0 ? 0 : std::max(0, position - window + 1)});
      }
      if (TheState().light) queries.resize(9);
      CheckGroupings(dice, cache, queries, 0.0f);
    }
  }
}

TEST("scores far apart, equal and infinite in effect keep their bits") {
  Dice dice(3);
  for (const float spread : {0.0f, 30.0f, 1000.0f}) {
    const Cache cache(dice, 32, 200, dice.Pick({KvType::kF32, KvType::kQ8}), spread);
    std::vector<Query> queries;
    for (int r = 0; r < 7; ++r) queries.push_back({dice.Normals(32), 193 + r, 0});
    CheckGroupings(dice, cache, queries, 0.0f);
    CheckGroupings(dice, cache, queries, 20.0f);
  }
}

TEST("NaN in a query, a seen key or a seen value is in the result") {
  Dice dice(5);
  for (int i = 0; i < Repeat(24); ++i) {
    const KvType type = i % 3 == 0 ? KvType::kQ8 : KvType::kF32;
    for (const int where : {0, 1, 2}) {
      const size_t positions = dice.Whole(1, 150), at = dice.Whole(0, positions - 1);
      Cache cache(dice, 24, positions, type);
      std::vector<float> q = dice.Normals(24), out(24, 0.0f), broken = dice.Normals(24);
      (where == 0 ? q : broken)[3] = NAN;
      if (where == 1) cache.StoreKey(broken, at);
      if (where == 2) cache.StoreValue(broken, at);
      for (const KernelTable* kernels : AllKernels()) {
        std::vector<float> scratch(AttentionScratchFloats(24), 1.0f);
        const AttentionArgs::Row row{q.data(), out.data(), static_cast<int32_t>(positions) - 1, 0};
        AttentionArgs args;
        args.rows = &row;
        args.num_rows = 1;
        args.head_dim = 24;
        args.softcap = i % 2 == 0 ? 0.0f : 30.0f;
        args.blocks = cache.BlocksFor(*kernels);
        args.kv_type = type;
        args.scratch = scratch.data();
        kernels->attention(args);
        // Where a row's state is NaN from the start it may end as x / 0: infinite, and NaN after the next norm.
        EXPECT(!std::isfinite(out[3]), kernels->name << " " << where << " position " << at << " of " << positions);
      }
    }
  }
}

TEST("attention is within 1e-5 of softmax in double") {
  Dice dice(4);
  for (const KvType type : {KvType::kF16, KvType::kF32, KvType::kQ8}) {
    for (const size_t head_dim : {16u, 64u, 128u}) {
      const Cache cache(dice, head_dim, 1500, type);
      for (const int position : {0, 50, 1023, 1499}) {
        const Query query{dice.Normals(head_dim, 2.0f / std::sqrt(static_cast<float>(head_dim))), position,
                          position > 1200 ? 300 : 0};
        const std::vector<float> got = Defined(cache, query, 0.0f);  // equal to every set: the tests above
        std::vector<double> out(head_dim, 0.0);
        double sum = 0, largest = -INFINITY;
        std::vector<double> scores;
        for (int p = query.first; p <= position; ++p) {
          double s = 0;
          for (size_t d = 0; d < head_dim; ++d) {
            s += static_cast<double>(query.q[d]) * cache.keys[static_cast<size_t>(p)][d];
          }
          scores.push_back(s);
          largest = std::max(largest, s);
        }
        for (int p = query.first; p <= position; ++p) {
          const double weight = std::exp(scores[static_cast<size_t>(p - query.first)] - largest);
          sum += weight;
          for (size_t d = 0; d < head_dim; ++d) out[d] += weight * cache.values[static_cast<size_t>(p)][d];
        }
        for (size_t d = 0; d < head_dim; ++d) {
          EXPECT(std::fabs(got[d] - out[d] / sum) < 1e-5, position << ": " << got[d] << ", not " << out[d] / sum);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tf::test

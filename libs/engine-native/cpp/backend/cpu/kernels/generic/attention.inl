// Attention over the KV cache (docs/exactness.md, "attention"): blocks of 64 absolute positions ascending, online
// softmax, splits of 1,024 absolute positions merged ascending. A row's result depends on its query, its position and
// the cache before it, not on the rows beside it.

// How a block of the cache is read and written, a type of cache each. Key(g, d): element d of the 8 keys of a group of
// positions; Value(j, d): elements d .. d + 8 of position j's value.
template <typename T>
struct FloatBlock {
  static TF_INLINE F32x8 LoadOne(const uint16_t* p) { return LoadHalf(p); }
  static TF_INLINE F32x8 LoadOne(const float* p) { return Load(p); }
  static TF_INLINE void StoreOne(uint16_t* p, F32x8 a) { StoreHalf(p, a); }
  static TF_INLINE void StoreOne(float* p, F32x8 a) { tf::TF_ISA::Store(p, a); }

  struct Keys {
    TF_INLINE Keys(const uint8_t* block, size_t head_dim, size_t group)
        : k(reinterpret_cast<const T*>(block) + group * head_dim * 8), head_dim(head_dim) {}
    TF_INLINE F32x8 operator()(size_t g, size_t d) const { return LoadOne(k + (g * head_dim + d) * 8); }
    const T* k;
    size_t head_dim;
  };
  struct Values {
    TF_INLINE Values(const uint8_t* block, size_t head_dim)
        : v(reinterpret_cast<const T*>(block) + KeyBlockValues(head_dim)), dim(PadTo8(head_dim)) {}
    TF_INLINE F32x8 operator()(size_t j, size_t d) const { return LoadOne(v + j * dim + d); }
    const T* v;
    size_t dim;
  };

  static TF_INLINE void StoreKey(const float* key, size_t head_dim, size_t position, uint8_t* block) {
    T* out = reinterpret_cast<T*>(block) + position / 8 * head_dim * 8 + position % 8;
    ForEach8(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE {
      T values[8];
      StoreOne(values, LoadSome(key + d, count));
      for (size_t i = 0; i < count; ++i) out[(d + i) * 8] = values[i];
    });
  }
  static TF_INLINE void StoreValue(const float* value, size_t head_dim, size_t position, uint8_t* block) {
    T* out = reinterpret_cast<T*>(block) + KeyBlockValues(head_dim) + position * PadTo8(head_dim);
    ForEach8(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE { StoreOne(out + d, LoadSome(value + d, count)); });
  }
};

// A value read is float(code) * scale, one rounding.
struct Q8Block {
  struct Keys {
    TF_INLINE Keys(const uint8_t* block, size_t head_dim, size_t group)
        : k(reinterpret_cast<const int8_t*>(block) + group * head_dim * 8),
          scales(reinterpret_cast<const float*>(block + KeyBlockValues(head_dim)) + group * KvGroups(head_dim) * 8),
          head_dim(head_dim) {}
    TF_INLINE F32x8 operator()(size_t g, size_t d) const {
      const F32x8 scale = Load(scales + (g * KvGroups(head_dim) + d / kKvGroup) * 8);
      return Mul(ToFloat(LoadSignedBytes(k + (g * head_dim + d) * 8)), scale);
    }
    const int8_t* k;
    const float* scales;
    size_t head_dim;
  };
  struct Values {
    TF_INLINE Values(const uint8_t* block, size_t head_dim)
        : v(reinterpret_cast<const int8_t*>(block + KeyBlockBytes(KvType::kQ8, head_dim))),
          scales(reinterpret_cast<const float*>(v + ValueBlockValues(head_dim))),
          dim(PadTo8(head_dim)),
          groups(KvGroups(head_dim)) {}
    TF_INLINE F32x8 operator()(size_t j, size_t d) const {
      return Mul(ToFloat(LoadSignedBytes(v + j * dim + d)), Broadcast(scales[j * groups + d / kKvGroup]));
    }
    const int8_t* v;
    const float* scales;
    size_t dim, groups;
  };

  // Calls f(group of values, first element, count, codes, scale) for each group; codes past count are 0.
  template <typename F>
  static TF_INLINE void ForEachGroup(const float* x, size_t head_dim, const F& f) {
    for (size_t b = 0; b < KvGroups(head_dim); ++b) {
      const size_t first = b * kKvGroup, count = head_dim - first < kKvGroup ? head_dim - first : kKvGroup;
      float values[kKvGroup] = {};
      std::memcpy(values, x + first, count * sizeof(float));
      int8_t codes[kKvGroup];
      const float scale = QuantizeBlock<127>(values, kKvGroup, codes);
      f(b, first, count, codes, scale);
    }
  }
  static TF_INLINE void StoreKey(const float* key, size_t head_dim, size_t position, uint8_t* block) {
    int8_t* out = reinterpret_cast<int8_t*>(block) + position / 8 * head_dim * 8 + position % 8;
    float* scales = reinterpret_cast<float*>(block + KeyBlockValues(head_dim)) +
                    position / 8 * KvGroups(head_dim) * 8 + position % 8;
    ForEachGroup(key, head_dim, [&](size_t b, size_t first, size_t count, const int8_t* codes, float scale) {
      scales[b * 8] = scale;
      for (size_t i = 0; i < count; ++i) out[(first + i) * 8] = codes[i];
    });
  }
  static TF_INLINE void StoreValue(const float* value, size_t head_dim, size_t position, uint8_t* block) {
    uint8_t* base = block + KeyBlockBytes(KvType::kQ8, head_dim);
    const size_t dim = PadTo8(head_dim);
    float* scales = reinterpret_cast<float*>(base + ValueBlockValues(head_dim)) + position * KvGroups(head_dim);
    ForEachGroup(value, head_dim, [&](size_t b, size_t first, size_t, const int8_t* codes, float scale) {
      scales[b] = scale;
      std::memcpy(base + position * dim + first, codes, dim - first < kKvGroup ? dim - first : kKvGroup);
    });
  }
};

// Calls f with the block type of a cache.
template <typename F>
TF_INLINE void WithBlock(KvType type, const F& f) {
  switch (type) {
    case KvType::kF16: return f(FloatBlock<uint16_t>{});
    case KvType::kF32: return f(FloatBlock<float>{});
    case KvType::kQ8: return f(Q8Block{});
  }
}

void StoreKey(const float* key, size_t head_dim, size_t position, KvType type, uint8_t* block) {
  WithBlock(type, [&](auto kv) { decltype(kv)::StoreKey(key, head_dim, position, block); });
}

void StoreValue(const float* value, size_t head_dim, size_t position, KvType type, uint8_t* block) {
  WithBlock(type, [&](auto kv) { decltype(kv)::StoreValue(value, head_dim, position, block); });
}

// scores[r][8 g .. 8 g + 8) for groups [g, g + G): fused multiply-adds over d ascending. Lanes are positions.
template <int R, int G, typename Kv>
TF_INLINE void ScoreGroups(const AttentionArgs::Row* rows, size_t head_dim, const uint8_t* block, size_t group,
                           float* scores) {
  F32x8 acc[R][G];
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE { Unroll<G>([&](auto g) TF_LAMBDA_INLINE { acc[r][g] = Zero(); }); });
  const typename Kv::Keys keys(block, head_dim, group);
  for (size_t d = 0; d < head_dim; ++d) {
    F32x8 key[G];
    Unroll<G>([&](auto g) TF_LAMBDA_INLINE { key[g] = keys(g, d); });
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      const F32x8 q = Broadcast(rows[r].q[d]);
      Unroll<G>([&](auto g) TF_LAMBDA_INLINE { acc[r][g] = MulAdd(q, key[g], acc[r][g]); });
    });
  }
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<G>([&](auto g) TF_LAMBDA_INLINE { Store(scores + r * kBlockPositions + (group + g) * 8, acc[r][g]); });
  });
}

// out[r][8 d .. 8 (d + D)) += p[r][j] * value[j] for j in [begin, end) ascending. Lanes are elements of the head.
template <int R, int D, typename Values>
TF_INLINE void AddValues(const float* p, size_t p_stride, const Values& values, size_t begin, size_t end, size_t d,
                         float* out, size_t out_stride) {
  F32x8 acc[R][D];
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { acc[r][i] = Load(out + r * out_stride + d + 8 * i); });
  });
  for (size_t j = begin; j < end; ++j) {
    F32x8 v[D];
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { v[i] = values(j, d + 8 * i); });
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      const F32x8 weight = Broadcast(p[r * p_stride + j]);
      Unroll<D>([&](auto i) TF_LAMBDA_INLINE { acc[r][i] = MulAdd(weight, v[i], acc[r][i]); });
    });
  }
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { Store(out + r * out_stride + d + 8 * i, acc[r][i]); });
  });
}

template <int R, typename Values>
TF_INLINE void AddValueRange(const float* p, size_t p_stride, const Values& values, size_t dim, size_t begin,
                             size_t end, float* out, size_t out_stride) {
  if (begin >= end) return;
  constexpr int D = R >= 3 ? 2 : R == 2 ? 4 : 8;
  size_t d = 0;
  for (; d + 8 * D <= dim; d += 8 * D) AddValues<R, D>(p, p_stride, values, begin, end, d, out, out_stride);
  for (; d < dim; d += 8) AddValues<R, 1>(p, p_stride, values, begin, end, d, out, out_stride);
}

template <int R, typename Kv>
void AttentionTile(const AttentionArgs& args, const AttentionArgs::Row* rows) {
  const size_t head_dim = args.head_dim, dim = PadTo8(head_dim);
  float* scores = args.scratch;                  // [R][64]
  float* out = scores + R * kBlockPositions;     // [R][dim] of the split
  float* merged = out + R * dim;                 // [R][dim] of the splits before
  float m[R], l[R], merged_m[R] = {}, merged_l[R] = {};
  bool has_merged[R] = {};
  int32_t first = rows[0].first, last = rows[0].position;
  for (int r = 1; r < R; ++r) {
    first = rows[r].first < first ? rows[r].first : first;
    last = rows[r].position > last ? rows[r].position : last;
  }
  constexpr int32_t block_size = kBlockPositions, split_size = kSplitPositions;
  constexpr float kNone = -__builtin_inff();
  for (int32_t split = first / split_size; split <= last / split_size; ++split) {
    for (int r = 0; r < R; ++r) {
      m[r] = kNone;
      l[r] = 0.0f;
    }
    std::memset(out, 0, R * dim * sizeof(float));
    const int32_t split_begin = split * split_size;
    const int32_t begin = split_begin > first ? split_begin : first;
    const int32_t end = split_begin + split_size - 1 < last ? split_begin + split_size - 1 : last;
    for (int32_t block = begin / block_size; block <= end / block_size; ++block) {
      const uint8_t* cached = args.blocks[block];
      const typename Kv::Values values(cached, head_dim);
      const int32_t base = block * block_size;
      // Groups of 8 positions that some row sees.
      const int32_t seen = last - base + 1 < block_size ? last - base + 1 : block_size;
      const size_t num_groups = static_cast<size_t>(seen + 7) / 8;
      constexpr int G = R >= 3 ? 2 : R == 2 ? 4 : 8;
      size_t group = 0;
      for (; group + G <= num_groups; group += G) ScoreGroups<R, G, Kv>(rows, head_dim, cached, group, scores);
      for (; group < num_groups; ++group) ScoreGroups<R, 1, Kv>(rows, head_dim, cached, group, scores);
      int32_t low[R], high[R];  // positions in the block that the row sees: [low, high)
      for (int r = 0; r < R; ++r) {
        low[r] = rows[r].first > base ? rows[r].first - base : 0;
        high[r] = rows[r].position - base + 1 < block_size ? rows[r].position - base + 1 : block_size;
        if (low[r] >= high[r]) {  // this row sees nothing here: its state stays as it is
          low[r] = high[r] = 0;
          continue;
        }
        float* s = scores + r * kBlockPositions;
        if (args.softcap > 0.0f) Softcap(s, args.softcap, num_groups * 8);
        for (int32_t j = 0; j < low[r]; ++j) s[j] = kNone;
        for (int32_t j = high[r]; j < static_cast<int32_t>(num_groups) * 8; ++j) s[j] = kNone;
        F32x8 largest = Load(s);
        for (size_t g = 1; g < num_groups; ++g) largest = Max(Load(s + 8 * g), largest);
        const float block_max = MaxOf(largest);
        const float new_m = block_max > m[r] ? block_max : m[r];
        const float correction = ExpOne(m[r] - new_m);
        // Positions out of sight get +0: e^-inf.
        F32x8 sum = Zero();
        for (size_t g = 0; g < num_groups; ++g) {
          const F32x8 weight = Exp(Sub(Load(s + 8 * g), Broadcast(new_m)));
          Store(s + 8 * g, weight);
          sum = Add(sum, weight);
        }
        l[r] = __builtin_fmaf(l[r], correction, Fold(sum));
        if (new_m != m[r]) {
          for (size_t d = 0; d < dim; d += 8) {
            Store(out + r * dim + d, Mul(Load(out + r * dim + d), Broadcast(correction)));
          }
        }
        m[r] = new_m;
      }
      // Positions out of a row's sight are not visited: 0 * v could be -0 or NaN. All rows together where all see.
      int32_t all_low = 0, all_high = block_size;
      for (int r = 0; r < R; ++r) {
        all_low = low[r] > all_low ? low[r] : all_low;
        all_high = high[r] < all_high ? high[r] : all_high;
      }
      if (R == 1 || all_low >= all_high) {
        for (int r = 0; r < R; ++r) {
          AddValueRange<1>(scores + r * kBlockPositions, kBlockPositions, values, dim, low[r], high[r], out + r * dim,
                           dim);
        }
      } else {
        for (int r = 0; r < R; ++r) {
          AddValueRange<1>(scores + r * kBlockPositions, kBlockPositions, values, dim, low[r], all_low, out + r * dim,
                           dim);
        }
        AddValueRange<R>(scores, kBlockPositions, values, dim, all_low, all_high, out, dim);
        for (int r = 0; r < R; ++r) {
          AddValueRange<1>(scores + r * kBlockPositions, kBlockPositions, values, dim, all_high, high[r],
                           out + r * dim, dim);
        }
      }
    }
    for (int r = 0; r < R; ++r) {
      if (m[r] == kNone) continue;  // the row saw nothing of this split
      float* row_out = out + r * dim;
      float* row_merged = merged + r * dim;
      if (!has_merged[r]) {
        has_merged[r] = true;
        merged_m[r] = m[r];
        merged_l[r] = l[r];
        std::memcpy(row_merged, row_out, dim * sizeof(float));
        continue;
      }
      const float both = m[r] > merged_m[r] ? m[r] : merged_m[r];
      const float old_weight = ExpOne(merged_m[r] - both), new_weight = ExpOne(m[r] - both);
      merged_l[r] = __builtin_fmaf(merged_l[r], old_weight, l[r] * new_weight);
      for (size_t d = 0; d < dim; d += 8) {
        const F32x8 added = Mul(Load(row_out + d), Broadcast(new_weight));
        Store(row_merged + d, MulAdd(Load(row_merged + d), Broadcast(old_weight), added));
      }
      merged_m[r] = both;
    }
  }
  for (int r = 0; r < R; ++r) {
    ForEach8(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE {
      StoreSome(rows[r].out + d, Div(Load(merged + r * dim + d), Broadcast(merged_l[r])), count);
    });
  }
}

template <typename Kv>
void AttentionAs(const AttentionArgs& args) {
  size_t row = 0;
  for (; row + 4 <= args.num_rows; row += 4) AttentionTile<4, Kv>(args, args.rows + row);
  switch (args.num_rows - row) {
    case 3: return AttentionTile<3, Kv>(args, args.rows + row);
    case 2: return AttentionTile<2, Kv>(args, args.rows + row);
    case 1: return AttentionTile<1, Kv>(args, args.rows + row);
    default: return;
  }
}

void Attention(const AttentionArgs& args) {
  WithBlock(args.kv_type, [&](auto kv) { AttentionAs<decltype(kv)>(args); });
}

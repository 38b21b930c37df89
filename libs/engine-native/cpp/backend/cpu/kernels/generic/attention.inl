// Attention over the KV cache (docs/exactness.md, "attention"): blocks of 64 absolute positions ascending, online
// softmax, splits of 1,024 absolute positions merged ascending. A row's result depends on its query, its position and
// the cache before it, not on the rows beside it.

TF_INLINE F32x8 LoadKv(const uint16_t* p) { return LoadHalf(p); }
TF_INLINE F32x8 LoadKv(const float* p) { return Load(p); }
TF_INLINE void StoreKv(uint16_t* p, F32x8 a) { StoreHalf(p, a); }
TF_INLINE void StoreKv(float* p, F32x8 a) { Store(p, a); }

template <typename Kv>
TF_INLINE void StoreKeyAs(const float* key, size_t head_dim, size_t position, Kv* block) {
  Kv* out = block + position / 8 * head_dim * 8 + position % 8;
  ForEach8(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE {
    Kv values[8];
    StoreKv(values, LoadSome(key + d, count));
    for (size_t i = 0; i < count; ++i) out[(d + i) * 8] = values[i];
  });
}

void StoreKey(const float* key, size_t head_dim, size_t position, KvType type, uint8_t* block) {
  if (type == KvType::kF16) return StoreKeyAs(key, head_dim, position, reinterpret_cast<uint16_t*>(block));
  StoreKeyAs(key, head_dim, position, reinterpret_cast<float*>(block));
}

template <typename Kv>
TF_INLINE void StoreValueAs(const float* value, size_t head_dim, size_t position, Kv* block) {
  Kv* out = block + KeyBlockValues(head_dim) + position * PadTo8(head_dim);
  ForEach8(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE { StoreKv(out + d, LoadSome(value + d, count)); });
}

void StoreValue(const float* value, size_t head_dim, size_t position, KvType type, uint8_t* block) {
  if (type == KvType::kF16) return StoreValueAs(value, head_dim, position, reinterpret_cast<uint16_t*>(block));
  StoreValueAs(value, head_dim, position, reinterpret_cast<float*>(block));
}

// scores[r][8 g .. 8 g + 8) for groups [g, g + G): fused multiply-adds over d ascending. Lanes are positions.
template <int R, int G, typename Kv>
TF_INLINE void ScoreGroups(const AttentionArgs::Row* rows, size_t head_dim, const Kv* keys, size_t group,
                           float* scores) {
  F32x8 acc[R][G];
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE { Unroll<G>([&](auto g) TF_LAMBDA_INLINE { acc[r][g] = Zero(); }); });
  const Kv* k = keys + group * head_dim * 8;
  for (size_t d = 0; d < head_dim; ++d) {
    F32x8 key[G];
    Unroll<G>([&](auto g) TF_LAMBDA_INLINE { key[g] = LoadKv(k + (g * head_dim + d) * 8); });
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
template <int R, int D, typename Kv>
TF_INLINE void AddValues(const float* p, size_t p_stride, const Kv* values, size_t dim, size_t begin, size_t end,
                         size_t d, float* out, size_t out_stride) {
  F32x8 acc[R][D];
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { acc[r][i] = Load(out + r * out_stride + d + 8 * i); });
  });
  for (size_t j = begin; j < end; ++j) {
    F32x8 v[D];
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { v[i] = LoadKv(values + j * dim + d + 8 * i); });
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      const F32x8 weight = Broadcast(p[r * p_stride + j]);
      Unroll<D>([&](auto i) TF_LAMBDA_INLINE { acc[r][i] = MulAdd(weight, v[i], acc[r][i]); });
    });
  }
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { Store(out + r * out_stride + d + 8 * i, acc[r][i]); });
  });
}

template <int R, typename Kv>
TF_INLINE void AddValueRange(const float* p, size_t p_stride, const Kv* values, size_t dim, size_t begin,
                             size_t end, float* out, size_t out_stride) {
  if (begin >= end) return;
  constexpr int D = R >= 3 ? 2 : R == 2 ? 4 : 8;
  size_t d = 0;
  for (; d + 8 * D <= dim; d += 8 * D) AddValues<R, D>(p, p_stride, values, dim, begin, end, d, out, out_stride);
  for (; d < dim; d += 8) AddValues<R, 1>(p, p_stride, values, dim, begin, end, d, out, out_stride);
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
      const Kv* keys = reinterpret_cast<const Kv*>(args.blocks[block]);
      const Kv* values = keys + KeyBlockValues(head_dim);
      const int32_t base = block * block_size;
      // Groups of 8 positions that some row sees.
      const int32_t seen = last - base + 1 < block_size ? last - base + 1 : block_size;
      const size_t num_groups = static_cast<size_t>(seen + 7) / 8;
      constexpr int G = R >= 3 ? 2 : R == 2 ? 4 : 8;
      size_t group = 0;
      for (; group + G <= num_groups; group += G) ScoreGroups<R, G>(rows, head_dim, keys, group, scores);
      for (; group < num_groups; ++group) ScoreGroups<R, 1>(rows, head_dim, keys, group, scores);
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
  args.kv_type == KvType::kF16 ? AttentionAs<uint16_t>(args) : AttentionAs<float>(args);
}

// Attention over the KV cache (docs/exactness.md, "attention"): blocks of 64 absolute positions ascending, online
// softmax, splits of 1,024 absolute positions merged ascending. A row's result depends on its query, its position and
// the cache before it, not on the rows beside it.

// How a block of the cache is read and written, a type of cache each. Keys, from a group of positions on, gives by (g, d)
// element d of the keys of the g-th group; Values by (j, d) a vector of position j's value, from element d on.
template <typename T>
struct FloatBlock {
  static constexpr size_t kValueBytes = sizeof(T);
  static TF_INLINE F32s LoadOne(const uint16_t* p) { return LoadHalf(p); }
  static TF_INLINE F32s LoadOne(const float* p) { return Load(p); }
  static TF_INLINE void StoreOne(uint16_t* p, F32s a) { StoreHalf(p, a); }
  static TF_INLINE void StoreOne(float* p, F32s a) { tf::TF_ISA::Store(p, a); }

  struct Keys {
    TF_INLINE Keys(const uint8_t* block, size_t head_dim, size_t group)
        : k(reinterpret_cast<const T*>(block) + group * head_dim * kLanes), head_dim(head_dim) {}
    TF_INLINE F32s operator()(size_t g, size_t d) const { return LoadOne(k + (g * head_dim + d) * kLanes); }
    const T* k;
    size_t head_dim;
  };
  struct Values {
    TF_INLINE Values(const uint8_t* block, size_t head_dim)
        : v(reinterpret_cast<const T*>(block) + KeyBlockValues(head_dim)), dim(PadToVectors(head_dim)) {}
    TF_INLINE F32s operator()(size_t j, size_t d) const { return LoadOne(v + j * dim + d); }
    const T* v;
    size_t dim;
  };

  static TF_INLINE void StoreKey(const float* key, size_t head_dim, size_t position, uint8_t* block) {
    T* out = reinterpret_cast<T*>(block) + position / kLanes * head_dim * kLanes + position % kLanes;
    ForEachVector(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE {
      T values[kLanes];
      StoreOne(values, LoadSome(key + d, count));
      for (size_t i = 0; i < count; ++i) out[(d + i) * kLanes] = values[i];
    });
  }
  static TF_INLINE void StoreValue(const float* value, size_t head_dim, size_t position, uint8_t* block) {
    T* out = reinterpret_cast<T*>(block) + KeyBlockValues(head_dim) + position * PadToVectors(head_dim);
    ForEachVector(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE { StoreOne(out + d, LoadSome(value + d, count)); });
    for (size_t d = (head_dim + kLanes - 1) / kLanes * kLanes; d < PadToVectors(head_dim); d += kLanes) {
      StoreOne(out + d, Zero());
    }
  }
};

// A value read is float(code) * scale, one rounding.
struct Q8Block {
  static constexpr size_t kValueBytes = 1;
  struct Keys {
    TF_INLINE Keys(const uint8_t* block, size_t head_dim, size_t group)
        : k(reinterpret_cast<const int8_t*>(block) + group * head_dim * kLanes),
          scales(reinterpret_cast<const float*>(block + KeyBlockValues(head_dim)) + group * KvGroups(head_dim) * kLanes),
          head_dim(head_dim) {}
    TF_INLINE F32s operator()(size_t g, size_t d) const {
      const F32s scale = Load(scales + (g * KvGroups(head_dim) + d / kKvGroup) * kLanes);
      return Mul(ToFloat(LoadSignedBytes(k + (g * head_dim + d) * kLanes)), scale);
    }
    const int8_t* k;
    const float* scales;
    size_t head_dim;
  };
  struct Values {
    TF_INLINE Values(const uint8_t* block, size_t head_dim)
        : v(reinterpret_cast<const int8_t*>(block + KeyBlockBytes(KvType::kQ8, head_dim))),
          scales(reinterpret_cast<const float*>(v + ValueBlockValues(head_dim))),
          dim(PadToVectors(head_dim)),
          groups(KvGroups(head_dim)) {}
    TF_INLINE F32s operator()(size_t j, size_t d) const {
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
    int8_t* out = reinterpret_cast<int8_t*>(block) + position / kLanes * head_dim * kLanes + position % kLanes;
    float* scales = reinterpret_cast<float*>(block + KeyBlockValues(head_dim)) +
                    position / kLanes * KvGroups(head_dim) * kLanes + position % kLanes;
    ForEachGroup(key, head_dim, [&](size_t b, size_t first, size_t count, const int8_t* codes, float scale) {
      scales[b * kLanes] = scale;
      for (size_t i = 0; i < count; ++i) out[(first + i) * kLanes] = codes[i];
    });
  }
  static TF_INLINE void StoreValue(const float* value, size_t head_dim, size_t position, uint8_t* block) {
    uint8_t* base = block + KeyBlockBytes(KvType::kQ8, head_dim);
    const size_t dim = PadToVectors(head_dim);
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

// Step `step` of reading a block, `bytes` each: asks for as many of `ahead`, from the same place on.
template <size_t bytes>
TF_INLINE void ReadAhead(const uint8_t* ahead, size_t step) {
  if constexpr (bytes >= 64) {
    Prefetch<bytes>(ahead + step * bytes);
  } else if (step % (64 / bytes) == 0) {
    Prefetch<64>(ahead + step * bytes);
  }
}

// Vectors side by side in a register tile of R rows.
constexpr int TileVectors(int R) { return R >= 3 ? kTallTileVectors : R == 2 ? 4 : 8; }

// scores[r] of the positions of groups [group, group + G): fused multiply-adds over d ascending. Lanes are positions.
template <int R, int G, typename Kv, bool prefetches>
TF_INLINE void ScoreGroups(const AttentionArgs::Row* rows, size_t head_dim, const uint8_t* block, size_t group,
                           float* scores, const uint8_t* ahead) {
  F32s acc[R][G];
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE { Unroll<G>([&](auto g) TF_LAMBDA_INLINE { acc[r][g] = Zero(); }); });
  const typename Kv::Keys keys(block, head_dim, group);
  for (size_t d = 0; d < head_dim; ++d) {
    if constexpr (prefetches) ReadAhead<G * kLanes * Kv::kValueBytes>(ahead, group / G * head_dim + d);
    F32s key[G];
    Unroll<G>([&](auto g) TF_LAMBDA_INLINE { key[g] = keys(g, d); });
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      const F32s q = Broadcast(rows[r].q[d]);
      Unroll<G>([&](auto g) TF_LAMBDA_INLINE { acc[r][g] = MulAdd(q, key[g], acc[r][g]); });
    });
  }
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<G>([&](auto g) TF_LAMBDA_INLINE { Store(scores + r * kBlockPositions + (group + g) * kLanes, acc[r][g]); });
  });
}

// out[r], D vectors from element d on, += p[r][j] * value[j] for j in [begin, end) ascending. Lanes are elements of the head.
template <int R, int D, bool prefetches, typename Kv>
TF_INLINE void AddValues(const float* p, size_t p_stride, const typename Kv::Values& values, size_t begin, size_t end,
                         size_t d, float* out, size_t out_stride, const uint8_t* ahead) {
  F32s acc[R][D];
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { acc[r][i] = Load(out + r * out_stride + d + kLanes * i); });
  });
  for (size_t j = begin; j < end; ++j) {
    if constexpr (prefetches) ReadAhead<D * kLanes * Kv::kValueBytes>(ahead, d / (kLanes * D) * kBlockPositions + j);
    F32s v[D];
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { v[i] = values(j, d + kLanes * i); });
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      const F32s weight = Broadcast(p[r * p_stride + j]);
      Unroll<D>([&](auto i) TF_LAMBDA_INLINE { acc[r][i] = MulAdd(weight, v[i], acc[r][i]); });
    });
  }
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<D>([&](auto i) TF_LAMBDA_INLINE { Store(out + r * out_stride + d + kLanes * i, acc[r][i]); });
  });
}

// The same for T tiles of R rows, all d: what one tile has read of the values the next finds in the first-level cache.
template <int R, int T, bool prefetches, typename Kv>
TF_INLINE void AddValueRange(const float* p, size_t p_stride, const typename Kv::Values& values, size_t dim,
                             size_t begin, size_t end, float* out, size_t out_stride, const uint8_t* ahead) {
  if (begin >= end) return;
  constexpr int D = TileVectors(R);
  size_t d = 0;
  const auto tiles = [&](auto width, auto first_asks) TF_LAMBDA_INLINE {
    AddValues<R, width, first_asks, Kv>(p, p_stride, values, begin, end, d, out, out_stride, ahead);
    for (size_t r = R; r < R * T; r += R) {
      AddValues<R, width, false, Kv>(p + r * p_stride, p_stride, values, begin, end, d, out + r * out_stride,
                                     out_stride, ahead);
    }
  };
  for (; d + kLanes * D <= dim; d += kLanes * D) tiles(std::integral_constant<int, D>{}, std::bool_constant<prefetches>{});
  for (; d < dim; d += kLanes) tiles(std::integral_constant<int, 1>{}, std::false_type{});
}

// Online softmax of one row: over the blocks of a split, and over the splits before.
struct RowState {
  float m, l, merged_m, merged_l;
  bool has_merged;
};

constexpr float kNoScore = -__builtin_inff();

// One block for T tiles of R rows: scores, weights, and their values added to out [T * R][dim]. `base` is the block's
// first position. Reading keys asks for the values, reading values for the keys at `next`.
template <int R, int T, bool prefetches, typename Kv>
void AttendBlock(const AttentionArgs& args, const AttentionArgs::Row* rows, RowState* states, const uint8_t* cached,
                 const uint8_t* next, int32_t base, float* scores, float* out) {
  const size_t head_dim = args.head_dim, dim = PadToVectors(head_dim);
  constexpr int32_t block_size = kBlockPositions;
  constexpr int N = R * T;
  int32_t low[N], high[N];  // positions in the block that the row sees: [low, high)
  int32_t seen = 0;
  for (int r = 0; r < N; ++r) {
    low[r] = rows[r].first > base ? rows[r].first - base : 0;
    high[r] = rows[r].position - base + 1 < block_size ? rows[r].position - base + 1 : block_size;
    if (low[r] >= high[r]) low[r] = high[r] = 0;
    seen = high[r] > seen ? high[r] : seen;
  }
  if (seen == 0) return;
  const size_t num_groups = (static_cast<size_t>(seen) + kLanes - 1) / kLanes;  // that some row sees some of
  constexpr int G = std::min<int>(TileVectors(R), kBlockPositions / kLanes);
  size_t group = 0;
  const uint8_t* first_value = cached + KeyBlockBytes(args.kv_type, head_dim);
  const auto score = [&](auto groups) TF_LAMBDA_INLINE {
    ScoreGroups<R, groups, Kv, prefetches>(rows, head_dim, cached, group, scores, first_value);
    for (size_t r = R; r < N; r += R) {
      ScoreGroups<R, groups, Kv, false>(rows + r, head_dim, cached, group, scores + r * kBlockPositions, first_value);
    }
  };
  for (; group + G <= num_groups; group += G) score(std::integral_constant<int, G>{});
  for (; group < num_groups; ++group) score(std::integral_constant<int, 1>{});
  // Step by step for all rows: one row's steps wait for each other. A row that sees nothing here stays as it is.
  constexpr size_t kPadded = (N + kLanes - 1) / kLanes * kLanes;
  float new_m[N], correction[kPadded] = {};
  for (int r = 0; r < N; ++r) {
    new_m[r] = states[r].m;
    if (high[r] == 0) continue;
    float* s = scores + r * kBlockPositions;
    if (args.softcap > 0.0f) Softcap(s, args.softcap, num_groups * kLanes);
    for (int32_t j = 0; j < low[r]; ++j) s[j] = kNoScore;
    for (int32_t j = high[r]; j < static_cast<int32_t>(num_groups * kLanes); ++j) s[j] = kNoScore;
    F32s largest = Load(s);
    for (size_t g = 1; g < num_groups; ++g) largest = Max(Load(s + kLanes * g), largest);
    const float block_max = MaxOf(largest);
    new_m[r] = block_max > states[r].m ? block_max : states[r].m;
    correction[r] = states[r].m - new_m[r];
  }
  for (size_t r = 0; r < kPadded; r += kLanes) Store(correction + r, Exp(Load(correction + r)));
  for (int r = 0; r < N; ++r) {
    if (high[r] == 0) continue;
    float* s = scores + r * kBlockPositions;
    // Positions out of sight get +0: e^-inf.
    Eight sum = ZeroEight();
    for (size_t g = 0; g < num_groups; ++g) {
      const F32s weight = Exp(Sub(Load(s + kLanes * g), Broadcast(new_m[r])));
      Store(s + kLanes * g, weight);
      sum = AddEights(sum, weight);
    }
    RowState& state = states[r];
    state.l = __builtin_fmaf(state.l, correction[r], FoldEight(sum));
    if (new_m[r] != state.m) {
      for (size_t d = 0; d < dim; d += kLanes) {
        Store(out + r * dim + d, Mul(Load(out + r * dim + d), Broadcast(correction[r])));
      }
    }
    state.m = new_m[r];
  }
  // Positions out of a row's sight are not visited: 0 * v could be -0 or NaN. All rows together where all see.
  const typename Kv::Values values(cached, head_dim);
  const auto add = [&](int r, size_t begin, size_t end) TF_LAMBDA_INLINE {
    constexpr bool alone = R == 1 && prefetches;
    const float* p = scores + r * kBlockPositions;
    AddValueRange<1, 1, alone, Kv>(p, kBlockPositions, values, dim, begin, end, out + r * dim, dim, next);
  };
  int32_t all_low = 0, all_high = block_size;
  for (int r = 0; r < N; ++r) {
    all_low = low[r] > all_low ? low[r] : all_low;
    all_high = high[r] < all_high ? high[r] : all_high;
  }
  if (N == 1 || all_low >= all_high) {
    for (int r = 0; r < N; ++r) add(r, low[r], high[r]);
    return;
  }
  for (int r = 0; r < N; ++r) add(r, low[r], all_low);
  AddValueRange<R, T, prefetches, Kv>(scores, kBlockPositions, values, dim, all_low, all_high, out, dim, next);
  for (int r = 0; r < N; ++r) add(r, all_high, high[r]);
}

// Merges a finished split into those before.
TF_INLINE void MergeSplit(RowState& state, const float* out, float* merged, size_t dim) {
  if (state.m == kNoScore) return;  // the row saw nothing of this split
  if (!state.has_merged) {
    state.has_merged = true;
    state.merged_m = state.m;
    state.merged_l = state.l;
    std::memcpy(merged, out, dim * sizeof(float));
    return;
  }
  const float both = state.m > state.merged_m ? state.m : state.merged_m;
  const float old_weight = ExpOne(state.merged_m - both), new_weight = ExpOne(state.m - both);
  state.merged_l = __builtin_fmaf(state.merged_l, old_weight, state.l * new_weight);
  for (size_t d = 0; d < dim; d += kLanes) {
    const F32s added = Mul(Load(out + d), Broadcast(new_weight));
    Store(merged + d, MulAdd(Load(merged + d), Broadcast(old_weight), added));
  }
  state.merged_m = both;
}

// Up to kAttentionBand rows. A block's keys and values pass by once for all of them, tile by tile.
template <typename Kv>
void AttentionBand(const AttentionArgs& args, const AttentionArgs::Row* rows, size_t num_rows) {
  const size_t head_dim = args.head_dim, dim = PadToVectors(head_dim);
  float* scores = args.scratch;                                // [two tiles][64]
  float* out = scores + 2 * kAttentionTile * kBlockPositions;  // [rows][dim] of the split
  float* merged = out + num_rows * dim;                        // [rows][dim] of the splits before
  RowState states[kAttentionBand] = {};
  int32_t first = rows[0].first, last = rows[0].position;
  for (size_t r = 1; r < num_rows; ++r) {
    first = rows[r].first < first ? rows[r].first : first;
    last = rows[r].position > last ? rows[r].position : last;
  }
  constexpr int32_t block_size = kBlockPositions, split_size = kSplitPositions;
  for (int32_t split = first / split_size; split <= last / split_size; ++split) {
    for (size_t r = 0; r < num_rows; ++r) {
      states[r].m = kNoScore;
      states[r].l = 0.0f;
    }
    std::memset(out, 0, num_rows * dim * sizeof(float));
    const int32_t split_begin = split * split_size;
    const int32_t begin = split_begin > first ? split_begin : first;
    const int32_t end = split_begin + split_size - 1 < last ? split_begin + split_size - 1 : last;
    for (int32_t block = begin / block_size; block <= end / block_size; ++block) {
      const uint8_t* cached = args.blocks[block];
      const uint8_t* next = args.blocks[block < last / block_size ? block + 1 : block];
      const int32_t base = block * block_size;
      size_t r = 0;
      const auto tiles = [&](auto size, auto count) TF_LAMBDA_INLINE {
        const auto attend = r == 0 ? AttendBlock<size, count, true, Kv> : AttendBlock<size, count, false, Kv>;
        attend(args, rows + r, states + r, cached, next, base, scores, out + r * dim);
        r += size * count;
      };
      constexpr std::integral_constant<int, kAttentionTile> whole;
      constexpr std::integral_constant<int, 1> one;
      constexpr std::integral_constant<int, 2> two;
      constexpr std::integral_constant<int, 3> three;
      while (r + 2 * kAttentionTile <= num_rows) tiles(whole, two);
      if (r + kAttentionTile <= num_rows) tiles(whole, one);
      if (r + 3 <= num_rows) tiles(three, one);
      if (r + 2 <= num_rows) tiles(two, one);
      if (r < num_rows) tiles(one, one);
    }
    for (size_t r = 0; r < num_rows; ++r) MergeSplit(states[r], out + r * dim, merged + r * dim, dim);
  }
  for (size_t r = 0; r < num_rows; ++r) {
    ForEachVector(head_dim, [&](size_t d, size_t count) TF_LAMBDA_INLINE {
      StoreSome(rows[r].out + d, Div(Load(merged + r * dim + d), Broadcast(states[r].merged_l)), count);
    });
  }
}

template <typename Kv>
void AttentionAs(const AttentionArgs& args) {
  for (size_t row = 0; row < args.num_rows; row += kAttentionBand) {
    const size_t left = args.num_rows - row;
    AttentionBand<Kv>(args, args.rows + row, left < kAttentionBand ? left : kAttentionBand);
  }
}

void Attention(const AttentionArgs& args) {
  WithBlock(args.kv_type, [&](auto kv) { AttentionAs<decltype(kv)>(args); });
}

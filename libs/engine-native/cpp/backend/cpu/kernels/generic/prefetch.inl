// How far ahead of a block its panel's memory is asked for: products of few rows wait for memory, and the hardware's own
// prefetcher stops at each panel's end. Two panels of a tile: the same block of the next tile. One, or four under one row:
// a kilobyte in all, a little ahead of each.
template <int P>
size_t BytesAhead(size_t panel_stride) {
  return P == 2 ? P * panel_stride : 1024 / P;
}

// Row tiles after a panel's first find it in the cache.
inline bool IsFirstRowTile(const MatmulArgs& args, size_t row) { return row == args.row_begin; }

template <size_t bytes>
TF_INLINE void Prefetch(const uint8_t* p) {
  Unroll<(bytes + 63) / 64>([&](auto line) TF_LAMBDA_INLINE { __builtin_prefetch(p + 64 * line); });
}

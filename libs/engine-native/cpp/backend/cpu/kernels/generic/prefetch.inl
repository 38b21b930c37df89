// How far ahead of a block its panel's memory is asked for: products of few rows wait for memory, and the hardware's own
// prefetcher stops at each panel's end. Panels of a tile: the same block of the next tile. One panel: one stream.
template <int P>
size_t BytesAhead(size_t panel_stride) {
  return P == 1 ? 1024 : P * panel_stride;
}

// Row tiles after a panel's first find it in the cache.
inline bool IsFirstRowTile(const MatmulArgs& args, size_t row) { return row == args.row_begin; }

template <size_t bytes>
TF_INLINE void Prefetch(const uint8_t* p) {
  Unroll<(bytes + 63) / 64>([&](auto line) TF_LAMBDA_INLINE { __builtin_prefetch(p + 64 * line); });
}

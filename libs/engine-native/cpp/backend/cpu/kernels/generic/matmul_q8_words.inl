// Products with Q8_0 where QuantRows::wide holds int16: signed codes, widened to 16 bits, so nothing saturates and -128 is allowed.
template <int R, int P>
[[gnu::noinline]] void TileQ8(const MatmulArgs& args, size_t row, size_t panel) {
  constexpr size_t panel_bytes = InfoOfConstant(Layout::kQ8).column_bytes * kLanes;
  const size_t stride = args.weights->k / 32 * panel_bytes;
  const uint8_t* base = args.weights->data.data() + panel * stride;
  const QuantRows& q = args.quant;
  const size_t per_row = q.stride / 32;
  const size_t ahead = BytesAhead<P>(stride);
  const bool prefetches = IsFirstRowTile(args, row);
  SumSegments<R, P>(args, row, panel, 32, [&](size_t begin, size_t end, F32s (&acc)[R][P]) TF_LAMBDA_INLINE {
    ClearTile<R, P>(acc);
    const uint8_t* w[P];
    Unroll<P>([&](auto p) TF_LAMBDA_INLINE { w[p] = base + p * stride + begin * panel_bytes; });
    const int16_t* x[R];
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] = q.wide + (row + r) * q.stride + begin * 32; });
    // The next tile's activations: two bytes each, they are more than the first-level cache holds.
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE { __builtin_prefetch(x[r] + R * q.stride); });
    for (size_t b = begin; b < end; ++b) {
      if (prefetches) Unroll<P>([&](auto p) TF_LAMBDA_INLINE { Prefetch<panel_bytes>(w[p] + ahead); });
      I32s sum[R][P];
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE { Unroll<P>([&](auto p) TF_LAMBDA_INLINE { sum[r][p] = ZeroI(); }); });
      Unroll<16>([&](auto pair) TF_LAMBDA_INLINE {
        Wide codes[P];
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { codes[p] = LoadWide(w[p] + 2 * kLanes * (1 + pair)); });
        Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
          const ActPair a = LoadPair(x[r] + 2 * pair);
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
            sum[r][p] = AddWide(sum[r][p], codes[p], a);
            Pin(sum[r][p]);
          });
        });
      });
      F32s scale[P];
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE { scale[p] = LoadHalf(reinterpret_cast<const uint16_t*>(w[p])); });
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        const F32s row_scale = Broadcast(q.scale[(row + r) * per_row + b]);
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
          acc[r][p] = MulAdd(ToFloat(sum[r][p]), Mul(scale[p], row_scale), acc[r][p]);
        });
      });
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE { w[p] += panel_bytes; });
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] += 32; });
    }
  });
}

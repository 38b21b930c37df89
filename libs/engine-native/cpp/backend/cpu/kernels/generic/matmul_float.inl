// Products with float weights: fused multiply-adds in ascending k in sub-chains of 64, sub-chains added ascending.

template <Layout layout>
TF_INLINE F32s LoadWeights(const uint8_t* p) {
  if constexpr (layout == Layout::kF32) return Load(reinterpret_cast<const float*>(p));
  if constexpr (layout == Layout::kF16) return LoadHalf(reinterpret_cast<const uint16_t*>(p));
  if constexpr (layout == Layout::kBF16) return LoadBfloat(reinterpret_cast<const uint16_t*>(p));
}

template <Layout layout, int R, int P>
[[gnu::noinline]] void TileFloat(const MatmulArgs& args, size_t row, size_t panel) {
  constexpr size_t step = (layout == Layout::kF32 ? 4 : 2) * kLanes;
  constexpr size_t chain = 64;
  const size_t stride = args.weights->k * step;
  const uint8_t* base = args.weights->data.data() + panel * stride;
  const size_t ahead = BytesAhead<P>(stride);
  const bool prefetches = IsFirstRowTile(args, row);
  SumSegments<R, P>(args, row, panel, 1, [&](size_t begin, size_t end, F32s (&total)[R][P]) TF_LAMBDA_INLINE {
    ClearTile<R, P>(total);
    const float* x[R];
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] = args.floats.data + (row + r) * args.floats.stride; });
    for (size_t start = begin; start < end; start += chain) {
      const size_t stop = start + chain < end ? start + chain : end;
      F32s acc[R][P];
      ClearTile<R, P>(acc);
      for (size_t k = start; k < stop; ++k) {
        if (prefetches && k * step % 64 == 0) {
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE { Prefetch<64>(base + p * stride + k * step + ahead); });
        }
        F32s w[P];
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { w[p] = LoadWeights<layout>(base + p * stride + k * step); });
        Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
          const F32s a = Broadcast(x[r][k]);
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE { acc[r][p] = MulAdd(w[p], a, acc[r][p]); });
        });
      }
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { total[r][p] = Add(total[r][p], acc[r][p]); });
      });
    }
  });
}

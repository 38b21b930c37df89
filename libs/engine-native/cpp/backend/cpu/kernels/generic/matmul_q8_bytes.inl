// Products with Q8_0 where QuantRows::wide holds bytes: x = 256 * high + low, high signed, low unsigned. vpdpbusd takes one
// unsigned and one signed byte, so codes meet the high bytes plus 128; QuantRows::sum takes that back beforehand.
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
    const int8_t* x[R];
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      x[r] = reinterpret_cast<const int8_t*>(q.wide + (row + r) * q.stride + begin * 32);
    });
    for (size_t b = begin; b < end; ++b) {
      if (prefetches) Unroll<P>([&](auto p) TF_LAMBDA_INLINE { Prefetch<panel_bytes>(w[p] + ahead); });
      QuadSum sum[R][P];
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        const I32s offset = BroadcastI(q.sum[(row + r) * per_row + b]);
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { sum[r][p].v = offset.v; });
      });
      const auto codes_of = [&](auto p, auto quad) TF_LAMBDA_INLINE {
        return LoadBytes(w[p] + 2 * kLanes + kVectorBytes * quad);
      };
      Unroll<8>([&](auto quad) TF_LAMBDA_INLINE {
        U8s codes[P];
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { codes[p] = Plus128(codes_of(p, quad)); });
        Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
          const ActQuad high = LoadQuad(x[r] + 32 + 4 * quad);
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
            sum[r][p] = AddQuad(sum[r][p], codes[p], high);
            Pin(sum[r][p]);
          });
        });
      });
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { sum[r][p].v = ShiftLeftI<8>(I32s{sum[r][p].v}).v; });
      });
      Unroll<8>([&](auto quad) TF_LAMBDA_INLINE {
        U8s codes[P];
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { codes[p] = codes_of(p, quad); });
        Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
          const ActQuad low = LoadQuad(x[r] + 4 * quad);
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
            sum[r][p] = AddQuad(sum[r][p], low, codes[p]);
            Pin(sum[r][p]);
          });
        });
      });
      F32s scale[P];
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE { scale[p] = LoadHalf(reinterpret_cast<const uint16_t*>(w[p])); });
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        const F32s row_scale = Broadcast(q.scale[(row + r) * per_row + b]);
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
          acc[r][p] = MulAdd(ToFloat(I32s{sum[r][p].v}), Mul(scale[p], row_scale), acc[r][p]);
        });
      });
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE { w[p] += panel_bytes; });
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] += 64; });
    }
  });
}

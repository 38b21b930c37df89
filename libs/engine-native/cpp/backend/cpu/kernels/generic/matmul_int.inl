// Products of quantized rows with quantized weights (docs/exactness.md, "matrix products"). A block's integer sum is
// exact; then one multiply and one fused multiply-add a block, blocks ascending. Lanes are columns.

// A quad: four values of K of each column of a panel.
constexpr size_t kVectorBytes = 4 * kLanes;

// Codes of quad v (low) or v + 4 (high) of 32 values. See WritePlanes in packed_matrix.cc.
template <int bits, int v, bool high>
TF_INLINE U8s Codes(const uint8_t* planes) {
  constexpr int quad = high ? v + 4 : v;
  if constexpr (bits >= 4) {
    const U8s low = Bits<high ? 4 : 0, 15>(LoadBytes(planes + kVectorBytes * v));
    if constexpr (bits == 5) return OrShifted<4>(low, Bits<quad, 1>(LoadBytes(planes + 4 * kVectorBytes)));
    if constexpr (bits == 6) return OrShifted<4>(low, Bits<2 * v, 3>(LoadBytes(planes + (high ? 5 : 4) * kVectorBytes)));
    return low;
  } else {
    const U8s low = Bits<2 * v, 3>(LoadBytes(planes + (high ? kVectorBytes : 0)));
    if constexpr (bits == 3) return OrShifted<2>(low, Bits<quad, 1>(LoadBytes(planes + 2 * kVectorBytes)));
    return low;
  }
}

template <Layout layout>
struct IntFormat;
// bits of a code, log2 of the offset to subtract (-1: none), whether minimums follow, bytes before the planes.
#define TF_INT_FORMAT(layout, bits_, offset_, min_)                      \
  template <>                                                            \
  struct IntFormat<Layout::layout> {                                     \
    static constexpr int bits = bits_, offset_log2 = offset_;            \
    static constexpr bool has_min = min_;                                \
  };
TF_INT_FORMAT(kU4, 4, 3, false)
TF_INT_FORMAT(kU4Min, 4, -1, true)
TF_INT_FORMAT(kU5, 5, 4, false)
TF_INT_FORMAT(kU5Min, 5, -1, true)
TF_INT_FORMAT(kIq4, 4, kWholeByteCodes ? 7 : -1, false)
TF_INT_FORMAT(kFp4, 4, 4, false)
TF_INT_FORMAT(kK2, 2, -1, true)
TF_INT_FORMAT(kK3, 3, 2, false)
TF_INT_FORMAT(kK4, 4, -1, true)
TF_INT_FORMAT(kK5, 5, -1, true)
TF_INT_FORMAT(kK6, 6, 5, false)
#undef TF_INT_FORMAT

// Bytes of a block of a panel before its planes: scales and minimums.
template <Layout layout>
constexpr size_t HeaderBytes() {
  constexpr bool has_min = IntFormat<layout>::has_min;
  if constexpr (layout < Layout::kK2) return (has_min || layout == Layout::kFp4 ? 4 : 2) * kLanes;
  constexpr size_t pairs = layout == Layout::kK4 || layout == Layout::kK5 ? 4 : 8;
  return (has_min ? 2 : 1) * 2 * kLanes * (1 + pairs);
}

// MXFP4's doubled values plus 16, so that they are unsigned; IQ4_NL's values as bytes, and plus 128.
alignas(16) constexpr uint8_t kFp4Plus16[16] = {16, 17, 18, 19, 20, 22, 24, 28, 16, 15, 14, 13, 12, 10, 8, 4};
alignas(16) constexpr uint8_t kIq4Bytes[16] = {129, 152, 173, 191, 207, 221, 234, 246, 1, 13, 25, 38, 53, 69, 89, 113};
alignas(16) constexpr uint8_t kIq4Plus128[16] = {1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241};

// Quads of codes of `bits` bits that a QuadSum holds. In 16 bits, two partial sums a column: as many as there is room for,
// 2 * 127 * (largest code) each. In 32 bits all of a block, and FinishScaled's products fit too: the largest are those of
// 6-bit codes and int8 sub-scales, 16 * 63 * 127 * 128 a sub-block, below 2^28 for the 16 of a block.
constexpr int QuadDepth(Layout layout, int bits) {
  if (kQuadBits == 32) return 8;
  return layout == Layout::kFp4 ? 4 : bits <= 4 ? 8 : bits == 5 ? 4 : 2;
}

// Where a tile finds its panels' codes: in their planes; there, and they are left as bytes in args.scratch; or in these
// bytes. Worth it where several row tiles follow: each would take the planes apart again.
enum class CodesAt { kPlanes, kPlanesKept, kBytes };

constexpr size_t KeptPanelBytes(size_t k) { return k * kLanes; }
constexpr size_t kKeptChunkBytes = 8 * kVectorBytes;  // of 32 values: [8 quads]

// Chunk `chunk` of 32 values of panel p of the pair that was kept.
TF_INLINE uint8_t* KeptAt(const MatmulArgs& args, size_t p, size_t chunk) {
  return args.scratch + p * KeptPanelBytes(args.weights->k) + chunk * kKeptChunkBytes;
}

// What a product multiplies quad v (low) or v + 4 (high) of 32 values by. `planes` and `kept` are the 32's.
template <Layout layout, CodesAt codes_at, int v, bool high>
TF_INLINE U8s QuadCodes(const uint8_t* planes, uint8_t* kept) {
  uint8_t* at = kept + kVectorBytes * (high ? v + 4 : v);
  if constexpr (codes_at == CodesAt::kBytes) return LoadBytes(at);
  U8s codes = Codes<IntFormat<layout>::bits, v, high>(planes);
  if constexpr (layout == Layout::kFp4) codes = LookUp(kFp4Plus16, codes);
  if constexpr (layout == Layout::kIq4) codes = LookUp(kWholeByteCodes ? kIq4Plus128 : kIq4Bytes, codes);
  if constexpr (codes_at == CodesAt::kPlanesKept) StoreBytes(at, codes);
  return codes;
}

// sum[r][p] = exact dot product of the 32 values at planes[p], or kept[p], and x[r], as unsigned codes.
template <Layout layout, CodesAt codes_at, int R, int P>
TF_INLINE void DotChunk(const uint8_t* const (&planes)[P], uint8_t* const (&kept)[P], const int8_t* const (&x)[R],
                        I32s (&sum)[R][P]) {
  if constexpr (layout == Layout::kIq4 && !kWholeByteCodes) {
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE { Unroll<P>([&](auto p) TF_LAMBDA_INLINE { sum[r][p] = ZeroI(); }); });
    Unroll<4>([&](auto v) TF_LAMBDA_INLINE {
      Unroll<2>([&](auto high) TF_LAMBDA_INLINE {
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
          const auto codes = AsSigned(QuadCodes<layout, codes_at, v, high != 0>(planes[p], kept[p]));
          Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
            sum[r][p] = AddSigned(sum[r][p], codes, LoadQuad(x[r] + 4 * (v + 4 * high)));
          });
        });
      });
    });
  } else {
    constexpr int depth = QuadDepth(layout, IntFormat<layout>::bits);
    QuadSum quads[R][P];
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
        quads[r][p] = ZeroQuad();
        if constexpr (depth < 8) sum[r][p] = ZeroI();
      });
    });
    Unroll<4>([&](auto v) TF_LAMBDA_INLINE {
      Unroll<2>([&](auto high) TF_LAMBDA_INLINE {
        U8s codes[P];
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { codes[p] = QuadCodes<layout, codes_at, v, high != 0>(planes[p], kept[p]); });
        Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
          const ActQuad a = LoadQuad(x[r] + 4 * (v + 4 * high));
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
            quads[r][p] = AddQuad(quads[r][p], codes[p], a);
            Pin(quads[r][p]);
          });
        });
        if constexpr (depth < 8 && (2 * v + high + 1) % depth == 0) {
          Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
            Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
              sum[r][p] = Finish(sum[r][p], quads[r][p]);
              quads[r][p] = ZeroQuad();
            });
          });
        }
      });
    });
    if constexpr (depth >= 8) {
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { sum[r][p] = Finish(ZeroI(), quads[r][p]); });
      });
    }
  }
}

// Writes a tile: total + last segment, then bias, then (accumulate) onto what is there.
template <int R, int P>
TF_INLINE void StoreTile(const MatmulArgs& args, size_t row, size_t panel, const F32s (&sums)[R][P]) {
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
      const size_t column = (panel + p) * kLanes;
      float* y = args.y + (row + r) * args.y_stride + column;
      F32s value = sums[r][p];
      if (args.weights->bias != nullptr) value = Add(value, Load(args.weights->bias + column));
      if (args.accumulate) value = Add(Load(y), value);
      Store(y, value);
    });
  });
}

// Runs `segment(begin_block, end_block, acc)` for each written segment of K and stores the sum of the segments.
template <int R, int P, typename Segment>
TF_INLINE void SumSegments(const MatmulArgs& args, size_t row, size_t panel, size_t block, const Segment& segment) {
  const PackedMatrix& w = *args.weights;
  // Else a store that misses the cache holds up those of the sums behind it.
  constexpr size_t line = 64 / sizeof(float);
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
    const float* y = args.y + (row + r) * args.y_stride + panel * kLanes;
    Unroll<(P * kLanes + line - 1) / line>([&](auto i) TF_LAMBDA_INLINE { __builtin_prefetch(y + i * line, 1); });
  });
  F32s sums[R][P];
  segment(size_t{0}, args.split / block, sums);
  if (args.split < w.k) {
    F32s second[R][P];
    segment(args.split / block, w.k / block, second);
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE { sums[r][p] = Add(sums[r][p], second[r][p]); });
    });
  }
  StoreTile<R, P>(args, row, panel, sums);
}

template <int R, int P>
TF_INLINE void ClearTile(F32s (&acc)[R][P]) {
  Unroll<R>([&](auto r) TF_LAMBDA_INLINE { Unroll<P>([&](auto p) TF_LAMBDA_INLINE { acc[r][p] = Zero(); }); });
}

// Blocks of 32, unsigned codes.
template <Layout layout, CodesAt codes_at, int R, int P>
[[gnu::noinline]] void Tile32(const MatmulArgs& args, size_t row, size_t panel) {
  using Format = IntFormat<layout>;
  constexpr bool wide_scale = layout == Layout::kFp4;
  constexpr size_t header = HeaderBytes<layout>();
  constexpr size_t panel_bytes = InfoOfConstant(layout).column_bytes * kLanes;
  const size_t stride = args.weights->k / 32 * panel_bytes;
  const uint8_t* base = args.weights->data.data() + panel * stride;
  const QuantRows& q = args.quant;
  const size_t per_row = q.stride / 32;
  const size_t ahead = BytesAhead<P>(stride);
  const bool prefetches = codes_at != CodesAt::kBytes && IsFirstRowTile(args, row);
  SumSegments<R, P>(args, row, panel, 32, [&](size_t begin, size_t end, F32s (&acc)[R][P]) TF_LAMBDA_INLINE {
    ClearTile<R, P>(acc);
    const uint8_t* w[P];
    Unroll<P>([&](auto p) TF_LAMBDA_INLINE { w[p] = base + p * stride + begin * panel_bytes; });
    const int8_t* x[R];
    Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] = q.codes + (row + r) * q.stride + begin * 32; });
    for (size_t b = begin; b < end; ++b) {
      const uint8_t* planes[P];
      uint8_t* kept[P];
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
        planes[p] = w[p] + header;
        kept[p] = KeptAt(args, p, b);
      });
      I32s sum[R][P];
      if (prefetches) {
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { Prefetch<header + Format::bits * kVectorBytes>(w[p] + ahead); });
      }
      DotChunk<layout, codes_at, R, P>(planes, kept, x, sum);
      F32s scale[P], minimum[P];
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
        if constexpr (wide_scale) {
          scale[p] = Load(reinterpret_cast<const float*>(w[p]));
        } else {
          scale[p] = LoadHalf(reinterpret_cast<const uint16_t*>(w[p]));
        }
        if constexpr (Format::has_min) minimum[p] = LoadHalf(reinterpret_cast<const uint16_t*>(w[p] + 2 * kLanes));
      });
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        const size_t at = (row + r) * per_row + b;
        const F32s row_scale = Broadcast(q.scale[at]);
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
          I32s exact = sum[r][p];
          if constexpr (Format::offset_log2 >= 0) {
            exact = SubI(exact, ShiftLeftI<(Format::offset_log2 >= 0 ? Format::offset_log2 : 0)>(BroadcastI(q.sum[at])));
          }
          acc[r][p] = MulAdd(ToFloat(exact), Mul(scale[p], row_scale), acc[r][p]);
          if constexpr (Format::has_min) acc[r][p] = MulAdd(minimum[p], Broadcast(q.scaled_sum[at]), acc[r][p]);
        });
      });
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE { w[p] += panel_bytes; });
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] += 32; });
    }
  });
}

// Blocks of 256 with integer sub-scales of 16 or 32 elements, folded in integers.
template <Layout layout, CodesAt codes_at, int R, int P>
[[gnu::noinline]] void TileK(const MatmulArgs& args, size_t row, size_t panel) {
  using Format = IntFormat<layout>;
  constexpr int bits = Format::bits;
  constexpr bool sub32 = layout == Layout::kK4 || layout == Layout::kK5;
  constexpr int num_pairs = sub32 ? 4 : 8;
  constexpr bool signed_scales = !Format::has_min;
  constexpr size_t chunk_bytes = bits * kVectorBytes;
  constexpr size_t header = HeaderBytes<layout>();
  constexpr size_t panel_bytes = InfoOfConstant(layout).column_bytes * kLanes;
  const size_t stride = args.weights->k / 256 * panel_bytes;
  const uint8_t* base = args.weights->data.data() + panel * stride;
  const QuantRows& q = args.quant;
  const size_t per_row = q.stride / 256;
  const size_t ahead = BytesAhead<P>(stride);
  const bool prefetches = codes_at != CodesAt::kBytes && IsFirstRowTile(args, row);
  SumSegments<R, P>(args, row, panel, 256, [&](size_t begin, size_t end, F32s (&acc)[R][P]) TF_LAMBDA_INLINE {
    ClearTile<R, P>(acc);
    for (size_t b = begin; b < end; ++b) {
      const uint8_t* w[P];
      const uint8_t* scales[P];
      const uint8_t* planes[P];
      uint8_t* kept[P];
      Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
        w[p] = base + p * stride + b * panel_bytes;
        scales[p] = w[p] + (Format::has_min ? 4 : 2) * kLanes;
        planes[p] = w[p] + header;
        kept[p] = KeptAt(args, p, 8 * b);
      });
      if (prefetches) {
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { Prefetch<header>(w[p] + ahead); });
      }
      const int8_t* x[R];
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] = q.codes + (row + r) * q.stride + b * 256; });
      I32s sum[R][P];
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE { Unroll<P>([&](auto p) TF_LAMBDA_INLINE { sum[r][p] = ZeroI(); }); });
      // Quads of one sub-block, at most QuadDepth deep, then one multiply by the sub-scale.
      const auto chunk = [&](auto sub_of_low, auto sub_of_high, const SubPair (&pairs)[P]) TF_LAMBDA_INLINE {
        if (prefetches) {
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE { Prefetch<chunk_bytes>(planes[p] + ahead); });
        }
        constexpr int depth = QuadDepth(layout, bits);
        QuadSum quads[R][P];
        const auto clear = [&]() TF_LAMBDA_INLINE {
          Unroll<R>(
              [&](auto r) TF_LAMBDA_INLINE { Unroll<P>([&](auto p) TF_LAMBDA_INLINE { quads[r][p] = ZeroQuad(); }); });
        };
        const auto finish = [&](auto which) TF_LAMBDA_INLINE {
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
            const ColumnScale scale = ScaleOf<which>(pairs[p]);
            Unroll<R>([&](auto r) TF_LAMBDA_INLINE { sum[r][p] = FinishScaled(sum[r][p], quads[r][p], scale); });
          });
        };
        const auto add = [&](auto v, auto high) TF_LAMBDA_INLINE {
          U8s codes[P];
          Unroll<P>([&](auto p) TF_LAMBDA_INLINE { codes[p] = QuadCodes<layout, codes_at, v, high != 0>(planes[p], kept[p]); });
          Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
            const ActQuad a = LoadQuad(x[r] + 4 * (v + 4 * high));
            Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
              quads[r][p] = AddQuad(quads[r][p], codes[p], a);
              Pin(quads[r][p]);
            });
          });
        };
        using Low = std::integral_constant<int, 0>;
        using High = std::integral_constant<int, 1>;
        if constexpr (sub32 && depth >= 8) {
          clear();
          Unroll<4>([&](auto v) TF_LAMBDA_INLINE {
            add(v, Low{});
            add(v, High{});
          });
          finish(sub_of_low);
        } else if constexpr (sub32) {
          Unroll<2>([&](auto t) TF_LAMBDA_INLINE {
            clear();
            Unroll<2>([&](auto i) TF_LAMBDA_INLINE {
              add(std::integral_constant<int, 2 * t + i>{}, Low{});
              add(std::integral_constant<int, 2 * t + i>{}, High{});
            });
            finish(sub_of_low);
          });
        } else {
          constexpr int run = depth >= 4 ? 4 : 2;
          Unroll<2>([&](auto high) TF_LAMBDA_INLINE {
            Unroll<4 / run>([&](auto t) TF_LAMBDA_INLINE {
              clear();
              Unroll<run>([&](auto i) TF_LAMBDA_INLINE { add(std::integral_constant<int, run * t + i>{}, high); });
              if constexpr (high == 0) {
                finish(sub_of_low);
              } else {
                finish(sub_of_high);
              }
            });
          });
        }
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
          planes[p] += chunk_bytes;
          kept[p] += kKeptChunkBytes;
        });
        Unroll<R>([&](auto r) TF_LAMBDA_INLINE { x[r] += 32; });
      };
      using First = std::integral_constant<int, 0>;
      using Second = std::integral_constant<int, 1>;
      for (int pair = 0; pair < num_pairs; ++pair) {
        SubPair pairs[P];
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE { pairs[p] = LoadSubPair(scales[p] + 2 * kLanes * pair, signed_scales); });
        if constexpr (sub32) {
          chunk(First{}, First{}, pairs);
          chunk(Second{}, Second{}, pairs);
        } else {
          chunk(First{}, Second{}, pairs);
        }
      }
      Unroll<R>([&](auto r) TF_LAMBDA_INLINE {
        const size_t at = row + r;
        const int16_t* sums = sub32 ? q.sum32 + at * (q.stride / 32) + b * 8 : q.sum16 + at * (q.stride / 16) + b * 16;
        const F32s row_scale = Broadcast(q.scale[at * per_row + b]);
        Unroll<P>([&](auto p) TF_LAMBDA_INLINE {
          // Sum over sub-blocks of minimum (or scale, for an offset) times sum of activations.
          I32s beside = ZeroI();
          const uint8_t* factors = scales[p] + (Format::has_min ? num_pairs * 2 * kLanes : 0);
          Unroll<num_pairs>([&](auto i) TF_LAMBDA_INLINE {
            beside = AddPair(beside, LoadSubPair(factors + 2 * kLanes * i, signed_scales), LoadPair(sums + 2 * i));
          });
          const F32s d = Mul(LoadHalf(reinterpret_cast<const uint16_t*>(w[p])), row_scale);
          if constexpr (Format::has_min) {
            acc[r][p] = MulAdd(ToFloat(sum[r][p]), d, acc[r][p]);
            const F32s dmin = Mul(LoadHalf(reinterpret_cast<const uint16_t*>(w[p] + 2 * kLanes)), row_scale);
            acc[r][p] = NegMulAdd(ToFloat(beside), dmin, acc[r][p]);
          } else {
            constexpr int shift = Format::offset_log2 >= 0 ? Format::offset_log2 : 0;
            acc[r][p] = MulAdd(ToFloat(SubI(sum[r][p], ShiftLeftI<shift>(beside))), d, acc[r][p]);
          }
        });
      });
    }
  });
}

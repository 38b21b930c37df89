// What happens to one row between products: norms, quantization, rotations, activations. Each sum has one written order.

constexpr float kExpLow = -87.0f;   // below: 0, so that no subnormal appears
constexpr float kExpHigh = 88.0f;

// e^x. Relative error under 2^-22 on [-87, 88]; 0 below, e^88 above; NaN of NaN, so that it reaches the logits.
TF_INLINE F32s Exp(F32s x) {
  // Max and Min return their second argument where one is NaN.
  const F32s clamped = Min(Broadcast(kExpHigh), Max(Broadcast(kExpLow), x));
  // Adding 1.5 * 2^23 rounds to the nearest whole number, ties to even.
  const F32s magic = Broadcast(12582912.0f);
  const F32s n = Sub(MulAdd(clamped, Broadcast(1.44269504f), magic), magic);
  F32s r = NegMulAdd(n, Broadcast(0.693145752f), clamped);
  r = NegMulAdd(n, Broadcast(1.42860677e-6f), r);
  F32s p = Broadcast(1.0f / 5040.0f);
  p = MulAdd(p, r, Broadcast(1.0f / 720.0f));
  p = MulAdd(p, r, Broadcast(1.0f / 120.0f));
  p = MulAdd(p, r, Broadcast(1.0f / 24.0f));
  p = MulAdd(p, r, Broadcast(1.0f / 6.0f));
  p = MulAdd(p, r, Broadcast(0.5f));
  p = MulAdd(p, r, Broadcast(1.0f));
  p = MulAdd(p, r, Broadcast(1.0f));
  return SelectLess(x, Broadcast(kExpLow), Zero(), Mul(p, PowerOfTwo(n)));
}

// One lane of Exp.
TF_INLINE float ExpOne(float x) {
  float lanes[kLanes];
  Store(lanes, Exp(Broadcast(x)));
  return lanes[0];
}

// tanh(x) = 1 - 2 / (e^(2x) + 1).
TF_INLINE F32s Tanh(F32s x) {
  const F32s one = Broadcast(1.0f);
  return Sub(one, Div(Broadcast(2.0f), Add(Exp(Add(x, x)), one)));
}

// Applies f to n floats, a vector at a time; the rest goes through a padded copy, so that every element sees the same steps.
template <typename F>
TF_INLINE void ForEachVector(size_t n, const F& f) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) f(i, kLanes);
  if (i < n) f(i, n - i);
}
TF_INLINE F32s LoadSome(const float* p, size_t count) {
  if (count == kLanes) return Load(p);
  float lanes[kLanes] = {};
  std::memcpy(lanes, p, count * sizeof(float));
  return Load(lanes);
}
TF_INLINE void StoreSome(float* p, F32s a, size_t count) {
  if (count == kLanes) return Store(p, a);
  float lanes[kLanes];
  Store(lanes, a);
  std::memcpy(p, lanes, count * sizeof(float));
}

// Sixteen running sums, lane j takes i = j mod 16 ascending, then the tree 8, 4, 2, 1.
TF_INLINE float SumOfSquares(const float* x, size_t n) {
  F32s sums[16 / kLanes];
  for (F32s& sum : sums) sum = Zero();
  const auto add = [&](const float* sixteen) TF_LAMBDA_INLINE {
    Unroll<16 / kLanes>([&](auto v) TF_LAMBDA_INLINE {
      const F32s a = Load(sixteen + v * kLanes);
      sums[v] = MulAdd(a, a, sums[v]);
    });
  };
  size_t i = 0;
  for (; i + 16 <= n; i += 16) add(x + i);
  if (i < n) {  // squares of padding are +0 and change no sum
    float rest[16] = {};
    std::memcpy(rest, x + i, (n - i) * sizeof(float));
    add(rest);
  }
  if constexpr (kLanes == 16) {
    return Fold(sums[0]);
  } else {
    return Fold(Add(sums[0], sums[1]));
  }
}

void RmsNorm(const float* x, const float* weight, float eps, size_t n, float* y) {
  const float mean = SumOfSquares(x, n) / static_cast<float>(n);
  const F32s r = Broadcast(1.0f / __builtin_sqrtf(mean + eps));
  ForEachVector(n, [&](size_t i, size_t count) TF_LAMBDA_INLINE {
    StoreSome(y + i, Mul(Mul(LoadSome(x + i, count), r), LoadSome(weight + i, count)), count);
  });
}

// One block of `block` floats (a multiple of 16) to whole numbers: scale = amax / limit, code = nearest(x * (limit /
// amax)), 0 where limit / amax is infinite. The scale of a block with a NaN is NaN: the codes would lose it.
template <int limit, typename Code>
TF_INLINE float QuantizeBlock(const float* x, size_t block, Code* codes) {
  F32s largest = Zero();
  bool nan = false;
  for (size_t i = 0; i < block; i += kLanes) {
    largest = Max(Abs(Load(x + i)), largest);
    nan |= AnyNan(Load(x + i));
  }
  const float amax = nan ? __builtin_nanf("") : MaxOf(largest);
  const float factor = static_cast<float>(limit) / amax;
  const float inverse = factor < __builtin_inff() ? factor : 0.0f;
  for (size_t i = 0; i < block; i += 16) {
    I32s nearest[16 / kLanes];
    Unroll<16 / kLanes>([&](auto v) TF_LAMBDA_INLINE {
      nearest[v] = RoundToInt(Mul(Load(x + i + v * kLanes), Broadcast(inverse)));
    });
    StoreCodes(codes + i, nearest);
  }
  return amax / static_cast<float>(limit);
}

TF_INLINE int32_t SumOf16(const int8_t* codes) {
  I32s sum = LoadSignedBytes(codes);
  if constexpr (kLanes < 16) sum = AddI(sum, LoadSignedBytes(codes + kLanes));
  return SumI(sum);
}

// Blocks of 32 to int16, for 8-bit weights.
void QuantizeWide(const float* x, size_t n, const QuantRows& out, size_t row) {
  const size_t first = row * (out.stride / 32);
  for (size_t b = 0; b < n / 32; ++b) {
    int16_t* codes = out.wide + row * out.stride + b * 32;
    out.scale[first + b] = QuantizeBlock<32767>(x + b * 32, 32, codes);
#if defined(TF_WIDE_AS_BYTES)
    out.sum[first + b] = SplitWide(codes);
#endif
  }
}

// Blocks of 32 to int8, with their sums, for weights of up to 5 bits.
void Quantize32(const float* x, size_t n, const QuantRows& out, size_t row) {
  const size_t first = row * (out.stride / 32);
  for (size_t b = 0; b < n / 32; ++b) {
    int8_t* codes = out.codes + row * out.stride + b * 32;
    const float scale = QuantizeBlock<127>(x + b * 32, 32, codes);
    const int32_t sum = SumOf16(codes) + SumOf16(codes + 16);
    out.scale[first + b] = scale;
    out.sum[first + b] = sum;
    out.scaled_sum[first + b] = scale * static_cast<float>(sum);
  }
}

// Blocks of 256 to int8, with sums of 16 and of 32, for K-quants.
void Quantize256(const float* x, size_t n, const QuantRows& out, size_t row) {
  int8_t* codes = out.codes + row * out.stride;
  for (size_t b = 0; b < n / 256; ++b) {
    out.scale[row * (out.stride / 256) + b] = QuantizeBlock<127>(x + b * 256, 256, codes + b * 256);
  }
  int16_t* sum16 = out.sum16 + row * (out.stride / 16);
  int16_t* sum32 = out.sum32 + row * (out.stride / 32);
  for (size_t s = 0; s < n / 16; ++s) sum16[s] = static_cast<int16_t>(SumOf16(codes + s * 16));
  for (size_t s = 0; s < n / 32; ++s) sum32[s] = static_cast<int16_t>(sum16[2 * s] + sum16[2 * s + 1]);
}

void Quantize(const float* x, size_t n, RowForm form, const QuantRows& out, size_t row) {
  switch (form) {
    case RowForm::kFloat: return;
    case RowForm::kQ32: return Quantize32(x, n, out, row);
    case RowForm::kQ32Wide: return QuantizeWide(x, n, out, row);
    case RowForm::kQ256: return Quantize256(x, n, out, row);
  }
}

// (u, v) -> (u cos - v sin, v cos + u sin): the products with sin first, then one fused step each.
void Rope(float* x, const float* cos, const float* sin, size_t half) {
  ForEachVector(half, [&](size_t j, size_t count) TF_LAMBDA_INLINE {
    const F32s c = LoadSome(cos + j, count), s = LoadSome(sin + j, count);
    const F32s u = LoadSome(x + j, count), v = LoadSome(x + half + j, count);
    StoreSome(x + j, MulAdd(u, c, Sub(Zero(), Mul(v, s))), count);
    StoreSome(x + half + j, MulAdd(v, c, Mul(u, s)), count);
  });
}

void Scale(float* x, float factor, size_t n) {
  ForEachVector(n, [&](size_t i, size_t count) TF_LAMBDA_INLINE {
    StoreSome(x + i, Mul(LoadSome(x + i, count), Broadcast(factor)), count);
  });
}

void AddRows(float* x, const float* y, size_t n) {
  ForEachVector(n, [&](size_t i, size_t count) TF_LAMBDA_INLINE {
    StoreSome(x + i, Add(LoadSome(x + i, count), LoadSome(y + i, count)), count);
  });
}

// silu(g) * u, silu(g) = g / (1 + e^-g).
void SiluMul(const float* gate, const float* up, float* y, size_t n) {
  ForEachVector(n, [&](size_t i, size_t count) TF_LAMBDA_INLINE {
    const F32s g = LoadSome(gate + i, count);
    const F32s silu = Div(g, Add(Broadcast(1.0f), Exp(Sub(Zero(), g))));
    StoreSome(y + i, Mul(silu, LoadSome(up + i, count)), count);
  });
}

// gelu(g) * u, gelu(g) = 0.5 g (1 + tanh(sqrt(2/pi) (g + 0.044715 g^3))).
void GeluMul(const float* gate, const float* up, float* y, size_t n) {
  ForEachVector(n, [&](size_t i, size_t count) TF_LAMBDA_INLINE {
    const F32s g = LoadSome(gate + i, count);
    const F32s cubed = Mul(Mul(g, g), g);
    const F32s inner = Mul(MulAdd(cubed, Broadcast(0.044715f), g), Broadcast(0.797884561f));
    const F32s gelu = Mul(Mul(Broadcast(0.5f), g), Add(Broadcast(1.0f), Tanh(inner)));
    StoreSome(y + i, Mul(gelu, LoadSome(up + i, count)), count);
  });
}

void Softcap(float* x, float cap, size_t n) {
  ForEachVector(n, [&](size_t i, size_t count) TF_LAMBDA_INLINE {
    const F32s c = Broadcast(cap);
    StoreSome(x + i, Mul(c, Tanh(Div(LoadSome(x + i, count), c))), count);
  });
}

bool AllFinite(const float* x, size_t n) {
  bool nan = false;
  ForEachVector(n, [&](size_t i, size_t count) TF_LAMBDA_INLINE { nan |= AnyNan(LoadSome(x + i, count)); });
  return !nan;
}

size_t Argmax(const float* x, size_t n) {
  constexpr size_t stretch = 64;  // one is searched: the first that holds the largest
  float best = x[0];
  size_t at = 0;
  for (size_t i = 0; i < n; i += stretch) {
    const size_t end = i + stretch < n ? i + stretch : n;
    F32s largest = Broadcast(best);
    size_t j = i;
    for (; j + kLanes <= end; j += kLanes) largest = Max(Load(x + j), largest);
    float here = MaxOf(largest);
    for (; j < end; ++j) here = x[j] > here ? x[j] : here;
    if (here > best) {
      best = here;
      at = i;
    }
  }
  while (x[at] != best) ++at;
  return at;
}

// Calls f with 0 .. n-1 as compile-time constants, in order, so that small arrays of vectors live in registers.

template <int n, typename F>
TF_INLINE void Unroll(F&& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) TF_LAMBDA_INLINE {
    (f(std::integral_constant<int, i>{}), ...);
  }(std::make_integer_sequence<int, n>{});
}

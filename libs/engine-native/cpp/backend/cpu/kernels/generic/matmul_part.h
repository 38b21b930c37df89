// The parts of a kernel set that are compiled apart, to build in parallel.
#define TF_DECLARE_MATMUL_PARTS           \
  void MatmulFloat(const MatmulArgs&);    \
  void MatmulQ32(const MatmulArgs&);      \
  void MatmulK(const MatmulArgs&);

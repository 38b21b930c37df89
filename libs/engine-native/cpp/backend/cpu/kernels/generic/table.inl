// The table of this instruction set.

void Matmul(const MatmulArgs& args) {
  switch (InfoOf(args.weights->layout).rows) {
    case RowForm::kFloat: return MatmulFloat(args);
    case RowForm::kQ32:
    case RowForm::kQ32Wide: return MatmulQ32(args);
    case RowForm::kQ256: return MatmulK(args);
  }
}

#define TF_NAME_OF_(isa) #isa
#define TF_NAME_OF(isa) TF_NAME_OF_(isa)

const KernelTable kTable = {
    TF_NAME_OF(TF_ISA), kLanes, Matmul, Quantize, RmsNorm, Rope,       Scale,     AddRows,   SiluMul,
    GeluMul,            Softcap, StoreKey, StoreValue, Attention, AllFinite, Argmax,
};

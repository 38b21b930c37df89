// Built in each of the two trees that are compared, the other tree's with this file too: it names nothing that is new.
#include "bench/product.h"

#include <string_view>

#include "backend/cpu/dispatch.h"
#include "tests/inputs.h"

namespace {

using namespace tf;

struct Product {
  PackedMatrix weights;
  std::vector<float> x;
  test::RowMemory quantized;
  HugeBuffer y, scratch;
  MatmulArgs args;
};

template <typename Args>
void GiveScratch(Args& args, uint8_t* scratch) {
  if constexpr (requires { args.scratch; }) args.scratch = scratch;
}

const DTypeInfo* TypeNamed(std::string_view name) {
  for (const DType type : test::kAllTypes) {
    const DTypeInfo* info = FindDType(static_cast<int32_t>(type));
    if (info->name == name) return info;
  }
  return nullptr;
}

}  // namespace

#define TF_EXPORT extern "C" __attribute__((visibility("default")))

TF_EXPORT void* tf_product_new(const char* type, size_t n, size_t k, size_t rows) {
  const DTypeInfo* info = TypeNamed(type);
  if (info == nullptr) return nullptr;
  const KernelTable& kernels = *FindKernels("");
  test::Dice dice(1);
  const size_t stride = (k + 255) / 256 * 256;
  auto* p = new Product{test::Pack(*info, test::RandomBlocks(dice, *info, n * k), n, k), dice.Normals(rows * stride),
                        test::RowMemory(rows, stride), {}, HugeBuffer(2 * kPanelColumns * k), {}};
  const RowForm form = InfoOf(p->weights.layout).rows;
  if (form != RowForm::kFloat) {
    for (size_t row = 0; row < rows; ++row) kernels.quantize(p->x.data() + row * stride, k, form, p->quantized.view, row);
  }
  p->args.weights = &p->weights;
  p->args.quant = p->quantized.view;
  p->args.floats = {p->x.data(), stride};
  p->args.y_stride = p->weights.num_panels() * kPanelColumns;
  p->y = HugeBuffer(rows * p->args.y_stride * sizeof(float));
  p->args.y = p->y.as<float>();
  p->args.split = p->weights.split;
  p->args.row_end = rows;
  GiveScratch(p->args, p->scratch.data());
  return p;
}

TF_EXPORT void tf_product_delete(void* product) { delete static_cast<Product*>(product); }

TF_EXPORT size_t tf_product_panels(const void* product) {
  return static_cast<const Product*>(product)->weights.num_panels();
}

TF_EXPORT void tf_product_run(void* product, size_t begin, size_t end) {
  static const KernelTable& kernels = *FindKernels("");
  MatmulArgs args = static_cast<Product*>(product)->args;
  args.panel_begin = begin;
  args.panel_end = end;
  kernels.matmul(args);
}

TF_EXPORT uint64_t tf_product_hash(const void* product) {
  const auto* p = static_cast<const Product*>(product);
  test::Hash hash;
  hash.Add(p->args.y, p->args.row_end * p->args.y_stride);
  return hash.value();
}

// Built in each of the two trees that are compared, the other tree's with this file too: it names nothing that is new.
#include "bench/work.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "backend/cpu/dispatch.h"
#include "tests/inputs.h"

namespace {

using namespace tf;

const KernelTable& Kernels() {
  static const KernelTable& kernels = *FindKernels("");
  return kernels;
}

struct Work {
  virtual ~Work() = default;
  virtual size_t Units() const = 0;
  virtual void Run(size_t begin, size_t end) = 0;
  virtual uint64_t HashOfResults() const = 0;
};

// A tree packs for a kernel set, or (before) for all alike.
template <typename Table, typename Blocks>
PackedMatrix PackFor(const Table& kernels, const DTypeInfo& info, const Blocks& blocks, size_t n, size_t k) {
  if constexpr (requires { kernels.lanes; }) {
    return test::Pack(kernels, info, blocks, n, k);
  } else {
    return test::Pack(info, blocks, n, k);
  }
}

template <typename Args>
void GiveScratch(Args& args, uint8_t* scratch) {
  if constexpr (requires { args.scratch; }) args.scratch = scratch;
}

struct Product : Work {
  Product(const DTypeInfo& info, size_t n, size_t k, size_t rows)
      : stride((k + 255) / 256 * 256), quantized(rows, stride) {
    test::Dice dice(1);
    weights = PackFor(Kernels(), info, test::RandomBlocks(dice, info, n * k), n, k);
    x = dice.Normals(rows * stride);
    const RowForm form = InfoOf(weights.layout).rows;
    if (form != RowForm::kFloat) {
      for (size_t row = 0; row < rows; ++row) Kernels().quantize(x.data() + row * stride, k, form, quantized.view, row);
    }
    args.weights = &weights;
    args.quant = quantized.view;
    args.floats = {x.data(), stride};
    args.y_stride = (n + 15) / 16 * 16;
    y = HugeBuffer(rows * args.y_stride * sizeof(float));
    args.y = y.as<float>();
    args.split = weights.split;
    args.row_end = rows;
  }

  size_t Units() const override { return weights.num_panels(); }

  void Run(size_t begin, size_t end) override {
    thread_local HugeBuffer scratch;
    const size_t wanted = MatmulScratchBytes(weights.k);
    if (scratch.size() < wanted) scratch = HugeBuffer(wanted);
    MatmulArgs part = args;
    GiveScratch(part, scratch.data());
    part.panel_begin = begin;
    part.panel_end = end;
    Kernels().matmul(part);
  }

  uint64_t HashOfResults() const override {
    test::Hash hash;
    hash.Add(args.y, args.row_end * args.y_stride);
    return hash.value();
  }

  size_t stride;
  test::RowMemory quantized;
  PackedMatrix weights;
  std::vector<float> x;
  HugeBuffer y;
  MatmulArgs args;
};

struct Attention : Work {
  Attention(size_t head_dim, size_t group, size_t positions, size_t queries, size_t lanes)
      : head_dim(head_dim), group(group), positions(positions), queries(queries), lanes(lanes) {
    test::Dice dice(2);
    const size_t num_blocks = lanes * BlocksOfLane();
    cache = HugeBuffer(num_blocks * BlockBytes());
    // Sixteen vectors for all: drawing each would take longer than the measurement.
    const std::vector<float> values = dice.Normals(16 * head_dim);
    for (size_t b = 0; b < num_blocks; ++b) {
      for (size_t p = 0; p < kBlockPositions; ++p) {
        const float* value = values.data() + (b * 7 + p) % 16 * head_dim;
        Kernels().store_key(value, head_dim, p, KvType::kF16, cache.data() + b * BlockBytes());
        Kernels().store_value(value, head_dim, p, KvType::kF16, cache.data() + b * BlockBytes());
      }
    }
    q = dice.Normals(queries * group * head_dim, 0.1f);
    out.resize(lanes * q.size());
  }

  size_t BlocksOfLane() const { return (positions + kBlockPositions - 1) / kBlockPositions; }
  size_t BlockBytes() const { return KvBlockBytes(KvType::kF16, head_dim); }
  size_t Units() const override { return lanes; }

  void Run(size_t begin, size_t end) override {
    thread_local std::vector<float> scratch;
    scratch.resize(std::max(scratch.size(), AttentionScratchFloats(head_dim)));
    std::vector<const uint8_t*> blocks(BlocksOfLane());
    std::vector<AttentionArgs::Row> rows;
    for (size_t lane = begin; lane < end; ++lane) {
      for (size_t b = 0; b < blocks.size(); ++b) blocks[b] = cache.data() + (lane * blocks.size() + b) * BlockBytes();
      // As the model cuts a prompt.
      const size_t step = kAttentionBand / group;
      for (size_t first = 0; first < queries; first += step) {
        rows.clear();
        for (size_t i = first; i < std::min(queries, first + step); ++i) {
          for (size_t g = 0; g < group; ++g) {
            const size_t at = (i * group + g) * head_dim;
            const auto position = static_cast<int32_t>(positions - queries + i);
            rows.push_back({q.data() + at, out.data() + lane * q.size() + at, position, 0});
          }
        }
        AttentionArgs args;
        args.rows = rows.data();
        args.num_rows = rows.size();
        args.head_dim = head_dim;
        args.blocks = blocks.data();
        args.kv_type = KvType::kF16;
        args.scratch = scratch.data();
        Kernels().attention(args);
      }
    }
  }

  uint64_t HashOfResults() const override {
    test::Hash hash;
    hash.AddAll(out);
    return hash.value();
  }

  const size_t head_dim, group, positions, queries, lanes;
  HugeBuffer cache;
  std::vector<float> q, out;
};

const DTypeInfo* TypeNamed(std::string_view name) {
  for (const DType type : test::kAllTypes) {
    const DTypeInfo* info = FindDType(static_cast<int32_t>(type));
    if (info->name == name) return info;
  }
  return nullptr;
}

// The pointers that go out are of this type, and no other.
Work* Of(void* work) { return static_cast<Work*>(work); }
const Work* Of(const void* work) { return static_cast<const Work*>(work); }

}  // namespace

#define TF_EXPORT extern "C" __attribute__((visibility("default")))

TF_EXPORT void* tf_product_new(const char* type, size_t n, size_t k, size_t rows) {
  const DTypeInfo* info = TypeNamed(type);
  return info == nullptr ? nullptr : static_cast<Work*>(new Product(*info, n, k, rows));
}

TF_EXPORT void* tf_attention_new(size_t head_dim, size_t group, size_t positions, size_t queries, size_t lanes) {
  return static_cast<Work*>(new Attention(head_dim, group, positions, queries, lanes));
}

TF_EXPORT void tf_work_delete(void* work) { delete Of(work); }

TF_EXPORT size_t tf_work_units(const void* work) { return Of(work)->Units(); }

TF_EXPORT void tf_work_run(void* work, size_t begin, size_t end) { Of(work)->Run(begin, end); }

TF_EXPORT uint64_t tf_work_hash(const void* work) { return Of(work)->HashOfResults(); }

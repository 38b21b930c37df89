// From a checkpoint's files to packed weights.
#include <algorithm>
#include <cstring>

#include "backend/cpu/dispatch.h"
#include "base/fp_state.h"
#include "model/model.h"

namespace tf {

namespace {

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

int64_t RoundUp(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// A round claims work at most 12 times a layer and 3 times around them (forward.cc), loading fewer.
constexpr int64_t kMaxLayers = (ThreadTeam::kMaxClaims - 3) / 12;

// New row 2j + s of a head equals old row s * (width / 2) + j in Llama's GGUF files; this names, for each row of the
// half-split order that the kernels turn, the row of the file.
std::vector<uint32_t> HalfSplitOrder(int64_t num_heads, int64_t head_dim, int64_t rotary_width) {
  std::vector<uint32_t> order;
  const int64_t half = rotary_width / 2;
  for (int64_t head = 0; head < num_heads; ++head) {
    for (int64_t i = 0; i < head_dim; ++i) {
      const int64_t source = i < half ? 2 * i : i < rotary_width ? 2 * (i - half) + 1 : i;
      order.push_back(static_cast<uint32_t>(head * head_dim + source));
    }
  }
  return order;
}

struct KvTypeName {
  const char* name;
  KvType type;
};

constexpr KvTypeName kKvTypeNames[] = {{"f32", KvType::kF32}, {"f16", KvType::kF16}, {"q8", KvType::kQ8}};

// nullptr: no such type.
const KvTypeName* FindKvType(const std::string& name) {
  for (const KvTypeName& known : kKvTypeNames) {
    if (name == known.name) return &known;
  }
  return nullptr;
}

// Float checkpoints keep float keys and values; quantized ones halves (docs/decisions/0003-kv-type.md).
KvType KvTypeFor(const ModelConfig& config, const std::string& wanted) {
  if (const KvTypeName* found = FindKvType(wanted)) return found->type;
  const auto k = config.tensors.find("blk.0.attn_k.weight");
  const DTypeInfo* type = k == config.tensors.end() ? nullptr : FindDType(k->second.type);
  return type != nullptr && type->block_values == 1 ? KvType::kF32 : KvType::kF16;
}

}  // namespace

Model::Model(const ModelConfig& config, const Family& family, const KernelTable& kernels, const ModelOptions& options)
    : config_(config),
      family_(family),
      kernels_(kernels),
      team_(options.num_threads > 0 ? options.num_threads : AvailableCores()),
      pace_(team_.num_threads()),
      pages_(options.num_pages, static_cast<size_t>(config.num_layers), static_cast<size_t>(config.num_kv_heads),
             static_cast<size_t>(config.head_dim), KvTypeFor(config, options.kv_type)) {}

Result<std::unique_ptr<Model>> Model::Load(const ModelConfig& config, const ModelOptions& options) {
  const Family* family = FindFamily(config.family);
  if (family == nullptr) return Status::Error("family " + config.family + " is not one of " + FamilyNames());
  const KernelTable* kernels = FindKernels(options.kernel);
  if (kernels == nullptr) {
    std::string names;
    for (const KernelTable* set : AvailableKernels()) names += (names.empty() ? "" : ", ") + std::string(set->name);
    return Status::Error("this CPU has no such kernel set; it has " + names);
  }
  if (options.kv_type != "" && FindKvType(options.kv_type) == nullptr) {
    return Status::Error("keys and values are kept as f32, f16 or q8, not " + options.kv_type);
  }
  if (config.num_layers < 1 || config.hidden_size < 1 || config.ffn_size < 1 || config.vocab_size < 1 ||
      config.num_heads < 1 || config.num_kv_heads < 1 || config.head_dim < 1 ||
      config.num_heads % config.num_kv_heads != 0 || config.layers.size() != static_cast<size_t>(config.num_layers)) {
    return Status::Error("the checkpoint's sizes do not make a model: layers, hidden, heads or vocabulary is wrong");
  }
  if (config.num_layers > kMaxLayers) {
    return Status::Error("the checkpoint has " + std::to_string(config.num_layers) + " layers, more than " +
                         std::to_string(kMaxLayers));
  }
  for (const LayerConfig& layer : config.layers) {
    if (layer.rope < 0 || static_cast<size_t>(layer.rope) >= config.ropes.size()) {
      return Status::Error("a layer names a rotary embedding that is not there");
    }
  }
  for (const RopeConfig& rope : config.ropes) {
    if (rope.rotary_width < 2 || rope.rotary_width % 2 != 0 || rope.rotary_width > config.head_dim) {
      return Status::Error("rotary width must be even and at most the head's " + std::to_string(config.head_dim) +
                           ", got " + std::to_string(rope.rotary_width));
    }
  }
  SetFloatState();
  std::unique_ptr<Model> model(new Model(config, *family, *kernels, options));
  model->reorder_sums_ = options.fault == "reorder-sum";
  for (const std::string& path : config.files) {
    Result<MmapFile> file = MmapFile::Open(path);
    if (!file.ok()) return file.status();
    model->files_.push_back(file.Take());
  }
  const Status status = model->LoadWeights();
  if (!status.ok()) return status;
  return model;
}

Result<const TensorConfig*> Model::Tensor(const std::string& name, const std::vector<int64_t>& shape) const {
  const auto found = config_.tensors.find(name);
  if (found == config_.tensors.end()) return Status::Error("tensor " + name + " is missing");
  const TensorConfig& tensor = found->second;
  if (tensor.shape != shape) {
    return Status::Error("tensor " + name + " must be " + ShapeText(shape) + ", is " + ShapeText(tensor.shape));
  }
  const DTypeInfo* type = FindDType(tensor.type);
  if (type == nullptr) return Status::Error("tensor " + name + " has type " + std::to_string(tensor.type) + ", not read");
  uint64_t values = 1;
  for (const int64_t size : shape) values *= static_cast<uint64_t>(size);
  if (static_cast<uint64_t>(shape.back()) % type->block_values != 0) {
    return Status::Error("tensor " + name + " of type " + type->name + " needs rows of a multiple of " +
                         std::to_string(type->block_values) + ", has " + std::to_string(shape.back()));
  }
  const uint64_t bytes = values / type->block_values * type->block_bytes;
  if (tensor.file < 0 || static_cast<size_t>(tensor.file) >= files_.size()) {
    return Status::Error("tensor " + name + " is in a file that is not there");
  }
  const uint64_t size = files_[static_cast<size_t>(tensor.file)].size();
  if (tensor.offset > size || bytes > size - tensor.offset) {
    return Status::Error("tensor " + name + " needs " + std::to_string(bytes) + " bytes at offset " +
                         std::to_string(tensor.offset) + ", the file has " + std::to_string(size));
  }
  return &tensor;
}

Result<std::vector<float>> Model::LoadVector(const std::string& name, int64_t size, float offset) const {
  Result<const TensorConfig*> tensor = Tensor(name, {size});
  if (!tensor.ok()) return tensor.status();
  const TensorConfig& t = **tensor;
  std::vector<float> values(PadToVectors(static_cast<size_t>(size)));
  Dequantize(*FindDType(t.type), files_[static_cast<size_t>(t.file)].data() + t.offset, static_cast<size_t>(size),
             values.data());
  if (offset != 0.0f) {
    for (int64_t i = 0; i < size; ++i) values[static_cast<size_t>(i)] += offset;
  }
  return values;
}

Status Model::PlanMatrix(const std::string& name, int64_t n, int64_t k, int64_t split,
                         const std::vector<uint32_t>* order, PackedMatrix* matrix) {
  Result<const TensorConfig*> tensor = Tensor(name + ".weight", {n, k});
  if (!tensor.ok()) return tensor.status();
  const TensorConfig& t = **tensor;
  const DTypeInfo* type = FindDType(t.type);
  matrix->layout = LayoutFor(type->type);
  matrix->k = static_cast<size_t>(k);
  matrix->n = static_cast<size_t>(n);
  matrix->columns = kernels_.lanes;
  const int64_t block = std::max<int64_t>(32, static_cast<int64_t>(type->block_values));
  matrix->split = static_cast<size_t>(std::min(k, RoundUp(split, block)));
  if (config_.tensors.count(name + ".bias") != 0) {
    Result<std::vector<float>> bias = LoadVector(name + ".bias", n, 0.0f);
    if (!bias.ok()) return bias.status();
    std::vector<float> ordered = *bias;
    if (order != nullptr) {
      for (size_t i = 0; i < order->size(); ++i) ordered[i] = (*bias)[(*order)[i]];
    }
    biases_.push_back(std::move(ordered));
    matrix->bias = biases_.back().data();
  }
  const size_t bytes = matrix->num_panels() * matrix->panel_stride();
  matrix->data = HugeBuffer(bytes);
  weight_bytes_ += bytes;
  pack_jobs_.push_back({type, files_[static_cast<size_t>(t.file)].data() + t.offset, order, matrix, &t});
  return Status::Ok();
}

Status Model::LoadWeights() {
  const ModelConfig& c = config_;
  const int64_t q_size = c.num_heads * c.head_dim, kv_size = c.num_kv_heads * c.head_dim;
  const std::vector<uint32_t>* q_order = nullptr;
  const std::vector<uint32_t>* k_order = nullptr;
  if (c.interleaved_rope) {
    const int64_t width = c.ropes[0].rotary_width;
    orders_.push_back(HalfSplitOrder(c.num_heads, c.head_dim, width));
    orders_.push_back(HalfSplitOrder(c.num_kv_heads, c.head_dim, width));
    q_order = &orders_[0];
    k_order = &orders_[1];
  }
  for (const RopeConfig& rope : c.ropes) {
    std::vector<float> factors;
    if (!rope.freq_factors.empty()) {
      Result<std::vector<float>> loaded = LoadVector(rope.freq_factors, rope.rotary_width / 2, 0.0f);
      if (!loaded.ok()) return loaded.status();
      factors = loaded.Take();
    }
    ropes_.emplace_back(rope, factors);
  }
  // Row-parallel sums are cut where two ranks would split the kv heads, or the MLP (docs/exactness.md).
  const int64_t o_split = (c.num_kv_heads + 1) / 2 * c.group() * c.head_dim;
  const int64_t down_split = (c.ffn_size + 1) / 2;
  biases_.reserve(static_cast<size_t>(c.num_layers) * 7 + 1);
  layers_.resize(static_cast<size_t>(c.num_layers));
  for (int64_t i = 0; i < c.num_layers; ++i) {
    Layer& layer = layers_[static_cast<size_t>(i)];
    const std::string at = "blk." + std::to_string(i) + ".";
    const struct {
      const char* name;
      int64_t n, k, split;
      const std::vector<uint32_t>* order;
      PackedMatrix* matrix;
    } matrices[] = {
        {"attn_q", q_size, c.hidden_size, c.hidden_size, q_order, &layer.q},
        {"attn_k", kv_size, c.hidden_size, c.hidden_size, k_order, &layer.k},
        {"attn_v", kv_size, c.hidden_size, c.hidden_size, nullptr, &layer.v},
        {"attn_output", c.hidden_size, q_size, o_split, nullptr, &layer.o},
        {"ffn_gate", c.ffn_size, c.hidden_size, c.hidden_size, nullptr, &layer.gate},
        {"ffn_up", c.ffn_size, c.hidden_size, c.hidden_size, nullptr, &layer.up},
        {"ffn_down", c.hidden_size, c.ffn_size, down_split, nullptr, &layer.down},
    };
    for (const auto& m : matrices) {
      const Status status = PlanMatrix(at + m.name, m.n, m.k, m.split, m.order, m.matrix);
      if (!status.ok()) return status;
    }
    struct Norm {
      const char* name;
      int64_t size;
      std::vector<float>* weight;
    };
    std::vector<Norm> norms = {{"attn_norm", c.hidden_size, &layer.attn_norm},
                               {"ffn_norm", c.hidden_size, &layer.ffn_norm}};
    if (family_.qk_norm) {
      norms.push_back({"attn_q_norm", c.head_dim, &layer.q_norm});
      norms.push_back({"attn_k_norm", c.head_dim, &layer.k_norm});
    }
    if (family_.post_norms) {
      norms.push_back({"post_attention_norm", c.hidden_size, &layer.post_attn_norm});
      norms.push_back({"post_ffw_norm", c.hidden_size, &layer.post_ffn_norm});
    }
    for (const Norm& norm : norms) {
      Result<std::vector<float>> weight = LoadVector(at + norm.name + ".weight", norm.size, c.norm_weight_offset);
      if (!weight.ok()) return weight.status();
      *norm.weight = weight.Take();
    }
  }
  Result<std::vector<float>> output_norm = LoadVector("output_norm.weight", c.hidden_size, c.norm_weight_offset);
  if (!output_norm.ok()) return output_norm.status();
  output_norm_ = output_norm.Take();

  Result<const TensorConfig*> embedding = Tensor("token_embd.weight", {c.vocab_size, c.hidden_size});
  if (!embedding.ok()) return embedding.status();
  embedding_type_ = FindDType((*embedding)->type);
  embedding_ = files_[static_cast<size_t>((*embedding)->file)].data() + (*embedding)->offset;
  const char* head = c.tensors.count("output.weight") != 0 ? "output" : "token_embd";
  const Status status = PlanMatrix(head, c.vocab_size, c.hidden_size, c.hidden_size, nullptr, &head_);
  if (!status.ok()) return status;
  vocab_stride_ = head_.padded_n();

  constexpr size_t kPanelsAtOnce = 16;
  team_.Run([&](int) {
    int phase = 0;
    for (const PackJob& job : pack_jobs_) {
      team_.Claim(phase, job.matrix->num_panels(), kPanelsAtOnce, [&](size_t begin, size_t end) {
        PackPanels(*job.type, job.rows, job.order != nullptr ? job.order->data() : nullptr, *job.matrix, begin, end);
        // At once, so that never more than one copy of the weights is in memory.
        if (job.order == nullptr) {
          const size_t panel_bytes = job.matrix->columns * (job.matrix->k / job.type->block_values * job.type->block_bytes);
          const size_t stop = std::min(end * panel_bytes, static_cast<size_t>(job.tensor->byte_length));
          files_[static_cast<size_t>(job.tensor->file)].DropPages(job.tensor->offset + begin * panel_bytes,
                                                                  stop - begin * panel_bytes);
        }
      });
    }
  });
  for (const PackJob& job : pack_jobs_) {
    files_[static_cast<size_t>(job.tensor->file)].DropPages(job.tensor->offset, job.tensor->byte_length);
  }
  pack_jobs_.clear();
  return Status::Ok();
}

}  // namespace tf

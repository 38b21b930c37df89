// What a checkpoint is, as the model graphs read it: the C++ twin of ModelSpec (src/checkpoint/model-spec.ts).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tf {

struct RopeConfig {
  enum class Scaling { kNone, kLinear, kLlama3, kYarn };
  double theta = 10000.0;
  int64_t rotary_width = 0;
  Scaling scaling = Scaling::kNone;
  double factor = 1.0;
  double low_freq_factor = 1.0, high_freq_factor = 4.0;
  double original_context = 0.0;
  double beta_fast = 32.0, beta_slow = 1.0;
  bool truncate = true;
  double attention_factor = 1.0;
  std::string freq_factors;  // tensor name, or ""
};

struct TensorConfig {
  int64_t file = 0;
  uint64_t offset = 0, byte_length = 0;
  int32_t type = 0;
  std::vector<int64_t> shape;  // row-major
};

struct LayerConfig {
  int64_t rope = 0;
  int64_t window = 0;  // 0: all
};

struct ModelConfig {
  std::string family;
  std::vector<std::string> files;
  std::map<std::string, TensorConfig> tensors;
  int64_t vocab_size = 0, hidden_size = 0, ffn_size = 0, num_layers = 0;
  int64_t num_heads = 0, num_kv_heads = 0, head_dim = 0;
  float norm_eps = 1e-5f, norm_weight_offset = 0.0f;
  bool gelu = false;
  float attention_scale = 1.0f, attention_softcap = 0.0f, final_softcap = 0.0f, embedding_scale = 1.0f;
  bool interleaved_rope = false;
  std::vector<RopeConfig> ropes;
  std::vector<LayerConfig> layers;

  // Query heads that read one kv head.
  int64_t group() const { return num_heads / num_kv_heads; }
};

}  // namespace tf

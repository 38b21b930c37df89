// The forward pass of a tiny model of each family: where the sanitizers see its threads, and ARM its bits. Checkpoints
// of all types, mixes of lanes and pages: tests/forward.property.test.ts.
#include "model/model.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/inputs.h"
#include "tests/test.h"

namespace tf::test {
namespace {

// A checkpoint in a file that is gone when this is.
struct TinyCheckpoint {
  TinyCheckpoint(const char* family, DType type) {
    char path[] = "/tmp/tensorfold-test-XXXXXX";
    const int fd = mkstemp(path);
    config.family = family;
    file = path;
    config.files = {file};
    config.vocab_size = 70;
    config.hidden_size = 64;
    config.ffn_size = 96;
    config.num_layers = 2;
    config.num_heads = 4;
    config.num_kv_heads = 2;
    config.head_dim = 16;
    config.attention_scale = 0.25f;
    config.gelu = config.family == "gemma3";
    config.embedding_scale = config.gelu ? 8.0f : 1.0f;
    config.interleaved_rope = config.family == "llama";
    RopeConfig rope;
    rope.rotary_width = 16;
    config.ropes = {rope};
    config.layers = {{0, 0}, {0, config.gelu ? 20 : 0}};
    Add("token_embd", type, 70, 64);
    Add("output_norm", DType::kF32, 1, 64);
    Add("output", type, 70, 64);
    for (int i = 0; i < 2; ++i) {
      const std::string at = "blk." + std::to_string(i) + ".";
      for (const char* name : {"attn_norm", "ffn_norm", "post_attention_norm", "post_ffw_norm"}) {
        Add(at + name, DType::kF32, 1, 64);
      }
      for (const char* name : {"attn_q_norm", "attn_k_norm"}) Add(at + name, DType::kF32, 1, 16);
      Add(at + "attn_q", type, 64, 64);
      Add(at + "attn_k", type, 32, 64);
      Add(at + "attn_v", type, 32, 64);
      Add(at + "attn_output", type, 64, 64);
      Add(at + "ffn_gate", type, 96, 64);
      Add(at + "ffn_up", type, 96, 64);
      Add(at + "ffn_down", type, 64, 96);
    }
    ok = fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    close(fd);
  }
  ~TinyCheckpoint() { std::remove(file.c_str()); }

  void Add(const std::string& name, DType type, int64_t rows, int64_t columns) {
    const DTypeInfo& info = *FindDType(static_cast<int32_t>(type));
    const std::vector<uint8_t> blocks = RandomBlocks(dice, info, static_cast<size_t>(rows * columns));
    TensorConfig tensor;
    tensor.offset = bytes.size();
    tensor.byte_length = blocks.size();
    tensor.type = static_cast<int32_t>(type);
    tensor.shape = rows == 1 ? std::vector<int64_t>{columns} : std::vector<int64_t>{rows, columns};
    config.tensors[name + ".weight"] = tensor;
    bytes.insert(bytes.end(), blocks.begin(), blocks.end());
  }

  Dice dice{7};
  std::vector<uint8_t> bytes;
  std::string file;
  ModelConfig config;
  bool ok = false;
};

// Reads `tokens` of two lanes, `chunk` rows of each a round, and hashes every row's logits by lane and position.
uint64_t HashOfRun(const TinyCheckpoint& checkpoint, const char* kernel, int threads, size_t chunk) {
  ModelOptions options;
  options.kernel = kernel;
  options.num_threads = threads;
  options.num_pages = 5;
  Result<std::unique_ptr<Model>> loaded = Model::Load(checkpoint.config, options);
  EXPECT(loaded.ok(), loaded.status().message());
  if (!loaded.ok()) return 0;
  Model& model = **loaded;
  constexpr size_t kLength = 80;
  std::vector<float> all(2 * kLength * model.vocab_size());
  for (size_t begin = 0; begin < kLength; begin += chunk) {
    const size_t count = std::min(chunk, kLength - begin);
    std::vector<int32_t> tokens, positions, lanes, wanted;
    for (int32_t lane = 0; lane < 2; ++lane) {
      for (size_t p = begin; p < begin + count; ++p) {
        tokens.push_back(static_cast<int32_t>((p * 31 + static_cast<size_t>(lane) * 7 + p * p) % 70));
        positions.push_back(static_cast<int32_t>(p));
        lanes.push_back(lane);
        wanted.push_back(static_cast<int32_t>(wanted.size()));
      }
    }
    RoundRows rows;
    rows.num_rows = rows.num_wanted = tokens.size();
    rows.tokens = tokens.data();
    rows.positions = positions.data();
    rows.lanes = lanes.data();
    rows.wanted = wanted.data();
    rows.page_tables = {{3, 0}, {1, 4}};
    const Status status = model.Forward(rows);
    EXPECT(status.ok(), status.message());
    for (size_t i = 0; i < rows.num_wanted; ++i) {
      const size_t at = static_cast<size_t>(lanes[i]) * kLength + static_cast<size_t>(positions[i]);
      const float* logits = model.Logits(i);
      std::copy_n(logits, model.vocab_size(), all.begin() + static_cast<ptrdiff_t>(at * model.vocab_size()));
      const auto largest = std::max_element(logits, logits + model.vocab_size()) - logits;
      EXPECT(model.LargestLogit(i) == largest, "row " << i << ": " << model.LargestLogit(i) << ", not " << largest);
    }
  }
  Hash hash;
  hash.AddAll(all);
  return hash.value();
}

TEST("tiny models hash to their golden numbers on every kernel set, with any threads and chunks") {
  const struct {
    const char* family;
    DType type;
    uint64_t hash;
  } kGolden[] = {
      {"llama", DType::kQ4_0, 0xc0e95947997a6d95},
      {"qwen3", DType::kQ8_0, 0xb6414b888692567e},
      {"gemma3", DType::kBF16, 0x5fa8fa7ad236eb6f},
      {"gemma3", DType::kQ5_1, 0xa6c05291078ffe93},
  };
  for (const auto& golden : kGolden) {
    const TinyCheckpoint checkpoint(golden.family, golden.type);
    EXPECT(checkpoint.ok, "cannot write " << checkpoint.config.files[0]);
    for (const KernelTable* kernels : AllKernels()) {
      for (const int threads : {1, 2, 4}) {
        for (const size_t chunk : {1, 9, 80}) {
          if (TheState().light && threads == 1 && chunk != 9) continue;
          const uint64_t hash = HashOfRun(checkpoint, kernels->name, threads, chunk);
          char hex[32];
          std::snprintf(hex, sizeof(hex), "0x%016llx", static_cast<unsigned long long>(hash));
          EXPECT(hash == golden.hash, golden.family << " type " << static_cast<int>(golden.type) << " on "
                                                    << kernels->name << ", " << threads << " threads, chunks of "
                                                    << chunk << " is " << hex);
        }
      }
    }
  }
}

TEST("a checkpoint that does not fit is refused by name") {
  const auto error_of = [](const auto& change) {
    TinyCheckpoint checkpoint("llama", DType::kQ8_0);
    change(checkpoint.config);
    ModelOptions options;
    options.num_threads = 1;
    options.num_pages = 1;
    Result<std::unique_ptr<Model>> model = Model::Load(checkpoint.config, options);
    return model.ok() ? std::string() : model.status().message();
  };
  const auto holds = [](const std::string& message, const char* part) {
    return message.find(part) != std::string::npos;
  };
  EXPECT(error_of([](ModelConfig&) {}).empty());
  EXPECT(holds(error_of([](ModelConfig& c) { c.family = "other"; }), "other"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.files[0] += ".gone"; }), ".gone"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.tensors.erase("blk.1.ffn_up.weight"); }), "blk.1.ffn_up.weight"));
  EXPECT(
      holds(error_of([](ModelConfig& c) { c.tensors["blk.0.attn_q.weight"].offset = uint64_t{1} << 62; }), "attn_q"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.tensors["blk.0.attn_q.weight"].shape = {64, 32}; }), "[64, 32]"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.tensors["output.weight"].type = 99; }), "99"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.tensors["output.weight"].type = 12; }), "256"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.tensors["output.weight"].file = 1; }), "file"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.num_kv_heads = 3; }), "sizes"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.ropes[0].rotary_width = 18; }), "18"));
  EXPECT(holds(error_of([](ModelConfig& c) { c.layers[1].rope = 1; }), "rotary"));
}

}  // namespace
}  // namespace tf::test

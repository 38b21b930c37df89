// A loaded decoder-only transformer: one forward pass over rows of many lanes. Prefill, decode and verify are the same
// call. A row's logits depend on the tokens of its lane up to its position and on nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/kernels/kernel_table.h"
#include "backend/cpu/packed_matrix.h"
#include "base/mmap_file.h"
#include "base/status.h"
#include "base/team_pace.h"
#include "base/thread_team.h"
#include "kv/page_pool.h"
#include "model/config.h"
#include "model/families/families.h"
#include "model/rope_table.h"

namespace tf {

struct RoundRows {
  size_t num_rows = 0;
  const int32_t* tokens = nullptr;     // [rows] in [0, vocab)
  const int32_t* positions = nullptr;  // [rows]; rows of a lane stand together, ascending by one
  const int32_t* lanes = nullptr;      // [rows] index into page_tables
  std::vector<std::vector<int32_t>> page_tables;
  const int32_t* wanted = nullptr;     // [num_wanted] ascending row indices
  size_t num_wanted = 0;
};

struct ModelOptions {
  int num_threads = 0;    // 0: AvailableCores()
  std::string kernel;     // "": the fastest
  size_t num_pages = 0;
  std::string kv_type;    // f32, f16 or q8; "": what the checkpoint's weights ask for
  // Breaks the contract on purpose, to see the checks catch it: "reorder-sum" adds the two halves of row-parallel
  // products in one chain where a round has more rows than one. "": nothing.
  std::string fault;
};

class Model {
 public:
  // Maps the files, packs the weights. The error names the tensor and what is wrong.
  static Result<std::unique_ptr<Model>> Load(const ModelConfig& config, const ModelOptions& options);

  // Writes keys and values of all rows and keeps the logits of the wanted ones. An error (a token, position or page out
  // of range) leaves everything as it was; NaN logits are an error after the pages were written.
  Status Forward(const RoundRows& rows);

  // [vocab] of the index-th wanted row of the last Forward.
  const float* Logits(size_t index) const { return logits_.as<float>() + index * vocab_stride_; }
  // The first of the largest of them.
  int32_t LargestLogit(size_t index) const { return largest_[index].id; }
  size_t num_wanted() const { return num_wanted_; }
  size_t vocab_size() const { return static_cast<size_t>(config_.vocab_size); }
  const PagePool& pages() const { return pages_; }
  const char* kernel_name() const { return kernels_.name; }
  int num_threads() const { return team_.num_threads(); }
  size_t weight_bytes() const { return weight_bytes_; }

 private:
  struct Layer {
    PackedMatrix q, k, v, o, gate, up, down;
    std::vector<float> attn_norm, ffn_norm, post_attn_norm, post_ffn_norm, q_norm, k_norm;
  };

  // Rows of one lane in the round.
  struct Run {
    size_t begin, end;
    const std::vector<int32_t>* pages;
  };

  // Floats of rows and their quantized forms, for the widest product.
  struct RowBuffer {
    std::vector<float> floats;
    HugeBuffer memory;
    QuantRows q32, wide, q256;
    const QuantRows& Of(RowForm form) const {
      return form == RowForm::kQ256 ? q256 : form == RowForm::kQ32Wide ? wide : q32;
    }
    size_t stride = 0, rows = 0;
    void Reserve(size_t num_rows, size_t width);
  };

  // Two keys of attention work: rows [begin, end) of a run against one kv head.
  struct AttentionUnit {
    size_t run, kv_head, begin, end;
  };

  struct Product {
    const PackedMatrix* weights;
    float* y;
    size_t y_stride;
    bool accumulate;
  };

  // The first of the largest logits of a row, of those seen; id -1: none yet.
  struct Largest {
    float logit;
    int32_t id;
  };

  Model(const ModelConfig& config, const Family& family, const KernelTable& kernels, const ModelOptions& options);

  Status LoadWeights();
  Result<const TensorConfig*> Tensor(const std::string& name, const std::vector<int64_t>& shape) const;
  Result<std::vector<float>> LoadVector(const std::string& name, int64_t size, float offset) const;
  Status PlanMatrix(const std::string& name, int64_t n, int64_t k, int64_t split, const std::vector<uint32_t>* order,
                    PackedMatrix* matrix);
  Status Check(const RoundRows& rows) const;
  void PlanRound(const RoundRows& rows);

  // The program of one thread of the team for one round.
  struct ThreadState;
  void RunThread(int thread, const RoundRows& rows);
  template <typename MakeRow>
  const RowBuffer& PrepareRows(ThreadState& t, size_t num_rows, size_t width, std::initializer_list<const PackedMatrix*>,
                               const MakeRow& make_row);
  template <typename After>
  void Multiply(ThreadState& t, const RowBuffer& rows, size_t num_rows, std::initializer_list<Product> products,
                const After& after);
  void PrepareHeads(const RoundRows& rows, size_t layer, size_t row, size_t kv_begin, size_t kv_end);
  void Attend(ThreadState& t, const RoundRows& rows, size_t layer, const AttentionUnit& unit);
  void FinishLogits(int thread, const RoundRows& rows, size_t first_panel, size_t last_panel);
  void MergeLargest();
  void AddNormed(ThreadState& t, size_t num_rows, const std::vector<float>& weight);

  const ModelConfig config_;
  const Family& family_;
  const KernelTable& kernels_;
  ThreadTeam team_;
  TeamPace pace_;
  std::vector<MmapFile> files_;
  std::vector<Layer> layers_;
  std::vector<float> output_norm_;
  PackedMatrix head_;
  const DTypeInfo* embedding_type_ = nullptr;
  const uint8_t* embedding_ = nullptr;
  std::vector<std::vector<float>> biases_;
  std::vector<RopeTable> ropes_;
  PagePool pages_;
  size_t weight_bytes_ = 0;
  size_t vocab_stride_ = 0;

  struct PackJob {
    const DTypeInfo* type;
    const uint8_t* rows;
    const std::vector<uint32_t>* order;
    PackedMatrix* matrix;
    const TensorConfig* tensor;
  };
  std::vector<PackJob> pack_jobs_;
  std::vector<std::vector<uint32_t>> orders_;

  // Of the round: [rows, ...] float buffers, grown when a round brings more rows.
  size_t reserved_rows_ = 0;
  HugeBuffer x_, q_, k_, v_, attention_, gate_, up_, sub_out_;
  size_t q_stride_ = 0, kv_stride_ = 0, hidden_stride_ = 0, ffn_stride_ = 0, attention_stride_ = 0;
  HugeBuffer logits_;
  size_t logits_rows_ = 0;
  size_t num_wanted_ = 0;
  std::vector<Largest> largest_;  // [threads][logits_rows_]; once the round is over, the first thread's hold for all
  RowBuffer shared_;
  std::vector<RowBuffer> private_;
  std::vector<HugeBuffer> scratch_;  // a thread's own, of products and of attention
  std::vector<Run> runs_;
  std::vector<AttentionUnit> units_;
  bool fused_heads_ = false;
  bool reorder_sums_ = false;
  std::atomic<bool> nan_{false};
};

}  // namespace tf

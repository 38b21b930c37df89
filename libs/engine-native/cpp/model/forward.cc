// The forward pass. Every thread of the team runs RunThread; phases are cut by barriers, work inside a phase is claimed
// in chunks. Which thread does what changes no bit.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/check.h"
#include "base/fp_state.h"
#include "model/model.h"

namespace tf {

namespace {

// Up to this many rows each thread prepares them all for itself: cheaper than a barrier.
constexpr size_t kRedundantRows = 2;
// Up to this many rows a round, one thread turns a head's rows and attends to them at once: a barrier less.
constexpr size_t kFusedRows = 16;
// Attention units that a thread has at least to choose from in a prefill, where there are rows enough.
constexpr size_t kUnitsPerThread = 8;

constexpr size_t kLine = 64;  // bytes; buffers of different threads never share one

size_t AlignUp(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Positions of an attention unit in a prefill: their queries fill a band, but there are units for every thread.
size_t UnitPositions(size_t num_rows, size_t group, size_t num_kv_heads, int num_threads) {
  size_t positions = std::max<size_t>(1, kAttentionBand / group);
  const size_t wanted = kUnitsPerThread * static_cast<size_t>(num_threads);
  while (positions > 1 && num_rows * num_kv_heads < wanted * positions) positions /= 2;
  return positions;
}

}  // namespace

struct Model::ThreadState {
  int thread;
  int phase = 0;  // claims so far
};

void Model::RowBuffer::Reserve(size_t num_rows, size_t width) {
  if (num_rows <= rows && width <= stride) return;
  rows = std::max(rows, num_rows);
  stride = std::max(stride, AlignUp(width, 256));
  const size_t values = rows * stride;
  floats.assign(values, 0.0f);
  // Bytes. Blocks of 32: codes, scale, sum, scaled sum; wide: codes, scale, sum; blocks of 256: codes, scale, two
  // sums.
  const size_t parts[] = {values,     values / 8, values / 8,  values / 8, 2 * values,
                          values / 8, values / 8, values,     values / 64, values / 8, values / 16};
  size_t total = 0;
  for (const size_t part : parts) total += AlignUp(part, kLine);
  memory = HugeBuffer(total);
  uint8_t* at = memory.data();
  size_t index = 0;
  const auto next = [&](auto*& pointer) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(at);
    at += AlignUp(parts[index++], kLine);
  };
  next(q32.codes);
  next(q32.scale);
  next(q32.sum);
  next(q32.scaled_sum);
  next(wide.wide);
  next(wide.scale);
  next(wide.sum);
  next(q256.codes);
  next(q256.scale);
  next(q256.sum16);
  next(q256.sum32);
  q32.stride = wide.stride = q256.stride = stride;
}

Status Model::Check(const RoundRows& rows) const {
  if (rows.num_rows == 0) return Status::Error("a round needs at least one row");
  std::vector<bool> seen(rows.page_tables.size());
  for (size_t i = 0; i < rows.num_rows; ++i) {
    if (rows.tokens[i] < 0 || rows.tokens[i] >= config_.vocab_size) {
      return Status::Error("token " + std::to_string(rows.tokens[i]) + " is not in the vocabulary of " +
                           std::to_string(config_.vocab_size));
    }
    const int32_t lane = rows.lanes[i], position = rows.positions[i];
    if (lane < 0 || static_cast<size_t>(lane) >= rows.page_tables.size()) return Status::Error("a row names no lane");
    const std::vector<int32_t>& table = rows.page_tables[static_cast<size_t>(lane)];
    if (position < 0 || static_cast<size_t>(position) / kBlockPositions >= table.size()) {
      return Status::Error("position " + std::to_string(position) + " lies beyond the lane's pages");
    }
    const int32_t page = table[static_cast<size_t>(position) / kBlockPositions];
    if (page < 0 || static_cast<size_t>(page) >= pages_.num_pages()) return Status::Error("a page is out of range");
    const bool goes_on = i > 0 && rows.lanes[i - 1] == lane;
    if (goes_on && rows.positions[i - 1] + 1 != position) return Status::Error("positions of a lane must ascend by one");
    if (!goes_on && seen[static_cast<size_t>(lane)]) return Status::Error("rows of a lane must stand together");
    seen[static_cast<size_t>(lane)] = true;
  }
  for (const std::vector<int32_t>& table : rows.page_tables) {
    for (const int32_t page : table) {
      if (page < 0 || static_cast<size_t>(page) >= pages_.num_pages()) return Status::Error("a page is out of range");
    }
  }
  for (size_t i = 0; i < rows.num_wanted; ++i) {
    const int32_t row = rows.wanted[i];
    if (row < 0 || static_cast<size_t>(row) >= rows.num_rows || (i > 0 && rows.wanted[i - 1] >= row)) {
      return Status::Error("wanted rows must ascend and lie in the round");
    }
  }
  return Status::Ok();
}

void Model::PlanRound(const RoundRows& rows) {
  const size_t num_kv_heads = static_cast<size_t>(config_.num_kv_heads);
  runs_.clear();
  int32_t last_position = 0;
  for (size_t i = 0; i < rows.num_rows; ++i) {
    last_position = std::max(last_position, rows.positions[i]);
    if (i > 0 && rows.lanes[i] == rows.lanes[i - 1]) {
      runs_.back().end = i + 1;
    } else {
      runs_.push_back({i, i + 1, &rows.page_tables[static_cast<size_t>(rows.lanes[i])]});
    }
  }
  for (RopeTable& rope : ropes_) rope.Extend(static_cast<size_t>(last_position) + 1);
  fused_heads_ = rows.num_rows <= kFusedRows;
  const size_t group = static_cast<size_t>(config_.group());
  const size_t unit_positions = UnitPositions(rows.num_rows, group, num_kv_heads, team_.num_threads());
  units_.clear();
  for (size_t run = 0; run < runs_.size(); ++run) {
    const size_t step = fused_heads_ ? rows.num_rows : unit_positions;
    // Last rows first: they see the most, so the long units start early.
    for (size_t end = runs_[run].end; end > runs_[run].begin;) {
      const size_t begin = end - runs_[run].begin > step ? end - step : runs_[run].begin;
      for (size_t head = 0; head < num_kv_heads; ++head) units_.push_back({run, head, begin, end});
      end = begin;
    }
  }

  const size_t hidden = static_cast<size_t>(config_.hidden_size), ffn = static_cast<size_t>(config_.ffn_size);
  const size_t q_size = static_cast<size_t>(config_.num_heads * config_.head_dim);
  const size_t kv_size = static_cast<size_t>(config_.num_kv_heads * config_.head_dim);
  const size_t widest = std::max({hidden, ffn, q_size});
  if (rows.num_rows > reserved_rows_) {
    reserved_rows_ = std::max(rows.num_rows, reserved_rows_ * 2);
    hidden_stride_ = AlignUp(hidden, 16);
    ffn_stride_ = AlignUp(ffn, 16);
    q_stride_ = attention_stride_ = AlignUp(q_size, 16);
    kv_stride_ = AlignUp(kv_size, 16);
    const auto floats = [&](size_t stride) { return HugeBuffer(reserved_rows_ * stride * sizeof(float)); };
    x_ = floats(hidden_stride_);
    sub_out_ = floats(family_.post_norms ? hidden_stride_ : 0);
    q_ = floats(q_stride_);
    k_ = floats(kv_stride_);
    v_ = floats(kv_stride_);
    attention_ = floats(attention_stride_);
    gate_ = floats(ffn_stride_);
    up_ = floats(ffn_stride_);
    shared_.Reserve(reserved_rows_, widest);
    private_.resize(static_cast<size_t>(team_.num_threads()));
    scratch_.resize(private_.size());
    for (RowBuffer& buffer : private_) buffer.Reserve(kRedundantRows, widest);
    const size_t attention = AttentionScratchFloats(static_cast<size_t>(config_.head_dim)) * sizeof(float);
    for (HugeBuffer& scratch : scratch_) scratch = HugeBuffer(std::max(attention, MatmulScratchBytes(widest)));
  }
  if (rows.num_wanted > logits_rows_) {
    logits_rows_ = std::max(rows.num_wanted, logits_rows_ * 2);
    logits_ = HugeBuffer(logits_rows_ * vocab_stride_ * sizeof(float));
  }
  num_wanted_ = rows.num_wanted;
  largest_.assign(static_cast<size_t>(team_.num_threads()) * logits_rows_, {0.0f, -1});
}

Status Model::Forward(const RoundRows& rows) {
  const Status status = Check(rows);
  if (!status.ok()) return status;
  if (!FloatStateOk()) SetFloatState();
  PlanRound(rows);
  nan_.store(false, std::memory_order_relaxed);
  const auto start = std::chrono::steady_clock::now();
  team_.Run(pace_.threads(), [this, &rows](int thread) { RunThread(thread, rows); });
  pace_.Record(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), team_.slept_seconds());
  if (nan_.load(std::memory_order_relaxed)) return Status::Error("the model's logits hold NaN");
  MergeLargest();
  return Status::Ok();
}

// make_row(r, out) writes the float row r of `width`; then the forms that the matrices read are made from it.
template <typename MakeRow>
const Model::RowBuffer& Model::PrepareRows(ThreadState& t, size_t num_rows, size_t width,
                                           std::initializer_list<const PackedMatrix*> matrices,
                                           const MakeRow& make_row) {
  bool q32 = false, wide = false, q256 = false;
  for (const PackedMatrix* matrix : matrices) {
    const RowForm form = InfoOf(matrix->layout).rows;
    q32 |= form == RowForm::kQ32;
    wide |= form == RowForm::kQ32Wide;
    q256 |= form == RowForm::kQ256;
  }
  const auto prepare = [&](RowBuffer& buffer, size_t row) {
    float* floats = buffer.floats.data() + row * buffer.stride;
    make_row(row, floats);
    if (q32) kernels_.quantize(floats, width, RowForm::kQ32, buffer.q32, row);
    if (wide) kernels_.quantize(floats, width, RowForm::kQ32Wide, buffer.wide, row);
    if (q256) kernels_.quantize(floats, width, RowForm::kQ256, buffer.q256, row);
  };
  if (num_rows <= kRedundantRows || team_.active() == 1) {
    RowBuffer& buffer = num_rows <= kRedundantRows ? private_[static_cast<size_t>(t.thread)] : shared_;
    for (size_t row = 0; row < num_rows; ++row) prepare(buffer, row);
    return buffer;
  }
  const size_t chunk = std::max<size_t>(1, num_rows / (4 * static_cast<size_t>(team_.active())));
  team_.Claim(t.phase, num_rows, chunk, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) prepare(shared_, row);
  });
  team_.Barrier();
  return shared_;
}

// All products of one phase, their panels claimed from one counter. after(product, args) runs on each finished chunk.
template <typename After>
void Model::Multiply(ThreadState& t, const RowBuffer& rows, size_t num_rows, std::initializer_list<Product> products,
                     const After& after) {
  size_t total = 0;
  for (const Product& product : products) total += product.weights->num_panels();
  team_.ClaimPairs(t.phase, total, MostPanels(num_rows), [&](size_t begin, size_t end) {
    size_t first = 0;
    for (const Product& product : products) {
      const size_t panels = product.weights->num_panels();
      const size_t from = std::max(begin, first), to = std::min(end, first + panels);
      if (from < to) {
        MatmulArgs args;
        args.weights = product.weights;
        args.quant = rows.Of(InfoOf(product.weights->layout).rows);
        args.floats = {rows.floats.data(), rows.stride};
        args.y = product.y;
        args.y_stride = product.y_stride;
        args.accumulate = product.accumulate;
        args.split = reorder_sums_ && num_rows > 1 ? product.weights->k : product.weights->split;
        args.row_end = num_rows;
        args.panel_begin = from - first;
        args.panel_end = to - first;
        args.scratch = scratch_[static_cast<size_t>(t.thread)].data();
        kernels_.matmul(args);
        after(product, args);
      }
      first += panels;
    }
  });
}

// Norms and turns the heads of kv heads [kv_begin, kv_end) of a row, and stores its keys and values.
void Model::PrepareHeads(const RoundRows& rows, size_t layer, size_t row, size_t kv_begin, size_t kv_end) {
  const Layer& w = layers_[layer];
  const size_t head_dim = static_cast<size_t>(config_.head_dim);
  const size_t group = static_cast<size_t>(config_.group());
  const RopeTable& rope = ropes_[static_cast<size_t>(config_.layers[layer].rope)];
  const size_t position = static_cast<size_t>(rows.positions[row]);
  const std::vector<int32_t>& table = rows.page_tables[static_cast<size_t>(rows.lanes[row])];
  const size_t page = static_cast<size_t>(table[position / kBlockPositions]);
  for (size_t h = kv_begin * group; h < kv_end * group; ++h) {
    float* q = q_.as<float>() + row * q_stride_ + h * head_dim;
    if (family_.qk_norm) kernels_.rms_norm(q, w.q_norm.data(), config_.norm_eps, head_dim, q);
    kernels_.rope(q, rope.cos(position), rope.sin(position), rope.half());
    kernels_.scale(q, config_.attention_scale, head_dim);
  }
  for (size_t h = kv_begin; h < kv_end; ++h) {
    float* k = k_.as<float>() + row * kv_stride_ + h * head_dim;
    const float* v = v_.as<float>() + row * kv_stride_ + h * head_dim;
    if (family_.qk_norm) kernels_.rms_norm(k, w.k_norm.data(), config_.norm_eps, head_dim, k);
    kernels_.rope(k, rope.cos(position), rope.sin(position), rope.half());
    uint8_t* block = pages_.Block(page, layer, h);
    kernels_.store_key(k, head_dim, position % kBlockPositions, pages_.type(), block);
    kernels_.store_value(v, head_dim, position % kBlockPositions, pages_.type(), block);
  }
}

void Model::Attend(ThreadState& t, const RoundRows& rows, size_t layer, const AttentionUnit& unit) {
  const size_t head_dim = static_cast<size_t>(config_.head_dim);
  const size_t group = static_cast<size_t>(config_.group());
  const Run& run = runs_[unit.run];
  if (fused_heads_) {
    for (size_t row = unit.begin; row < unit.end; ++row) {
      PrepareHeads(rows, layer, row, unit.kv_head, unit.kv_head + 1);
    }
  }
  const int32_t window = static_cast<int32_t>(config_.layers[layer].window);
  const size_t last_block = static_cast<size_t>(rows.positions[unit.end - 1]) / kBlockPositions;
  thread_local std::vector<const uint8_t*> blocks;
  thread_local std::vector<AttentionArgs::Row> query_rows;
  blocks.resize(last_block + 1);
  for (size_t b = 0; b <= last_block; ++b) {
    blocks[b] = pages_.Block(static_cast<size_t>((*run.pages)[b]), layer, unit.kv_head);
  }
  query_rows.clear();
  for (size_t row = unit.begin; row < unit.end; ++row) {
    const int32_t position = rows.positions[row];
    const int32_t first = window > 0 ? std::max(0, position - window + 1) : 0;
    for (size_t g = 0; g < group; ++g) {
      const size_t at = (unit.kv_head * group + g) * head_dim;
      query_rows.push_back({q_.as<float>() + row * q_stride_ + at,
                            attention_.as<float>() + row * attention_stride_ + at, position, first});
    }
  }
  AttentionArgs args;
  args.rows = query_rows.data();
  args.num_rows = query_rows.size();
  args.head_dim = head_dim;
  args.softcap = config_.attention_softcap;
  args.blocks = blocks.data();
  args.kv_type = pages_.type();
  args.scratch = scratch_[static_cast<size_t>(t.thread)].as<float>();
  kernels_.attention(args);
}

// What is left to do with logits, while they are in the cache. A thread's panels ascend.
void Model::FinishLogits(int thread, const RoundRows& rows, size_t first_panel, size_t last_panel) {
  const size_t begin = first_panel * head_.columns;
  const size_t count = std::min(last_panel * head_.columns, head_.n) - begin;
  for (size_t row = 0; row < rows.num_wanted; ++row) {
    float* logits = logits_.as<float>() + row * vocab_stride_ + begin;
    if (config_.final_softcap > 0.0f) kernels_.softcap(logits, config_.final_softcap, count);
    if (!kernels_.all_finite(logits, count)) {
      nan_.store(true, std::memory_order_relaxed);
      continue;
    }
    const size_t at = kernels_.argmax(logits, count);
    Largest& largest = largest_[static_cast<size_t>(thread) * logits_rows_ + row];
    if (largest.id < 0 || logits[at] > largest.logit) largest = {logits[at], static_cast<int32_t>(begin + at)};
  }
}

// Equal logits: the lower id, whichever thread saw it.
void Model::MergeLargest() {
  for (size_t row = 0; row < num_wanted_; ++row) {
    Largest& first = largest_[row];
    for (size_t at = row + logits_rows_; at < largest_.size(); at += logits_rows_) {
      const Largest& other = largest_[at];
      if (other.id < 0) continue;
      const bool larger = first.id < 0 || other.logit > first.logit;
      if (larger || (other.logit == first.logit && other.id < first.id)) first = other;
    }
  }
}

// x += norm(sub_out), row by row, for families with norms after a sub-layer.
void Model::AddNormed(ThreadState& t, size_t num_rows, const std::vector<float>& weight) {
  const size_t hidden = static_cast<size_t>(config_.hidden_size);
  team_.Claim(t.phase, num_rows, 1, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      float* y = sub_out_.as<float>() + row * hidden_stride_;
      kernels_.rms_norm(y, weight.data(), config_.norm_eps, hidden, y);
      kernels_.add(x_.as<float>() + row * hidden_stride_, y, hidden);
    }
  });
  team_.Barrier();
}

void Model::RunThread(int thread, const RoundRows& rows) {
  ThreadState t{thread};
  const size_t n = rows.num_rows;
  const size_t hidden = static_cast<size_t>(config_.hidden_size), ffn = static_cast<size_t>(config_.ffn_size);
  const size_t q_size = static_cast<size_t>(config_.num_heads * config_.head_dim);
  const size_t num_kv_heads = static_cast<size_t>(config_.num_kv_heads);
  float* x = x_.as<float>();
  const auto nothing = [](const Product&, const MatmulArgs&) {};

  team_.Claim(t.phase, n, 1, [&](size_t begin, size_t end) {
    const size_t row_bytes = hidden / embedding_type_->block_values * embedding_type_->block_bytes;
    for (size_t row = begin; row < end; ++row) {
      float* out = x + row * hidden_stride_;
      Dequantize(*embedding_type_, embedding_ + static_cast<size_t>(rows.tokens[row]) * row_bytes, hidden, out);
      if (config_.embedding_scale != 1.0f) kernels_.scale(out, config_.embedding_scale, hidden);
    }
  });
  team_.Barrier();

  float* sub_out = family_.post_norms ? sub_out_.as<float>() : x;
  const bool onto_x = !family_.post_norms;
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    const Layer& w = layers_[layer];
    const RowBuffer& normed = PrepareRows(t, n, hidden, {&w.q, &w.k, &w.v}, [&](size_t row, float* out) {
      kernels_.rms_norm(x + row * hidden_stride_, w.attn_norm.data(), config_.norm_eps, hidden, out);
    });
    Multiply(t, normed, n,
             {{&w.q, q_.as<float>(), q_stride_, false},
              {&w.k, k_.as<float>(), kv_stride_, false},
              {&w.v, v_.as<float>(), kv_stride_, false}},
             nothing);
    team_.Barrier();

    if (!fused_heads_) {
      team_.Claim(t.phase, n, 4, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row) PrepareHeads(rows, layer, row, 0, num_kv_heads);
      });
      team_.Barrier();
    }
    team_.Claim(t.phase, units_.size(), 1, [&](size_t begin, size_t end) {
      for (size_t unit = begin; unit < end; ++unit) Attend(t, rows, layer, units_[unit]);
    });
    team_.Barrier();

    const RowBuffer& attended = PrepareRows(t, n, q_size, {&w.o}, [&](size_t row, float* out) {
      std::memcpy(out, attention_.as<float>() + row * attention_stride_, q_size * sizeof(float));
    });
    Multiply(t, attended, n, {{&w.o, sub_out, hidden_stride_, onto_x}}, nothing);
    team_.Barrier();
    if (family_.post_norms) AddNormed(t, n, w.post_attn_norm);

    const RowBuffer& ffn_in = PrepareRows(t, n, hidden, {&w.gate, &w.up}, [&](size_t row, float* out) {
      kernels_.rms_norm(x + row * hidden_stride_, w.ffn_norm.data(), config_.norm_eps, hidden, out);
    });
    Multiply(t, ffn_in, n,
             {{&w.gate, gate_.as<float>(), ffn_stride_, false}, {&w.up, up_.as<float>(), ffn_stride_, false}}, nothing);
    team_.Barrier();

    const RowBuffer& activated = PrepareRows(t, n, ffn, {&w.down}, [&](size_t row, float* out) {
      const float* gate = gate_.as<float>() + row * ffn_stride_;
      const float* up = up_.as<float>() + row * ffn_stride_;
      (config_.gelu ? kernels_.gelu_mul : kernels_.silu_mul)(gate, up, out, ffn);
    });
    Multiply(t, activated, n, {{&w.down, sub_out, hidden_stride_, onto_x}}, nothing);
    team_.Barrier();
    if (family_.post_norms) AddNormed(t, n, w.post_ffn_norm);
  }

  if (rows.num_wanted == 0) return;
  const RowBuffer& last = PrepareRows(t, rows.num_wanted, hidden, {&head_}, [&](size_t row, float* out) {
    const float* in = x + static_cast<size_t>(rows.wanted[row]) * hidden_stride_;
    kernels_.rms_norm(in, output_norm_.data(), config_.norm_eps, hidden, out);
  });
  Multiply(t, last, rows.num_wanted, {{&head_, logits_.as<float>(), vocab_stride_, false}},
           [&](const Product&, const MatmulArgs& args) { FinishLogits(thread, rows, args.panel_begin, args.panel_end); });
}

}  // namespace tf

// The kernels of one instruction set behind plain functions. Every set gives the same bits; only speed differs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/packed_matrix.h"

namespace tf {

// Rows as integer products read them. Pointers are to row 0; strides in elements. Which parts are filled: RowForm.
struct QuantRows {
  int8_t* codes = nullptr;         // [rows, k] (kQ32, kQ256)
  // [rows, k] (kQ32Wide). Sets of 16 lanes keep 32 low bytes, then 32 high ones, for 32 codes.
  int16_t* wide = nullptr;
  float* scale = nullptr;          // [rows, k / block]
  int32_t* sum = nullptr;          // [rows, k / 32] sum of codes (kQ32); of the high bytes * -128 (kQ32Wide as bytes)
  float* scaled_sum = nullptr;     // [rows, k / 32] scale * sum (kQ32)
  int16_t* sum16 = nullptr;        // [rows, k / 16] (kQ256)
  int16_t* sum32 = nullptr;        // [rows, k / 32] (kQ256)
  size_t stride = 0;               // of codes and wide; a multiple of 32. The others: stride / their divisor
};

// Element type of cached keys and values. Part of the numbers: see docs/decisions/0003-kv-type.md. kQ8: int8 codes with a
// float scale per position and 32 values of a head.
enum class KvType { kF16, kF32, kQ8 };

struct FloatRows {
  const float* data = nullptr;
  size_t stride = 0;
};

// y[row, column] = sum of weights * x, for rows [row_begin, row_end) and panels [panel_begin, panel_end).
struct MatmulArgs {
  const PackedMatrix* weights = nullptr;
  QuantRows quant;   // read unless the layout is a float one
  FloatRows floats;  // read if it is
  float* y = nullptr;
  size_t y_stride = 0;     // >= columns padded to whole panels
  bool accumulate = false; // y += sum + bias instead of y = sum + bias
  size_t split = 0;        // weights->split; another value is a fault made on purpose (ModelOptions.fault)
  size_t row_begin = 0, row_end = 0;
  size_t panel_begin = 0, panel_end = 0;
  uint8_t* scratch = nullptr;  // MatmulScratchBytes(weights->k); null: slower where there are many rows
};

// The codes of two panels of 16 columns, a byte each.
constexpr size_t MatmulScratchBytes(size_t k) { return 2 * 16 * k; }

// Rows that pass over a chunk of panels together: their quantized form stays in the second-level cache.
constexpr size_t kRowBlock = 64;
// Panels that a thread claims at once, at most. Where a second block of rows follows, they wait in the same cache.
constexpr size_t MostPanels(size_t num_rows) { return num_rows > kRowBlock ? 16 : SIZE_MAX; }

// Query rows of one kv head of one lane, against the cache.
struct AttentionArgs {
  struct Row {
    const float* q;   // [head_dim], already scaled
    float* out;       // [head_dim]
    int32_t position; // sees keys [first, position]
    int32_t first;
  };
  const Row* rows = nullptr;
  size_t num_rows = 0;
  size_t head_dim = 0;
  float softcap = 0;  // 0: none
  // Block b (64 positions) of the cache, as KeyBlockBytes and ValueBlockBytes lay it out, of the type below.
  const uint8_t* const* blocks = nullptr;
  KvType kv_type = KvType::kF16;
  float* scratch = nullptr;  // AttentionScratchFloats(head_dim)
};

constexpr size_t kBlockPositions = 64;   // positions of a KV page and of an attention block
constexpr size_t kSplitPositions = 1024; // positions of an attention split
constexpr size_t kAttentionTile = 6;     // query rows of a register tile
constexpr size_t kAttentionBand = 60;    // query rows that share a pass over the cache: whole tiles

// To whole vectors of the widest set.
constexpr size_t PadToVectors(size_t n) { return (n + 15) / 16 * 16; }
constexpr size_t kKvGroup = 32;  // values of a head that share a scale (kQ8)
constexpr size_t KvGroups(size_t head_dim) { return (head_dim + kKvGroup - 1) / kKvGroup; }
constexpr size_t KeyBlockValues(size_t head_dim) { return kBlockPositions * head_dim; }
constexpr size_t ValueBlockValues(size_t head_dim) { return kBlockPositions * PadToVectors(head_dim); }
constexpr size_t KvBytes(KvType type, size_t values, size_t head_dim) {
  switch (type) {
    case KvType::kF16: return values * 2;
    case KvType::kF32: return values * 4;
    case KvType::kQ8: return values + kBlockPositions * KvGroups(head_dim) * sizeof(float);
  }
  return 0;
}
// Keys of 64 positions, in groups of as many as a vector has lanes: values [group][head_dim][position], then (kQ8)
// scales [group][groups of values][position].
constexpr size_t KeyBlockBytes(KvType type, size_t head_dim) {
  return KvBytes(type, KeyBlockValues(head_dim), head_dim);
}
// Values follow: [64][padded dim], then (kQ8) scales [64][groups of values].
constexpr size_t ValueBlockBytes(KvType type, size_t head_dim) {
  return KvBytes(type, ValueBlockValues(head_dim), head_dim);
}
constexpr size_t KvBlockBytes(KvType type, size_t head_dim) {
  return KeyBlockBytes(type, head_dim) + ValueBlockBytes(type, head_dim);
}
constexpr size_t AttentionScratchFloats(size_t head_dim) {
  return 2 * kAttentionTile * kBlockPositions + kAttentionBand * 2 * PadToVectors(head_dim);
}

struct KernelTable {
  const char* name;
  size_t lanes;  // floats of a vector: columns of a panel, positions of a group of keys
  void (*matmul)(const MatmulArgs&);
  // One row of n floats into row `row` of `out`. n is a multiple of the form's block.
  void (*quantize)(const float* x, size_t n, RowForm form, const QuantRows& out, size_t row);
  // y = x * (1 / sqrt(mean(x^2) + eps)) * weight.
  void (*rms_norm)(const float* x, const float* weight, float eps, size_t n, float* y);
  // Turns the pairs (j, j + half) of x by the angles whose cos and sin are given, [half] each.
  void (*rope)(float* x, const float* cos, const float* sin, size_t half);
  void (*scale)(float* x, float factor, size_t n);
  void (*add)(float* x, const float* y, size_t n);  // x += y
  void (*silu_mul)(const float* gate, const float* up, float* y, size_t n);
  void (*gelu_mul)(const float* gate, const float* up, float* y, size_t n);
  void (*softcap)(float* x, float cap, size_t n);  // x = cap * tanh(x / cap)
  // Writes one position's key and value into its block. position_in_block in [0, 64).
  void (*store_key)(const float* key, size_t head_dim, size_t position_in_block, KvType type, uint8_t* block);
  void (*store_value)(const float* value, size_t head_dim, size_t position_in_block, KvType type, uint8_t* block);
  void (*attention)(const AttentionArgs&);
  bool (*all_finite)(const float* x, size_t n);  // no NaN (infinities pass)
  // Index of the largest value, the lowest of equals. n >= 1, no NaN.
  size_t (*argmax)(const float* x, size_t n);
};

// Null where this CPU or build lacks the set.
const KernelTable* ScalarKernels();
const KernelTable* Avx2Kernels();
const KernelTable* AvxVnniKernels();
const KernelTable* Avx512VnniKernels();
const KernelTable* NeonKernels();

}  // namespace tf

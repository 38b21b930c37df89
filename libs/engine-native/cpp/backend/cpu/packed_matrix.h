// How a weight matrix lies in memory for the kernels: panels of 8 or 16 output columns, one after the other; in a panel
// the blocks of K ascending. Vector lanes are output columns, never parts of a sum, so bits do not depend on this layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/mmap_file.h"
#include "tensor/dtype.h"

namespace tf {

// What a packed block holds. U4..U5: unsigned codes in bit planes; K2..K6: blocks of 256 with integer sub-scales.
enum class Layout { kF32, kF16, kBF16, kQ8, kU4, kU4Min, kU5, kU5Min, kIq4, kFp4, kK2, kK3, kK4, kK5, kK6 };

// What the rows that meet a matrix must look like.
enum class RowForm {
  kFloat,
  kQ32,      // int8 codes, one scale per 32
  kQ32Wide,  // int16 codes, one scale per 32 (docs/decisions/0002-wide-activations.md)
  kQ256,     // int8 codes, one scale per 256, sums per 16 and 32
};

struct LayoutInfo {
  RowForm rows;
  size_t block;         // values of K in a block (1 for float types)
  size_t column_bytes;  // of one block of a panel, each column's share
};

LayoutInfo InfoOf(Layout layout);
Layout LayoutFor(DType type);

// A packed [n, k] matrix. Columns are padded to whole panels with zeros.
struct PackedMatrix {
  Layout layout = Layout::kF32;
  size_t columns = 8;  // of a panel: 8 or 16, what the kernel set reads (KernelTable::lanes)
  size_t k = 0;
  size_t n = 0;
  // Sums run over [0, split) and [split, k) apart, then one addition; split == k is one sum. A multiple of the block.
  size_t split = 0;
  const float* bias = nullptr;  // [n padded] or null
  HugeBuffer data;

  size_t num_panels() const { return (n + columns - 1) / columns; }
  size_t padded_n() const { return num_panels() * columns; }
  size_t panel_stride() const {
    const LayoutInfo info = InfoOf(layout);
    return k / info.block * info.column_bytes * columns;
  }
};

// Packs panels [begin, end) of `matrix` (whose shape, layout and data are set) from rows of blocks in `type`.
// source_row[column] is the row of the source that becomes that column; null keeps the order.
void PackPanels(const DTypeInfo& type, const uint8_t* rows, const uint32_t* source_row, const PackedMatrix& matrix,
                size_t begin, size_t end);

}  // namespace tf

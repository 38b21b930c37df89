#include "backend/cpu/packed_matrix.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "tensor/quant/k_quants.h"
#include "tensor/quant/nonlinear.h"
#include "tensor/quant/q4.h"
#include "tensor/quant/q5.h"
#include "tensor/quant/q8_0.h"

namespace tf {

namespace {

// Bytes of the bit planes of 32 codes of a column (see WritePlanes).
constexpr size_t PlaneBytes(int bits) { return static_cast<size_t>(bits) * 4; }

template <typename Format>
constexpr size_t KColumnBytes(int bits, bool has_min) {
  return (has_min ? 2 : 1) * (2 + 256 / Format::kSub) + 8 * PlaneBytes(bits);
}

// Codes of 32 values of K of a panel, as planes of 4, 2 and 1 bits. Byte 4 * column + (k & 3) of a vector of 4 * columns
// bytes belongs to quad k >> 2.
//   4-bit plane: vectors v = 0..3: low nibble quad v, high nibble quad v + 4.
//   2-bit plane: vectors t = 0, 1: bits 2i, 2i + 1 hold quad 4t + i.
//   1-bit plane: one vector: bit j holds quad j.
// 2 bits: 2; 3: 2 + 1; 4: 4; 5: 4 + 1; 6: 4 + 2, the lower bits of a code in the first plane.
// The codes of a quad are one word, so all four are shifted and masked together.
template <int bits, size_t kColumns>
void WritePlanes(const uint8_t codes[kColumns][32], uint8_t* out) {
  uint32_t quads[kColumns][8];
  std::memcpy(quads, codes, sizeof quads);
  uint32_t plane[kColumns];
  const auto write = [&] {
    std::memcpy(out, plane, sizeof plane);
    out += sizeof plane;
  };
  if constexpr (bits >= 4) {
    constexpr uint32_t mask = 0x0f0f0f0f;
    for (int v = 0; v < 4; ++v) {
      for (size_t c = 0; c < kColumns; ++c) plane[c] = (quads[c][v] & mask) | ((quads[c][v + 4] & mask) << 4);
      write();
    }
  }
  if constexpr (bits == 2 || bits == 3 || bits == 6) {
    constexpr int shift = bits == 6 ? 4 : 0;
    for (int t = 0; t < 2; ++t) {
      for (size_t c = 0; c < kColumns; ++c) {
        plane[c] = 0;
        for (int q = 0; q < 4; ++q) plane[c] |= ((quads[c][4 * t + q] >> shift) & 0x03030303) << (2 * q);
      }
      write();
    }
  }
  if constexpr (bits == 3 || bits == 5) {
    constexpr int shift = bits == 5 ? 4 : 2;
    for (size_t c = 0; c < kColumns; ++c) {
      plane[c] = 0;
      for (int q = 0; q < 8; ++q) plane[c] |= ((quads[c][q] >> shift) & 0x01010101) << q;
    }
    write();
  }
}

// Codes first .. first + 31 of a block. `first` is a constant, so the compiler sees one shift and mask for 32 bytes.
template <typename Format, int first>
void ReadCodes(const uint8_t* block, uint8_t* out) {
  for (int i = 0; i < 16; ++i) out[i] = Format::Code(block, first + i);
  for (int i = 16; i < 32; ++i) out[i] = Format::Code(block, first + i);
}

// The columns of one block of a panel; null for padding, which packs as zero.
template <size_t kColumns>
using BlockColumns = const uint8_t* const (&)[kColumns];

template <typename Format, int bits, bool has_min, size_t kColumns>
void PackUnsigned(BlockColumns<kColumns> columns, uint8_t* out) {
  uint8_t codes[kColumns][32] = {};
  for (size_t c = 0; c < kColumns; ++c) {
    const uint8_t* b = columns[c];
    if (b == nullptr) continue;
    std::memcpy(out + 2 * c, b, 2);
    if (has_min) std::memcpy(out + 2 * (kColumns + c), b + 2, 2);
    ReadCodes<Format, 0>(b, codes[c]);
  }
  WritePlanes<bits, kColumns>(codes, out + (has_min ? 4 : 2) * kColumns);
}

// Signed codes: in panels of 8 columns [16 pairs][column][2], in panels of 16 [8 quads][column][4].
template <size_t kColumns>
void PackQ8(BlockColumns<kColumns> columns, uint8_t* out) {
  constexpr size_t run = kColumns == 16 ? 4 : 2;
  for (size_t c = 0; c < kColumns; ++c) {
    const uint8_t* b = columns[c];
    if (b == nullptr) continue;
    std::memcpy(out + 2 * c, b, 2);
    uint8_t* codes = out + 2 * kColumns + run * c;
    for (size_t i = 0; i < 32 / run; ++i) std::memcpy(codes + i * run * kColumns, b + 2 + run * i, run);
  }
}

template <size_t kColumns>
void PackFp4(BlockColumns<kColumns> columns, uint8_t* out) {
  uint8_t codes[kColumns][32] = {};
  for (size_t c = 0; c < kColumns; ++c) {
    const uint8_t* b = columns[c];
    if (b == nullptr) continue;
    const float scale = quant::MXFP4::Scale(b[0]);
    std::memcpy(out + 4 * c, &scale, 4);
    ReadCodes<quant::MXFP4, 0>(b, codes[c]);
  }
  WritePlanes<4, kColumns>(codes, out + 4 * kColumns);
}

// [column] f16 d, [column] f16 dmin if any, [sub-block pairs][column][2] scales i8, the same of minimums u8, 8 x planes.
template <typename Format, int bits, bool has_min, size_t kColumns>
void PackK(BlockColumns<kColumns> columns, uint8_t* out) {
  constexpr int kSubs = 256 / Format::kSub;
  uint8_t* scales = out + (has_min ? 4 : 2) * kColumns;
  uint8_t* mins = scales + kSubs * kColumns;
  uint8_t* planes = has_min ? mins + kSubs * kColumns : mins;
  uint8_t codes[8][kColumns][32] = {};
  for (size_t c = 0; c < kColumns; ++c) {
    const uint8_t* b = columns[c];
    if (b == nullptr) continue;
    const uint16_t d = FloatToHalf(Format::D(b));  // exact: it was a half
    std::memcpy(out + 2 * c, &d, 2);
    if (has_min) {
      const uint16_t dmin = FloatToHalf(Format::DMin(b));
      std::memcpy(out + 2 * (kColumns + c), &dmin, 2);
    }
    for (int s = 0; s < kSubs; ++s) {
      const size_t at = (static_cast<size_t>(s / 2) * kColumns + c) * 2 + (s & 1);
      scales[at] = static_cast<uint8_t>(Format::Scale(b, s));
      if (has_min) mins[at] = static_cast<uint8_t>(Format::Min(b, s));
    }
    [&]<int... chunk>(std::integer_sequence<int, chunk...>) {
      (ReadCodes<Format, 32 * chunk>(b, codes[chunk][c]), ...);
    }(std::make_integer_sequence<int, 8>{});
  }
  for (int chunk = 0; chunk < 8; ++chunk) WritePlanes<bits, kColumns>(codes[chunk], planes + chunk * PlaneBytes(bits) * kColumns);
}

template <size_t kColumns>
void PackBlock(Layout layout, BlockColumns<kColumns> columns, uint8_t* out) {
  switch (layout) {
    case Layout::kQ8: return PackQ8<kColumns>(columns, out);
    case Layout::kU4: return PackUnsigned<quant::Q4_0, 4, false, kColumns>(columns, out);
    case Layout::kU4Min: return PackUnsigned<quant::Q4_1, 4, true, kColumns>(columns, out);
    case Layout::kU5: return PackUnsigned<quant::Q5_0, 5, false, kColumns>(columns, out);
    case Layout::kU5Min: return PackUnsigned<quant::Q5_1, 5, true, kColumns>(columns, out);
    case Layout::kIq4: return PackUnsigned<quant::IQ4_NL, 4, false, kColumns>(columns, out);
    case Layout::kFp4: return PackFp4<kColumns>(columns, out);
    case Layout::kK2: return PackK<quant::Q2_K, 2, true, kColumns>(columns, out);
    case Layout::kK3: return PackK<quant::Q3_K, 3, false, kColumns>(columns, out);
    case Layout::kK4: return PackK<quant::Q4_K, 4, true, kColumns>(columns, out);
    case Layout::kK5: return PackK<quant::Q5_K, 5, true, kColumns>(columns, out);
    case Layout::kK6: return PackK<quant::Q6_K, 6, false, kColumns>(columns, out);
    default: TF_CHECK(false);
  }
}

// Float types: [k][column], elements as in the file.
template <size_t element, size_t kColumns>
void PackFloatPanel(BlockColumns<kColumns> columns, size_t k, uint8_t* out) {
  for (size_t i = 0; i < k; ++i) {
    for (size_t c = 0; c < kColumns; ++c, out += element) {
      if (columns[c] != nullptr) std::memcpy(out, columns[c] + i * element, element);
    }
  }
}

}  // namespace

LayoutInfo InfoOf(Layout layout) {
  switch (layout) {
    case Layout::kF32: return {RowForm::kFloat, 1, 4};
    case Layout::kF16:
    case Layout::kBF16: return {RowForm::kFloat, 1, 2};
    case Layout::kQ8: return {RowForm::kQ32Wide, 32, 34};
    case Layout::kU4: return {RowForm::kQ32, 32, 2 + PlaneBytes(4)};
    case Layout::kU4Min: return {RowForm::kQ32, 32, 4 + PlaneBytes(4)};
    case Layout::kU5: return {RowForm::kQ32, 32, 2 + PlaneBytes(5)};
    case Layout::kU5Min: return {RowForm::kQ32, 32, 4 + PlaneBytes(5)};
    case Layout::kIq4: return {RowForm::kQ32, 32, 2 + PlaneBytes(4)};
    case Layout::kFp4: return {RowForm::kQ32, 32, 4 + PlaneBytes(4)};
    case Layout::kK2: return {RowForm::kQ256, 256, KColumnBytes<quant::Q2_K>(2, true)};
    case Layout::kK3: return {RowForm::kQ256, 256, KColumnBytes<quant::Q3_K>(3, false)};
    case Layout::kK4: return {RowForm::kQ256, 256, KColumnBytes<quant::Q4_K>(4, true)};
    case Layout::kK5: return {RowForm::kQ256, 256, KColumnBytes<quant::Q5_K>(5, true)};
    case Layout::kK6: return {RowForm::kQ256, 256, KColumnBytes<quant::Q6_K>(6, false)};
  }
  TF_CHECK(false);
}

Layout LayoutFor(DType type) {
  switch (type) {
    case DType::kF32: return Layout::kF32;
    case DType::kF16: return Layout::kF16;
    case DType::kBF16: return Layout::kBF16;
    case DType::kQ8_0: return Layout::kQ8;
    case DType::kQ4_0: return Layout::kU4;
    case DType::kQ4_1: return Layout::kU4Min;
    case DType::kQ5_0: return Layout::kU5;
    case DType::kQ5_1: return Layout::kU5Min;
    case DType::kIQ4_NL: return Layout::kIq4;
    case DType::kMXFP4: return Layout::kFp4;
    case DType::kQ2_K: return Layout::kK2;
    case DType::kQ3_K: return Layout::kK3;
    case DType::kQ4_K: return Layout::kK4;
    case DType::kQ5_K: return Layout::kK5;
    case DType::kQ6_K: return Layout::kK6;
  }
  TF_CHECK(false);
}

namespace {

template <size_t kColumns>
void PackPanelsOf(const DTypeInfo& type, const uint8_t* rows, const uint32_t* source_row, const PackedMatrix& matrix,
                  size_t begin, size_t end) {
  const LayoutInfo info = InfoOf(matrix.layout);
  const size_t row_bytes = matrix.k / type.block_values * type.block_bytes;
  const size_t stride = matrix.panel_stride();
  for (size_t panel = begin; panel < end; ++panel) {
    const uint8_t* columns[kColumns] = {};
    for (size_t c = 0; c < kColumns; ++c) {
      const size_t column = panel * kColumns + c;
      if (column >= matrix.n) break;
      columns[c] = rows + (source_row != nullptr ? source_row[column] : column) * row_bytes;
    }
    uint8_t* out = matrix.data.data() + panel * stride;
    if (info.rows == RowForm::kFloat) {
      type.block_bytes == 4 ? PackFloatPanel<4, kColumns>(columns, matrix.k, out)
                            : PackFloatPanel<2, kColumns>(columns, matrix.k, out);
      continue;
    }
    for (size_t block = 0; block < matrix.k / info.block; ++block, out += info.column_bytes * kColumns) {
      PackBlock<kColumns>(matrix.layout, columns, out);
      for (const uint8_t*& column : columns) {
        if (column != nullptr) column += type.block_bytes;
      }
    }
  }
}

}  // namespace

void PackPanels(const DTypeInfo& type, const uint8_t* rows, const uint32_t* source_row, const PackedMatrix& matrix,
                size_t begin, size_t end) {
  const auto pack = matrix.columns == 16 ? PackPanelsOf<16> : PackPanelsOf<8>;
  pack(type, rows, source_row, matrix, begin, end);
}

}  // namespace tf

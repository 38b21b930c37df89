// Which tile runs where: rows in tiles of R, panels in tiles of P. Any cut gives the same bits.

// Panels of float weights side by side under one row.
constexpr int kLonePanels = 4;

// What it calls is not inlined: side by side in one, g++ gives some too few registers (a tenth to a quarter slower).
template <Layout layout, bool unpacked, int R, int P>
TF_INLINE void Tile(const MatmulArgs& args, size_t row, size_t panel) {
  if constexpr (layout == Layout::kF32 || layout == Layout::kF16 || layout == Layout::kBF16) {
    TileFloat<layout, R, P>(args, row, panel);
  } else if constexpr (layout == Layout::kQ8) {
    TileQ8<R, P>(args, row, panel);
  } else if constexpr (layout >= Layout::kK2) {
    TileK<layout, unpacked, R, P>(args, row, panel);
  } else {
    Tile32<layout, unpacked, R, P>(args, row, panel);
  }
}

// Whole tiles of rows read unpacked codes, where there are some; the rows left over need not.
template <Layout layout, bool unpacked, int P>
void RowTiles(const MatmulArgs& args, size_t row, size_t end, size_t panel) {
  for (; row + kTileRows <= end; row += kTileRows) Tile<layout, unpacked, kTileRows, P>(args, row, panel);
  if constexpr (kTileRows == 4) {
    switch (end - row) {
      case 3: return Tile<layout, false, 3, P>(args, row, panel);
      case 2: return Tile<layout, false, 2, P>(args, row, panel);
      case 1: return Tile<layout, false, 1, P>(args, row, panel);
    }
  }
}

// Codes of which every tile would put two planes together: to bytes once, for rows in several tiles.
template <Layout layout>
constexpr bool kUnpacks = false;
template <Layout layout>
  requires(kTilePanels == 2 && layout > Layout::kQ8)
constexpr bool kUnpacks<layout> = IntFormat<layout>::bits > 4 || IntFormat<layout>::bits == 3;
constexpr size_t kUnpackRows = 12;

template <Layout layout>
void MatmulLayout(const MatmulArgs& args) {
  for (size_t row = args.row_begin; row < args.row_end; row += kRowBlock) {
    const size_t row_end = row + kRowBlock < args.row_end ? row + kRowBlock : args.row_end;
    size_t panel = args.panel_begin;
    if constexpr (kTilePanels > 1) {
      // One row waits for memory only: panel after panel is one stream. Sums of float panels wait for their fma besides.
      if (args.row_end - args.row_begin == 1) {
        constexpr int panels = layout > Layout::kBF16 ? 1 : kLonePanels;
        for (; panel + panels <= args.panel_end; panel += panels) Tile<layout, false, 1, panels>(args, row, panel);
      }
    }
    for (; panel + kTilePanels <= args.panel_end; panel += kTilePanels) {
      if constexpr (kUnpacks<layout>) {
        if (args.scratch != nullptr && row_end - row >= kUnpackRows) {
          UnpackPanels<layout, kTilePanels>(args, panel, row == args.row_begin);
          RowTiles<layout, true, kTilePanels>(args, row, row_end, panel);
          continue;
        }
      }
      RowTiles<layout, false, kTilePanels>(args, row, row_end, panel);
    }
    if constexpr (kTilePanels > 1) {
      if (panel < args.panel_end) RowTiles<layout, false, 1>(args, row, row_end, panel);
    }
  }
}

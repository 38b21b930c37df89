// Which tile runs where: rows in tiles of R, panels in tiles of P. Any cut gives the same bits.

// Rows whose quantized form stays in the second-level cache while the panels pass by.
constexpr size_t kRowBlock = 64;

template <Layout layout, int R, int P>
TF_INLINE void Tile(const MatmulArgs& args, size_t row, size_t panel) {
  if constexpr (layout == Layout::kF32 || layout == Layout::kF16 || layout == Layout::kBF16) {
    TileFloat<layout, R, P>(args, row, panel);
  } else if constexpr (layout == Layout::kQ8) {
    TileQ8<R, P>(args, row, panel);
  } else if constexpr (layout >= Layout::kK2) {
    TileK<layout, R, P>(args, row, panel);
  } else {
    Tile32<layout, R, P>(args, row, panel);
  }
}

// 6 x 2 sums of a block of 4-bit codes just fit the registers: an eighth fewer instructions a sum than 4 x 2.
template <Layout layout>
constexpr int kTallRows = kTileRows == 4 && (layout == Layout::kU4 || layout == Layout::kU4Min) ? 6 : kTileRows;

template <Layout layout, int P>
void RowTiles(const MatmulArgs& args, size_t row, size_t end, size_t panel) {
  if constexpr (kTallRows<layout> > kTileRows) {
    // Seven rows and eight are better cut in two.
    for (; end - row == kTallRows<layout> || end - row > 2 * kTileRows; row += kTallRows<layout>) {
      Tile<layout, kTallRows<layout>, P>(args, row, panel);
    }
  }
  for (; row + kTileRows <= end; row += kTileRows) Tile<layout, kTileRows, P>(args, row, panel);
  if constexpr (kTileRows == 4) {
    switch (end - row) {
      case 3: return Tile<layout, 3, P>(args, row, panel);
      case 2: return Tile<layout, 2, P>(args, row, panel);
      case 1: return Tile<layout, 1, P>(args, row, panel);
    }
  }
}

template <Layout layout>
void MatmulLayout(const MatmulArgs& args) {
  for (size_t row = args.row_begin; row < args.row_end; row += kRowBlock) {
    const size_t row_end = row + kRowBlock < args.row_end ? row + kRowBlock : args.row_end;
    size_t panel = args.panel_begin;
    if constexpr (kTilePanels > 1 && layout > Layout::kBF16) {
      // One row waits for memory only: panel after panel is one stream. (Float panels need two for the latency of fma.)
      if (args.row_end - args.row_begin == 1) {
        for (; panel < args.panel_end; ++panel) Tile<layout, 1, 1>(args, row, panel);
        return;
      }
    }
    for (; panel + kTilePanels <= args.panel_end; panel += kTilePanels) {
      RowTiles<layout, kTilePanels>(args, row, row_end, panel);
    }
    if constexpr (kTilePanels > 1) {
      if (panel < args.panel_end) RowTiles<layout, 1>(args, row, row_end, panel);
    }
  }
}

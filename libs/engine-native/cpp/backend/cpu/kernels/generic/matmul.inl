// Which tile runs where: rows in tiles of R, panels in tiles of P. Any cut gives the same bits.

// Panels of float weights side by side under one row.
constexpr int kLonePanels = 4;

// What it calls is not inlined: side by side in one, g++ gives some too few registers (a tenth to a quarter slower).
template <Layout layout, CodesAt codes_at, int R, int P>
TF_INLINE void Tile(const MatmulArgs& args, size_t row, size_t panel) {
  if constexpr (layout == Layout::kF32 || layout == Layout::kF16 || layout == Layout::kBF16) {
    TileFloat<layout, R, P>(args, row, panel);
  } else if constexpr (layout == Layout::kQ8) {
    TileQ8<R, P>(args, row, panel);
  } else if constexpr (layout >= Layout::kK2) {
    TileK<layout, codes_at, R, P>(args, row, panel);
  } else {
    Tile32<layout, codes_at, R, P>(args, row, panel);
  }
}

template <Layout layout, CodesAt codes_at, int P>
void RowTiles(const MatmulArgs& args, size_t row, size_t end, size_t panel) {
  for (; row + kTileRows <= end; row += kTileRows) Tile<layout, codes_at, kTileRows, P>(args, row, panel);
  if constexpr (kTileRows > 4) {
    if (row + 4 <= end) {
      Tile<layout, codes_at, 4, P>(args, row, panel);
      row += 4;
    }
  }
  if constexpr (kTileRows >= 4) {
    switch (end - row) {
      case 3: return Tile<layout, CodesAt::kPlanes, 3, P>(args, row, panel);
      case 2: return Tile<layout, CodesAt::kPlanes, 2, P>(args, row, panel);
      case 1: return Tile<layout, CodesAt::kPlanes, 1, P>(args, row, panel);
    }
  }
}

// Rows from which on the first tile keeps the codes for the others: early where every tile would put two planes
// together, later for the one plane of 4-bit codes; never where that gained nothing.
template <Layout layout>
constexpr size_t kKeepRows = SIZE_MAX;
template <Layout layout>
  requires(kTilePanels == 2 && layout > Layout::kQ8)
constexpr size_t kKeepRows<layout> = IntFormat<layout>::bits > 4 || IntFormat<layout>::bits == 3 ? 12
                                     : layout < Layout::kK2                                      ? 24
                                                                                                 : SIZE_MAX;

template <Layout layout>
void MatmulLayout(const MatmulArgs& args) {
  for (size_t row = args.row_begin; row < args.row_end; row += kRowBlock) {
    const size_t row_end = row + kRowBlock < args.row_end ? row + kRowBlock : args.row_end;
    size_t panel = args.panel_begin;
    if constexpr (kTilePanels > 1) {
      // One row waits for memory only: panel after panel is one stream. Sums of float panels wait for their fma besides.
      if (args.row_end - args.row_begin == 1) {
        constexpr int panels = layout > Layout::kBF16 ? 1 : kLonePanels;
        for (; panel + panels <= args.panel_end; panel += panels) Tile<layout, CodesAt::kPlanes, 1, panels>(args, row, panel);
      }
    }
    for (; panel + kTilePanels <= args.panel_end; panel += kTilePanels) {
      if constexpr (kKeepRows<layout> != SIZE_MAX) {
        if (args.scratch != nullptr && row_end - row >= kKeepRows<layout>) {
          Tile<layout, CodesAt::kPlanesKept, kTileRows, kTilePanels>(args, row, panel);
          RowTiles<layout, CodesAt::kBytes, kTilePanels>(args, row + kTileRows, row_end, panel);
          continue;
        }
      }
      RowTiles<layout, CodesAt::kPlanes, kTilePanels>(args, row, row_end, panel);
    }
    if constexpr (kTilePanels > 1) {
      if (panel < args.panel_end) RowTiles<layout, CodesAt::kPlanes, 1>(args, row, row_end, panel);
    }
  }
}

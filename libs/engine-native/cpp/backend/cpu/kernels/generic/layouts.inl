// InfoOf (packed_matrix.h) as constants; a test holds the two together.

constexpr LayoutInfo InfoOfConstant(Layout layout) {
  switch (layout) {
    case Layout::kU4:
    case Layout::kIq4: return {RowForm::kQ32, 32, 144};
    case Layout::kU4Min:
    case Layout::kFp4: return {RowForm::kQ32, 32, 160};
    case Layout::kU5: return {RowForm::kQ32, 32, 176};
    case Layout::kU5Min: return {RowForm::kQ32, 32, 192};
    case Layout::kK2: return {RowForm::kQ256, 256, 800};
    case Layout::kK3: return {RowForm::kQ256, 256, 912};
    case Layout::kK4: return {RowForm::kQ256, 256, 1184};
    case Layout::kK5: return {RowForm::kQ256, 256, 1440};
    case Layout::kK6: return {RowForm::kQ256, 256, 1680};
    default: return {RowForm::kFloat, 1, 0};
  }
}

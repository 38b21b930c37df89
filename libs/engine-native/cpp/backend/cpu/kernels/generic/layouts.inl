// InfoOf (packed_matrix.h) as constants; a test holds the two together.

constexpr LayoutInfo InfoOfConstant(Layout layout) {
  switch (layout) {
    case Layout::kF32: return {RowForm::kFloat, 1, 4};
    case Layout::kF16:
    case Layout::kBF16: return {RowForm::kFloat, 1, 2};
    case Layout::kQ8: return {RowForm::kQ32Wide, 32, 34};
    case Layout::kU4:
    case Layout::kIq4: return {RowForm::kQ32, 32, 18};
    case Layout::kU4Min:
    case Layout::kFp4: return {RowForm::kQ32, 32, 20};
    case Layout::kU5: return {RowForm::kQ32, 32, 22};
    case Layout::kU5Min: return {RowForm::kQ32, 32, 24};
    case Layout::kK2: return {RowForm::kQ256, 256, 100};
    case Layout::kK3: return {RowForm::kQ256, 256, 114};
    case Layout::kK4: return {RowForm::kQ256, 256, 148};
    case Layout::kK5: return {RowForm::kQ256, 256, 180};
    case Layout::kK6: return {RowForm::kQ256, 256, 210};
  }
  return {RowForm::kFloat, 1, 0};
}

// Cosines and sines of a rotary embedding by absolute position, made in double by our own functions, rounded once.
#pragma once

#include <vector>

#include "model/config.h"

namespace tf {

class RopeTable {
 public:
  // freq_factors: [rotary_width / 2] divisors, or empty.
  RopeTable(const RopeConfig& config, const std::vector<float>& freq_factors);
  size_t half() const { return frequencies_.size(); }
  // Makes rows [0, positions) available. Not while rows are read.
  void Extend(size_t positions);
  const float* cos(size_t position) const { return cos_.data() + position * half(); }
  const float* sin(size_t position) const { return sin_.data() + position * half(); }

 private:
  std::vector<double> frequencies_;
  double magnitude_ = 1.0;
  std::vector<float> cos_, sin_;
};

}  // namespace tf

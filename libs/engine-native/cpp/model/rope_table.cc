#include "model/rope_table.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace tf {

namespace {

constexpr double kTwoPi = 6.283185307179586;

// Source: the Llama 3 release; Hugging Face `rope_type: llama3`.
double Llama3(double f, const RopeConfig& c) {
  const double wavelength = kTwoPi / f;
  if (wavelength > c.original_context / c.low_freq_factor) return f / c.factor;
  if (wavelength < c.original_context / c.high_freq_factor) return f;
  const double s = (c.original_context / wavelength - c.low_freq_factor) / (c.high_freq_factor - c.low_freq_factor);
  return (1.0 - s) * f / c.factor + s * f;
}

// Source: YaRN (Peng et al. 2023), as Hugging Face computes it.
double Yarn(double f, double j, const RopeConfig& c) {
  const double width = static_cast<double>(c.rotary_width);
  const auto correction = [&](double turns) {
    return width * ExactLog(c.original_context / (kTwoPi * turns)) / (2.0 * ExactLog(c.theta));
  };
  double low = correction(c.beta_fast), high = correction(c.beta_slow);
  if (c.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, width - 1.0);
  if (low == high) high += 0.001;
  const double ramp = std::clamp((j - low) / (high - low), 0.0, 1.0);
  return f * (1.0 - ramp) + f / c.factor * ramp;
}

}  // namespace

RopeTable::RopeTable(const RopeConfig& config, const std::vector<float>& freq_factors) {
  const double log_theta = ExactLog(config.theta);
  for (int64_t j = 0; j < config.rotary_width / 2; ++j) {
    double f = ExactExp(-2.0 * static_cast<double>(j) / static_cast<double>(config.rotary_width) * log_theta);
    switch (config.scaling) {
      case RopeConfig::Scaling::kNone: break;
      case RopeConfig::Scaling::kLinear: f = f / config.factor; break;
      case RopeConfig::Scaling::kLlama3: f = Llama3(f, config); break;
      case RopeConfig::Scaling::kYarn: f = Yarn(f, static_cast<double>(j), config); break;
    }
    if (!freq_factors.empty()) f = f / static_cast<double>(freq_factors[static_cast<size_t>(j)]);
    frequencies_.push_back(f);
  }
  if (config.scaling == RopeConfig::Scaling::kYarn) magnitude_ = config.attention_factor;
}

void RopeTable::Extend(size_t positions) {
  const size_t have = cos_.size() / std::max<size_t>(1, half());
  if (positions <= have) return;
  positions = std::max(positions, have + 256);
  cos_.resize(positions * half());
  sin_.resize(positions * half());
  for (size_t p = have; p < positions; ++p) {
    for (size_t j = 0; j < half(); ++j) {
      double s, c;
      ExactSinCos(static_cast<double>(p) * frequencies_[j], &s, &c);
      cos_[p * half() + j] = static_cast<float>(c * magnitude_);
      sin_[p * half() + j] = static_cast<float>(s * magnitude_);
    }
  }
}

}  // namespace tf

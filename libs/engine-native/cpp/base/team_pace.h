// How many threads of a team the next run takes. Where other programs hold a core, a team of all cores waits at every
// barrier for the thread that does not run; one thread fewer is then faster. Decides time, never bits.
#pragma once

#include <algorithm>

namespace tf {

class TeamPace {
 public:
  explicit TeamPace(int num_threads) : max_(num_threads), active_(num_threads) {}

  int threads() const { return active_; }

  // After a run of `threads()` threads: its seconds, and the seconds that they slept at barriers, added up.
  void Record(double seconds, double slept) {
    window_seconds_ += seconds;
    window_slept_ += active_ > 1 ? slept / (active_ - 1) : 0.0;
    if (window_seconds_ < kWindow) return;
    const bool loses = window_slept_ > kLossyShare * window_seconds_;
    const double seen = window_seconds_;
    window_seconds_ = window_slept_ = 0.0;
    if (loses) {
      // A thread that was tried again and still loses stays away twice as long.
      hold_ = std::min(kMaxHold, is_trial_ ? 2.0 * hold_ : kMinHold);
      active_ -= 1;
      rest_ = hold_;
      is_trial_ = false;
    } else if (active_ < max_) {
      rest_ -= seen;
      is_trial_ = rest_ <= 0.0;
      if (is_trial_) active_ += 1;
    } else {
      is_trial_ = false;
    }
  }

  static constexpr double kWindow = 0.02;  // seconds of runs that a judgement needs
  static constexpr double kLossyShare = 0.35;
  static constexpr double kMinHold = 0.06, kMaxHold = 1.0;  // seconds of runs before the next trial

 private:
  const int max_;
  int active_;
  double window_seconds_ = 0.0, window_slept_ = 0.0;
  double hold_ = kMinHold, rest_ = 0.0;
  bool is_trial_ = false;  // the last thread has just been taken in again
};

}  // namespace tf

// A fixed team of threads that runs one program together, the caller as thread 0. Waits spin briefly, then sleep, so a
// machine with a busy core slows in proportion and an idle team costs nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/check.h"

namespace tf {

class ThreadTeam {
 public:
  // num_threads >= 1, the caller included. Threads start here and sleep.
  explicit ThreadTeam(int num_threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int num_threads() const { return num_threads_; }

  // Runs program(thread) on threads 0 .. active - 1 and returns when all have ended. One caller at a time.
  void Run(int active, const std::function<void(int thread)>& program);
  void Run(const std::function<void(int thread)>& program) { Run(num_threads_, program); }

  // Inside a program: the threads that run it.
  int active() const { return active_; }

  // Inside a program: returns when every thread that runs it has come here.
  void Barrier();

  // Seconds that threads slept at barriers of the last Run, added up: 0 on an undisturbed machine.
  double slept_seconds() const { return static_cast<double>(slept_ns_.load(std::memory_order_relaxed)) * 1e-9; }

  // Inside a program: splits [0, total) in chunks that threads claim as they get free. Every thread of the run calls
  // it with the same arguments; work(begin, end) runs for each chunk once. No barrier at the end. At most
  // kMaxClaims calls a Run.
  template <typename Work>
  void Claim(int& phase, size_t total, size_t chunk, const Work& work) {
    TF_CHECK(phase < kMaxClaims);
    std::atomic<size_t>& next = claims_[phase++].next;
    for (;;) {
      const size_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= total) return;
      work(begin, begin + chunk < total ? begin + chunk : total);
    }
  }

  // The same, in chunks that shrink: half of an even share of what is left, in pairs, at most `most` (>= 2). Long runs
  // first, so that memory is read in few streams, and little to wait for at the end.
  template <typename Work>
  void ClaimPairs(int& phase, size_t total, size_t most, const Work& work) {
    TF_CHECK(phase < kMaxClaims);
    std::atomic<size_t>& next = claims_[phase++].next;
    size_t begin = next.load(std::memory_order_relaxed);
    while (begin < total) {
      const size_t pairs = (total - begin) / (4 * static_cast<size_t>(active_));
      const size_t end = std::min(total, begin + std::clamp<size_t>(2 * pairs, 2, most / 2 * 2));
      if (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
      work(begin, end);
      begin = next.load(std::memory_order_relaxed);
    }
  }

  static constexpr int kMaxClaims = 4096;
  static constexpr int kMaxThreads = 1023;

 private:
  struct alignas(64) ClaimCounter {
    std::atomic<size_t> next{0};
  };

  void Loop(int thread);

  const int num_threads_;
  std::unique_ptr<ClaimCounter[]> claims_;
  const std::function<void(int)>* program_ = nullptr;
  int active_ = 0;
  std::atomic<int64_t> slept_ns_{0};
  // A wait is for a change of a 32-bit word: spin, then futex (or yield where there is none).
  // Number of the run times (kMaxThreads + 1), plus the threads that it takes: one word, so that a thread which wakes
  // late cannot take the threads of one run for those of another.
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> barrier_epoch_{0};
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;

  // Returns the word's new value; adds the time slept to `slept_ns`.
  uint32_t WaitForChange(std::atomic<uint32_t>& word, uint32_t seen, std::atomic<int64_t>* slept_ns);
  void Wake(std::atomic<uint32_t>& word);
};

// Cores this process may use: affinity and cgroup quota, at least 1.
int AvailableCores();

}  // namespace tf

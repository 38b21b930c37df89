// A fixed team of threads that runs one program together, the caller as thread 0. Waits spin briefly, then sleep, so a
// machine with a busy core slows in proportion and an idle team costs nothing.
#pragma once

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

  // Runs program(thread) on every thread and returns when all have ended. One caller at a time.
  void Run(const std::function<void(int thread)>& program);

  // Inside a program: returns when every thread of the team has come here.
  void Barrier();

  // Inside a program: splits [0, total) in chunks that threads claim as they get free. Every thread of the team calls
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
  static constexpr int kMaxClaims = 4096;

 private:
  struct alignas(64) ClaimCounter {
    std::atomic<size_t> next{0};
  };

  void Loop(int thread);

  const int num_threads_;
  std::unique_ptr<ClaimCounter[]> claims_;
  const std::function<void(int)>* program_ = nullptr;
  // A wait is for a change of a 32-bit word: spin, then futex (or yield where there is none).
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> barrier_epoch_{0};
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;

  void WaitForChange(std::atomic<uint32_t>& word, uint32_t seen);
  void Wake(std::atomic<uint32_t>& word);
};

// Cores this process may use: affinity and cgroup quota, at least 1.
int AvailableCores();

}  // namespace tf

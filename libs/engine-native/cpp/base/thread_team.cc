#include "base/thread_team.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/fp_state.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tf {

namespace {

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// About 20 us of spinning: longer than a barrier of an undisturbed team, shorter than a scheduler's slice.
constexpr int kSpins = 2000;

}  // namespace

ThreadTeam::ThreadTeam(int num_threads)
    : num_threads_(std::clamp(num_threads, 1, kMaxThreads)), claims_(new ClaimCounter[kMaxClaims]) {
  for (int thread = 1; thread < num_threads_; ++thread) threads_.emplace_back([this, thread] { Loop(thread); });
}

ThreadTeam::~ThreadTeam() {
  stopping_.store(true);
  generation_.fetch_add(kMaxThreads + 1);
  Wake(generation_);
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::Run(int active, const std::function<void(int)>& program) {
  for (int i = 0; i < kMaxClaims && claims_[i].next.load(std::memory_order_relaxed) != 0; ++i) {
    claims_[i].next.store(0, std::memory_order_relaxed);
  }
  program_ = &program;
  active_ = std::clamp(active, 1, num_threads_);
  slept_ns_.store(0, std::memory_order_relaxed);
  if (active_ > 1) {
    const uint32_t run = generation_.load(std::memory_order_relaxed) / (kMaxThreads + 1) + 1;
    generation_.store(run * (kMaxThreads + 1) + static_cast<uint32_t>(active_), std::memory_order_seq_cst);
    Wake(generation_);
  }
  program(0);
  Barrier();
}

void ThreadTeam::Loop(int thread) {
  SetFloatState();
  uint32_t seen = 0;
  for (;;) {
    seen = WaitForChange(generation_, seen, nullptr);
    if (stopping_.load()) return;
    if (static_cast<uint32_t>(thread) >= seen % (kMaxThreads + 1)) continue;
    (*program_)(thread);
    Barrier();
  }
}

void ThreadTeam::Barrier() {
  if (active_ == 1) return;
  const uint32_t epoch = barrier_epoch_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<uint32_t>(active_)) {
    arrived_.store(0, std::memory_order_relaxed);
    barrier_epoch_.fetch_add(1, std::memory_order_seq_cst);
    Wake(barrier_epoch_);
  } else {
    WaitForChange(barrier_epoch_, epoch, &slept_ns_);
  }
}

uint32_t ThreadTeam::WaitForChange(std::atomic<uint32_t>& word, uint32_t seen, std::atomic<int64_t>* slept_ns) {
  for (int spin = 0; spin < kSpins; ++spin) {
    const uint32_t now = word.load(std::memory_order_acquire);
    if (now != seen) return now;
    Pause();
  }
  const auto start = std::chrono::steady_clock::now();
  uint32_t now = word.load(std::memory_order_acquire);
  while (now == seen) {
#if defined(__linux__)
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
#else
    word.wait(seen, std::memory_order_acquire);
#endif
    now = word.load(std::memory_order_acquire);
  }
  if (slept_ns != nullptr) {
    const auto slept = std::chrono::steady_clock::now() - start;
    slept_ns->fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(slept).count(), std::memory_order_relaxed);
  }
  return now;
}

void ThreadTeam::Wake(std::atomic<uint32_t>& word) {
#if defined(__linux__)
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
#else
  word.notify_all();
#endif
}

int AvailableCores() {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = CPU_COUNT(&set);
  // cgroup v2: "quota period" or "max period".
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    long quota = 0, period = 0;
    if (std::fscanf(file, "%ld %ld", &quota, &period) == 2 && quota > 0 && period > 0) {
      cores = std::min<int>(cores, static_cast<int>((quota + period - 1) / period));
    }
    std::fclose(file);
  }
#endif
  return std::max(1, cores);
}

}  // namespace tf

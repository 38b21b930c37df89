#include "base/thread_team.h"

#include <numeric>

#include "base/fp_state.h"
#include "base/team_pace.h"
#include "tests/test.h"

namespace tf::test {
namespace {

TEST("no thread leaves a barrier before all have come, with any number of threads") {
  for (int threads = 1; threads <= 5; ++threads) {
    ThreadTeam team(threads);
    EXPECT(team.num_threads() == threads);
    // Plain numbers: a barrier that does not order memory is a data race, which the thread sanitizer sees.
    std::vector<int> at(static_cast<size_t>(threads), 0);
    std::atomic<int> wrong{0};
    const int barriers = Repeat(400);
    for (int run = 0; run < Repeat(20); ++run) {
      std::fill(at.begin(), at.end(), 0);
      team.Run([&](int thread) {
        for (int i = 1; i <= barriers; ++i) {
          at[static_cast<size_t>(thread)] = i;
          team.Barrier();
          for (const int other : at) wrong += other != i;
          team.Barrier();
        }
      });
      EXPECT(std::accumulate(at.begin(), at.end(), 0) == threads * barriers);
    }
    EXPECT(wrong == 0, threads << " threads: " << wrong);
  }
}

TEST("claims hand out every index once, over many phases and runs") {
  for (int threads = 1; threads <= 5; ++threads) {
    ThreadTeam team(threads);
    for (int run = 0; run < Repeat(40); ++run) {
      constexpr int kPhases = 30;
      std::vector<std::vector<int>> seen(kPhases);
      for (size_t p = 0; p < kPhases; ++p) seen[p].assign(p * 7, 0);  // phase 0 has nothing to do
      team.Run([&](int) {
        int phase = 0;
        for (size_t p = 0; p < kPhases; ++p) {
          team.Claim(phase, seen[p].size(), 1 + p % 5, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) seen[p][i] += 1;
          });
          if (p % 3 == 0) team.Barrier();
        }
      });
      for (const std::vector<int>& phase : seen) {
        for (const int count : phase) EXPECT(count == 1, threads << " threads, run " << run);
      }
    }
  }
}

TEST("claims in pairs hand out every index once, in even chunks no larger than asked") {
  for (int threads = 1; threads <= 5; ++threads) {
    ThreadTeam team(threads);
    for (int run = 0; run < Repeat(40); ++run) {
      for (const size_t most : {size_t{2}, size_t{3}, size_t{16}, SIZE_MAX}) {
        std::vector<int> seen(static_cast<size_t>(run) * 11);
        std::atomic<int> wrong{0};
        team.Run([&](int) {
          int phase = 0;
          team.ClaimPairs(phase, seen.size(), most, [&](size_t begin, size_t end) {
            if (begin % 2 != 0 || end - begin > most || (end % 2 != 0 && end != seen.size())) wrong += 1;
            for (size_t i = begin; i < end; ++i) seen[i] += 1;
          });
        });
        EXPECT(wrong == 0, threads << " threads, run " << run << ", at most " << most);
        for (const int count : seen) EXPECT(count == 1, threads << " threads, run " << run);
      }
    }
  }
}

TEST("Run returns after every thread has ended, and its writes are seen") {
  ThreadTeam team(4);
  for (int run = 0; run < Repeat(2000); ++run) {
    int results[4] = {};
    team.Run([&](int thread) { results[thread] = run + thread; });
    for (int thread = 0; thread < 4; ++thread) EXPECT(results[thread] == run + thread);
  }
}

TEST("a run takes as many threads as asked, whichever took part before") {
  ThreadTeam team(4);
  for (int run = 0; run < Repeat(4000); ++run) {
    const int active = 1 + run * 7 % 5 % 4;
    int ran[4] = {};
    std::atomic<int> wrong{0};
    team.Run(active, [&](int thread) {
      ran[thread] += 1;
      team.Barrier();
      for (int other = 0; other < 4; ++other) wrong += ran[other] != (other < active ? 1 : 0);
    });
    EXPECT(wrong == 0, active << " threads, run " << run);
  }
}

TEST("a team that sleeps at its barriers gives a thread up, tries it again, and has it back once that pays") {
  TeamPace pace(2);
  const auto run = [&](double seconds, double share) {
    for (double at = 0; at < seconds; at += 0.005) pace.Record(0.005, 0.005 * share * (pace.threads() - 1));
  };
  run(1.0, 0.1);
  EXPECT(pace.threads() == 2);
  // Mostly one thread while it loses, with trials now and then.
  double with_one = 0;
  for (int i = 0; i < 800; ++i) {
    pace.Record(0.005, pace.threads() == 2 ? 0.003 : 0.0);
    with_one += pace.threads() == 1 ? 0.005 : 0.0;
  }
  EXPECT(with_one > 3.0, with_one << " of 4 s");
  run(1.2, 0.0);
  EXPECT(pace.threads() == 2);
  TeamPace alone(1);
  for (int i = 0; i < 100; ++i) alone.Record(0.005, 0.0);
  EXPECT(alone.threads() == 1);
}

TEST("teams come and go, used or not") {
  for (int i = 0; i < Repeat(60); ++i) {
    ThreadTeam team(1 + i % 5);
    std::atomic<int> sum{0};
    if (i % 2 == 0) team.Run([&](int) { sum += 1; });
    EXPECT(sum == (i % 2 == 0 ? team.num_threads() : 0));
  }
}

TEST("every thread of a team rounds to nearest and keeps subnormals") {
  ThreadTeam team(3);
  bool ok[3] = {};
  team.Run([&](int thread) {
    volatile float tiny = 0x1p-140f;
    ok[thread] = FloatStateOk() && tiny * 0.5f == 0x1p-141f;
  });
  for (const bool each : ok) EXPECT(each);
  EXPECT(AvailableCores() >= 1);
}

}  // namespace
}  // namespace tf::test

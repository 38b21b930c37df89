// Runs every test and prints what failed; `--light` runs fewer cases (emulators, sanitizers).
#include <cstring>

#include "tests/test.h"

int main(int argc, char** argv) {
  tf::test::State& state = tf::test::TheState();
  state.light = argc > 1 && std::strcmp(argv[1], "--light") == 0;
  int passed = 0, failed = 0, skipped = 0;
  for (const tf::test::Case& test : state.cases) {
    state.failures = 0;
    state.skipped.clear();
    test.run();
    const char* verdict = state.failures > 0 ? "FAILED" : state.skipped.empty() ? "ok" : "skipped";
    (state.failures > 0 ? failed : state.skipped.empty() ? passed : skipped) += 1;
    std::printf("%-8s%s\n", verdict, test.name);
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 ? 0 : 1;
}

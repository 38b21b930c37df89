// A small test harness: TEST registers a function, EXPECT counts a failure and goes on, main.cc runs them all.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace tf::test {

struct Case {
  const char* name;  // the sentence that would be false if it failed
  void (*run)();
};

struct State {
  std::vector<Case> cases;
  bool light = false;  // fewer cases: emulators and sanitizers
  int failures = 0;    // of the running case
  std::string skipped;
};

inline State& TheState() {
  static State state;
  return state;
}

struct Registrar {
  Registrar(const char* name, void (*run)()) { TheState().cases.push_back({name, run}); }
};

// How many of `full` repetitions to run here.
inline int Repeat(int full) { return TheState().light ? (full + 7) / 8 : full; }

// Ends a test that cannot run here: `return Skip("why");`.
inline void Skip(const std::string& why) { TheState().skipped = why; }

inline void Fail(const char* file, int line, const std::string& what) {
  constexpr int kShown = 5;
  if (++TheState().failures <= kShown) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

}  // namespace tf::test

#define TF_TEST_JOIN_(a, b) a##b
#define TF_TEST_JOIN(a, b) TF_TEST_JOIN_(a, b)
#define TEST(name)                                                                                          \
  static void TF_TEST_JOIN(Test, __LINE__)();                                                               \
  static const ::tf::test::Registrar TF_TEST_JOIN(registrar, __LINE__)(name, TF_TEST_JOIN(Test, __LINE__)); \
  static void TF_TEST_JOIN(Test, __LINE__)()

// EXPECT(condition) or EXPECT(condition, text << with << values).
#define EXPECT(condition, ...)                                                     \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::ostringstream out_;                                                     \
      out_ << #condition << " is false " __VA_OPT__(<< "(" << __VA_ARGS__ << ")"); \
      ::tf::test::Fail(__FILE__, __LINE__, out_.str());                            \
    }                                                                              \
  } while (false)

// TF_CHECK: a condition that only a bug of ours can break. Prints where and aborts, in every build.
#pragma once

#include <cstdio>
#include <cstdlib>

#define TF_CHECK(condition)                                                                      \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition);         \
      std::abort();                                                                              \
    }                                                                                            \
  } while (false)

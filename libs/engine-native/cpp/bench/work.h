// Work of the kernels behind C functions, so that two builds of them can be loaded side by side (pairs.cc).
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// A product of random weights [n, k] of a type, by its name, with `rows` random rows. Null: there is no such type.
void* tf_product_new(const char* type, size_t n, size_t k, size_t rows);
// The last `queries` positions of each of `lanes` lanes of `positions`, `group` query heads on one f16 kv head.
void* tf_attention_new(size_t head_dim, size_t group, size_t positions, size_t queries, size_t lanes);
void tf_work_delete(void* work);
// What threads claim: panels of a product, lanes of attention.
size_t tf_work_units(const void* work);
// Units [begin, end), on any thread.
void tf_work_run(void* work, size_t begin, size_t end);
// Of all results so far: the same bits give the same.
uint64_t tf_work_hash(const void* work);
}

// One product behind C functions, so that two builds of the kernels can be loaded side by side (pairs.cc).
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// Random weights [n, k] of a type by its name, and `rows` random rows. Null: there is no such type.
void* tf_product_new(const char* type, size_t n, size_t k, size_t rows);
void tf_product_delete(void* product);
size_t tf_product_panels(const void* product);
// The product's columns of panels [begin, end).
void tf_product_run(void* product, size_t begin, size_t end);
// Of all results so far: the same bits give the same.
uint64_t tf_product_hash(const void* product);
}

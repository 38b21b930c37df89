// Memory of keys and values: pages of 64 positions, all layers of a page together. Who uses which page is decided in
// TypeScript; here is only where a page lies.
#pragma once

#include <cstring>

#include "backend/cpu/kernels/kernel_table.h"
#include "base/mmap_file.h"

namespace tf {

class PagePool {
 public:
  PagePool(size_t num_pages, size_t num_layers, size_t num_kv_heads, size_t head_dim, KvType type)
      : num_pages_(num_pages),
        num_kv_heads_(num_kv_heads),
        type_(type),
        head_bytes_(KvBlockBytes(type, head_dim)),
        page_bytes_(num_layers * num_kv_heads * head_bytes_),
        memory_(num_pages * page_bytes_) {}

  size_t num_pages() const { return num_pages_; }
  size_t page_bytes() const { return page_bytes_; }
  KvType type() const { return type_; }
  // Keys, then values (kernel_table.h), of one page, layer and kv head.
  uint8_t* Block(size_t page, size_t layer, size_t kv_head) const {
    return memory_.data() + page * page_bytes_ + (layer * num_kv_heads_ + kv_head) * head_bytes_;
  }
  void Copy(size_t from, size_t to) const { std::memcpy(Block(to, 0, 0), Block(from, 0, 0), page_bytes()); }

 private:
  size_t num_pages_, num_kv_heads_;
  KvType type_;
  size_t head_bytes_, page_bytes_;
  HugeBuffer memory_;
};

}  // namespace tf

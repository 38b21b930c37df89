// A file mapped read-only, and anonymous memory on huge pages where the system has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"

namespace tf {

class MmapFile {
 public:
  static Result<MmapFile> Open(const std::string& path);
  MmapFile(MmapFile&& other) noexcept;
  MmapFile& operator=(MmapFile&& other) noexcept;
  ~MmapFile();
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  // Tells the system that [offset, offset + length) will not be read again soon: its pages may leave memory.
  void DropPages(size_t offset, size_t length) const;

 private:
  MmapFile(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Zeroed memory, 64-byte aligned, touched when used. Asks for 2 MiB pages from 1 MiB on. Aborts when memory is out.
class HugeBuffer {
 public:
  HugeBuffer() = default;
  explicit HugeBuffer(size_t bytes);
  HugeBuffer(HugeBuffer&& other) noexcept;
  HugeBuffer& operator=(HugeBuffer&& other) noexcept;
  ~HugeBuffer();
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  void* base_ = nullptr;
  size_t mapped_ = 0;
};

}  // namespace tf

#include "base/mmap_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace tf {

Result<MmapFile> MmapFile::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Status::Error("cannot open " + path + ": " + std::strerror(errno));
  struct stat info;
  if (fstat(fd, &info) != 0 || info.st_size == 0) {
    close(fd);
    return Status::Error("cannot map " + path + ": empty or unreadable");
  }
  void* data = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (data == MAP_FAILED) return Status::Error("cannot map " + path + ": " + std::strerror(errno));
  return MmapFile(static_cast<const uint8_t*>(data), static_cast<size_t>(info.st_size));
}

MmapFile::MmapFile(MmapFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MmapFile& MmapFile::operator=(MmapFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MmapFile::~MmapFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

void MmapFile::DropPages(size_t offset, size_t length) const {
  const size_t page = 4096;
  const size_t begin = (offset + page - 1) / page * page;
  const size_t end = (offset + length) / page * page;
  if (end > begin) madvise(const_cast<uint8_t*>(data_) + begin, end - begin, MADV_DONTNEED);
}

HugeBuffer::HugeBuffer(size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  constexpr size_t kHuge = size_t{2} << 20;
  const bool huge = bytes >= kHuge / 2;
  mapped_ = huge ? (bytes + kHuge - 1) / kHuge * kHuge + kHuge : (bytes + 4095) / 4096 * 4096;
  base_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TF_CHECK(base_ != MAP_FAILED);
  uintptr_t start = reinterpret_cast<uintptr_t>(base_);
  if (huge) {
    start = (start + kHuge - 1) / kHuge * kHuge;
#if defined(MADV_HUGEPAGE)
    madvise(reinterpret_cast<void*>(start), (bytes + kHuge - 1) / kHuge * kHuge, MADV_HUGEPAGE);
#endif
  }
  data_ = reinterpret_cast<uint8_t*>(start);
}

HugeBuffer::HugeBuffer(HugeBuffer&& other) noexcept { *this = std::move(other); }

HugeBuffer& HugeBuffer::operator=(HugeBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

HugeBuffer::~HugeBuffer() {
  if (base_ != nullptr) munmap(base_, mapped_);
}

}  // namespace tf

// Status and Result<T>: how C++ reports what a caller can cause. Nothing below napi/ throws.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace tf {

class Status {
 public:
  static Status Ok() { return Status(); }
  static Status Error(std::string message) {
    Status status;
    status.message_ = std::move(message);
    return status;
  }
  bool ok() const { return !message_.has_value(); }
  // Only when !ok().
  const std::string& message() const { return *message_; }

 private:
  std::optional<std::string> message_;
};

// A value, or the error that stood in its way.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status error) : status_(std::move(error)) {}
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }
  T Take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
  Status status_ = Status::Ok();
};

}  // namespace tf

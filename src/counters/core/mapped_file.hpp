// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owning classes for a file descriptor and for a mapping.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace weft::counters::detail {

class file_descriptor {
 public:
  explicit file_descriptor(int number) noexcept : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~file_descriptor() {
    if (is_open()) {
      close(number_);
    }
  }

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

class mapping {
 public:
  /// Takes ownership of the result of mmap(); empty if mmap() failed.
  mapping(void* address, std::size_t num_bytes) noexcept
      : bytes_(address == MAP_FAILED ? std::span<std::byte>{}
                                     : std::span(static_cast<std::byte*>(address), num_bytes)) {}
  mapping(mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  mapping& operator=(mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~mapping() {
    if (!bytes_.empty()) {
      munmap(bytes_.data(), bytes_.size());
    }
  }

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace weft::counters::detail

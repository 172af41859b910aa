// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Raw memory for the elements of a sort or a merge, of which there may be none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::algorithms::detail {

/// Returns raw memory, on huge pages where they pay and the system has some; null if there is none.
[[nodiscard]] void* allocate_scratch(std::size_t bytes, std::size_t alignment) noexcept;
void free_scratch(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

/// Room for `size` values of T, none of them constructed. `!scratch` if memory was short. A few
/// have room in the object itself.
template <class T>
class scratch {
  static constexpr std::size_t own_bytes = 1024;

 public:
  /// So many need no memory of the system's.
  static constexpr std::size_t few = own_bytes / sizeof(T);

  explicit scratch(std::size_t size) noexcept
      : size_(size),
        memory_(size <= few ? reinterpret_cast<T*>(own_.data())
                : size <= SIZE_MAX / sizeof(T)
                    ? static_cast<T*>(allocate_scratch(size * sizeof(T), alignof(T)))
                    : nullptr) {}
  ~scratch() { reset(); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  scratch(scratch&&) = delete;
  scratch& operator=(scratch&&) = delete;

  /// Gives the memory back, in which nothing is constructed any more.
  void reset() noexcept {
    if (memory_ != nullptr && size_ > few) {
      free_scratch(memory_, size_ * sizeof(T), alignof(T));
    }
    memory_ = nullptr;
  }

  explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] T* data() const noexcept { return memory_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  alignas(T) mutable std::array<std::byte, own_bytes> own_;  // NOLINT: raw, as what is allocated
  std::size_t size_;
  T* memory_;
};

}  // namespace weft::algorithms::detail

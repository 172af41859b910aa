// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Raw memory for the elements of a sort or a merge, of which there may be none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::algorithms::detail {

/// Returns raw memory, on huge pages where they pay and the system has some; null if there is none.
[[nodiscard]] void* allocate_scratch(std::size_t bytes, std::size_t alignment) noexcept;
void free_scratch(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

/// Room for `size` values of T, none of them constructed. `!scratch` if memory was short.
template <class T>
class scratch {
 public:
  explicit scratch(std::size_t size) noexcept
      : size_(size),
        memory_(size <= SIZE_MAX / sizeof(T)
                    ? static_cast<T*>(allocate_scratch(size * sizeof(T), alignof(T)))
                    : nullptr) {}
  ~scratch() {
    if (memory_ != nullptr) {
      free_scratch(memory_, size_ * sizeof(T), alignof(T));
    }
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  scratch(scratch&&) = delete;
  scratch& operator=(scratch&&) = delete;

  explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] T* data() const noexcept { return memory_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_;
  T* memory_;
};

}  // namespace weft::algorithms::detail

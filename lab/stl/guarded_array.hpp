// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Page-aligned elements between two guards that reveal writes outside the array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace weft::lab::stl {

/// The byte that fills unwritten outputs and their guards. Four or eight of it are not a whole
/// number as float or double, and as int not a number of the suite's inputs.
inline constexpr unsigned char poison_byte = 0xA5;

/// Guards of inputs differ from those of outputs, so that a guard copied onto a guard is noticed.
enum class guard_byte : unsigned char { of_input = 0x5A, of_output = poison_byte };

template <class T>
T poison() {
  T value;
  std::memset(&value, poison_byte, sizeof(T));
  return value;
}

/// Elements with a guard, a page of equal bytes, before and after them.
///
/// Cost:    two pages more than the elements. The constructor writes no element, except by `touch`.
///          Guards have their own pages, but the back guard starts in the last element's page.
template <class T>
class guarded_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Shape:   `touch`, if not null, is called once with the whole array before any other write to
  ///          it.
  explicit guarded_array(std::size_t size,
                         guard_byte guard = guard_byte::of_output,
                         void (*touch)(T* first, T* last) = nullptr)
      : size_(size),
        guard_(guard),
        memory_(static_cast<std::byte*>(
            ::operator new(size * sizeof(T) + 2 * guard_bytes, std::align_val_t{guard_bytes}))) {
    if (touch != nullptr) {
      touch(begin(), end());
    }
    std::memset(memory_.get(), static_cast<unsigned char>(guard), guard_bytes);
    std::memset(end(), static_cast<unsigned char>(guard), guard_bytes);
  }

  [[nodiscard]] T* begin() const { return reinterpret_cast<T*>(memory_.get() + guard_bytes); }
  [[nodiscard]] T* end() const { return begin() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<T> elements() const { return {begin(), size_}; }
  T& operator[](std::size_t i) const { return begin()[i]; }

  /// Overwrites every element with poison.
  void poison_elements() const { std::memset(begin(), poison_byte, size_ * sizeof(T)); }
  [[nodiscard]] bool is_front_guard_intact() const { return is_guard(memory_.get()); }
  [[nodiscard]] bool is_back_guard_intact() const {
    return is_guard(reinterpret_cast<const std::byte*>(end()));
  }

 private:
  static constexpr std::size_t guard_bytes = 4096;  // a page, so this is the alignment too

  struct deleter {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t{guard_bytes});
    }
  };

  [[nodiscard]] bool is_guard(const std::byte* first) const {
    return std::all_of(first, first + guard_bytes, [guard = std::byte(guard_)](std::byte each) {
      return each == guard;
    });
  }

  std::size_t size_;
  guard_byte guard_;
  std::unique_ptr<std::byte, deleter> memory_;
};

}  // namespace weft::lab::stl

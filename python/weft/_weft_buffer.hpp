// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers in memory of a Python object: a NumPy array, an array.array, a memoryview.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nanobind/nanobind.h>

namespace weft::python {

/// Whether the numbers of a buffer are changed.
enum class access : std::uint8_t { read, write };

/// The types of numbers that the algorithms accept.
enum class number_kind : std::uint8_t { int32, uint32, int64, uint64, float32, float64 };

/// Holds the memory of an object, which cannot be freed or moved meanwhile.
///
/// Threads: made and destroyed with the GIL. Its numbers may be used without it.
class buffer {
 public:
  /// Errors: `TypeError` for objects without a buffer and for other numbers; `ValueError` for more
  ///         dimensions than one, gaps between the numbers, and constants that would be written.
  buffer(const nanobind::object& from, access wanted, const std::string& name);
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer();

  [[nodiscard]] number_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(view_.shape[0]);
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return size() * static_cast<std::size_t>(view_.itemsize);
  }
  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(view_.buf); }

  /// The numbers, of the type that `kind()` says.
  template <class T>
  [[nodiscard]] std::span<T> numbers() const noexcept {
    return {static_cast<T*>(view_.buf), size()};
  }

 private:
  /// Why the view is not accepted, as an exception.
  void check(access wanted, const std::string& name) const;

  Py_buffer view_{};
  number_kind kind_ = number_kind::float64;
};

/// `f` of the numbers in `of`, with their type.
template <class F>
auto with_numbers(const buffer& of, F f) {
  switch (of.kind()) {
    case number_kind::int32:
      return f(of.numbers<std::int32_t>());
    case number_kind::uint32:
      return f(of.numbers<std::uint32_t>());
    case number_kind::int64:
      return f(of.numbers<std::int64_t>());
    case number_kind::uint64:
      return f(of.numbers<std::uint64_t>());
    case number_kind::float32:
      return f(of.numbers<float>());
    case number_kind::float64:
      break;
  }
  return f(of.numbers<double>());
}

}  // namespace weft::python

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX's names of what weft's archives do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/config.hpp>

#include "weft/distributed/archive.hpp"

// For classes with `save(archive, version)` and `load(archive, version)`.
// NOLINTBEGIN(readability-identifier-naming): the names are HPX's
#define HPX_SERIALIZATION_SPLIT_MEMBER()               \
  template <class Archive>                             \
  void serialize(Archive& archive, unsigned version) { \
    if constexpr (Archive::is_saving::value) {         \
      std::as_const(*this).save(archive, version);     \
    } else {                                           \
      this->load(archive, version);                    \
    }                                                  \
  }
// For classes with functions `save(archive, value, version)` and `load(archive, value, version)`.
// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define HPX_SERIALIZATION_SPLIT_FREE(T)                          \
  template <class Archive>                                       \
  void serialize(Archive& archive, T& value, unsigned version) { \
    if constexpr (Archive::is_saving::value) {                   \
      save(archive, std::as_const(value), version);              \
    } else {                                                     \
      load(archive, value, version);                             \
    }                                                            \
  }
// NOLINTEND(bugprone-macro-parentheses)
#define HPX_IS_BITWISE_SERIALIZABLE(T)
// NOLINTEND(readability-identifier-naming)

namespace hpx::serialization {

using weft::distributed::input_archive;
using weft::distributed::output_archive;

/// Befriend it, and `serialize(archive, version)` may be private.
class access {
 public:
  template <class Archive, class T>
    requires requires(Archive& archive, T& value) { value.serialize(archive, 0U); }
  static void serialize(Archive& archive, T& value, unsigned version) {
    value.serialize(archive, version);
  }
};

template <class Base, class Derived>
Base& base_object(Derived& object) noexcept {
  return object;
}

/// Elements in memory that is there: reading needs as many as were written.
template <class T>
class array {
 public:
  array(T* data, std::size_t size) noexcept : elements_(data, size) {}

  template <class Archive>
  void serialize(Archive& archive) {
    for (T& each : elements_) {
      archive(each);
    }
  }

 private:
  std::span<T> elements_;
};
template <class T>
[[nodiscard]] array<T> make_array(T* data, std::size_t size) noexcept {
  return {data, size};
}

/// An array that is sent, and shared by copies of the buffer.
///
/// Shape:   `copy` copies the elements, `take` deletes them at the end, and `reference` uses them
///          where they are. Do not write through a buffer that refers to constant elements. A buffer
///          that was received has elements of its own.
template <class T, class Allocator = std::allocator<T>>
class serialize_buffer {
 public:
  using value_type = T;
  enum init_mode : std::uint8_t { copy = 0, reference = 1, take = 2 };

  serialize_buffer() = default;
  explicit serialize_buffer(std::size_t size, const Allocator& /*allocator*/ = {})
      : data_(std::make_shared<T[]>(size)), size_(size) {}
  serialize_buffer(T* data, std::size_t size, init_mode mode = copy) : size_(size) {
    if (mode == take) {
      data_.reset(data);
    } else if (mode == reference) {
      data_ = std::shared_ptr<T[]>(std::shared_ptr<void>(), data);
    } else {
      copy_from(data);
    }
  }
  serialize_buffer(const T* data, std::size_t size, init_mode mode = copy)
      : serialize_buffer(const_cast<T*>(data), size, mode) {}
  /// Calls `end(data)` when no copy is left; not for `copy`.
  template <class End>
    requires std::invocable<End&, T*>
  serialize_buffer(T* data, std::size_t size, init_mode mode, End end) : size_(size) {
    if (mode == copy) {
      copy_from(data);
    } else {
      data_ = std::shared_ptr<T[]>(data, std::move(end));
    }
  }
  template <class End>
    requires std::invocable<End&, const T*>
  serialize_buffer(const T* data, std::size_t size, init_mode mode, End end)
      : serialize_buffer(const_cast<T*>(data), size, mode, std::move(end)) {}

  [[nodiscard]] T* data() noexcept { return data_.get(); }
  [[nodiscard]] const T* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }

  void save(output_archive& to) const { to(std::span<const T>(data(), size_)); }
  void load(input_archive& from) {
    auto elements = std::make_shared<std::vector<T>>();
    from(*elements);
    size_ = elements->size();
    data_ = std::shared_ptr<T[]>(elements, elements->data());
  }

 private:
  void copy_from(const T* data) {
    data_ = std::make_shared<T[]>(size_);
    std::copy(data, data + size_, data_.get());
  }

  std::shared_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace hpx::serialization

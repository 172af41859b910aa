// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of a coroutine for the code that awaits it: nothing yet, a value or an exception.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace weft::tasks::detail {

/// Holds a T or an exception; it lives in the awaiting frame. A reference is kept as a pointer.
template <class T>
// NOLINTNEXTLINE(bugprone-tagged-union-member-count): kind has a third value, for neither
class outcome {
 public:
  using stored = std::conditional_t<std::is_reference_v<T>,
                                    std::add_pointer_t<std::remove_reference_t<T>>,
                                    std::conditional_t<std::is_void_v<T>, std::monostate, T>>;

  outcome() noexcept {}
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;
  ~outcome() {
    if (kind_ == kind::error) [[unlikely]] {
      std::destroy_at(&error_);
    } else if constexpr (!std::is_trivially_destructible_v<stored>) {
      if (kind_ == kind::value) {
        std::destroy_at(std::addressof(value_));
      }
    }
  }

  template <class... Args>
  void set_value(Args&&... args) {
    ::new (static_cast<void*>(std::addressof(value_))) stored(std::forward<Args>(args)...);
    kind_ = kind::value;
  }
  /// Replaces a value: the coroutine threw while its locals were destroyed.
  void set_error(std::exception_ptr raised) noexcept {
    if (kind_ == kind::value) {
      std::destroy_at(std::addressof(value_));
    }
    ::new (static_cast<void*>(&error_)) std::exception_ptr(std::move(raised));
    kind_ = kind::error;
  }

  [[nodiscard]] bool has_failed() const noexcept { return kind_ == kind::error; }
  /// Call it only after a failure.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }
  void rethrow_if_failed() const {
    if (has_failed()) [[unlikely]] {
      std::rethrow_exception(error_);
    }
  }

  /// Returns the stored value without moving it. Call it only if there is one.
  [[nodiscard]] decltype(auto) value() && noexcept {
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T&&>(*value_);
    } else {
      return static_cast<stored&&>(value_);
    }
  }

  /// Returns the value, moved out, or throws the exception.
  T take() {
    rethrow_if_failed();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*value_);
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(value_);
    }
  }

 private:
  enum class kind : std::uint8_t { nothing, value, error };

  union {
    stored value_;
    std::exception_ptr error_;
  };
  kind kind_ = kind::nothing;
};

}  // namespace weft::tasks::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error codes and exceptions under HPX's names.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <hpx/config.hpp>
#include <hpx/format.hpp>

#include "weft/base/error.hpp"
#include "weft/tasks/future_error.hpp"

// Throws an hpx::exception: which error, where, and what was wrong with HPX's placeholders.
// NOLINTNEXTLINE(readability-identifier-naming): the name is HPX's
#define HPX_THROW_EXCEPTION(code, where, ...) \
  throw ::hpx::exception((code), std::string(where) + ": " + ::hpx::util::format(__VA_ARGS__))

namespace hpx {

enum class throwmode : unsigned char { plain, rethrow, lightweight, lightweight_rethrow };

/// What weft throws where HPX throws `hpx::exception`.
using exception = weft::error;
/// The error that `exception::get_error()` returns.
using error = weft::errc;

/// Says whether a call that takes one failed, in place of an exception.
class error_code {
 public:
  explicit error_code(throwmode /*mode*/ = throwmode::plain) noexcept {}

  explicit operator bool() const noexcept { return raised_ != nullptr; }
  [[nodiscard]] std::exception_ptr exception() const noexcept { return raised_; }
  [[nodiscard]] std::string message() const {
    if (raised_ == nullptr) {
      return {};
    }
    try {
      std::rethrow_exception(raised_);
    } catch (const std::exception& raised) {
      return raised.what();
    } catch (...) {
      return "an exception of another type";
    }
  }
  void clear() noexcept { raised_ = nullptr; }

  /// Returns `call()`; if that throws, keeps the exception and returns an empty value.
  template <class Call>
  auto guard(Call&& call) noexcept -> decltype(call()) {
    clear();
    try {
      return call();
    } catch (...) {
      raised_ = std::current_exception();
    }
    if constexpr (!std::is_void_v<decltype(call())>) {
      return {};
    }
  }

 private:
  std::exception_ptr raised_;
};

namespace detail {
/// Returns `call()`; if that throws, `handle(exception_ptr)`.
template <class Call, class Handle>
decltype(auto) try_catch_exception_ptr(Call&& call, Handle&& handle) {
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    return std::forward<Handle>(handle)(std::current_exception());
  }
}
}  // namespace detail

[[nodiscard]] inline std::string get_error_what(const std::exception& raised) {
  return raised.what();
}
[[nodiscard]] inline error get_error(const exception& raised) noexcept {
  return raised.get_error();
}
/// `error::unknown_error` for what weft did not throw.
[[nodiscard]] inline error get_error(const std::exception_ptr& raised) {
  try {
    std::rethrow_exception(raised);
  } catch (const exception& known) {
    return known.get_error();
  } catch (...) {
    return error::unknown_error;
  }
}

}  // namespace hpx

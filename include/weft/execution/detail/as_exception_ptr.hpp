// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of senders as exceptions.
#pragma once

#include <exception>
#include <system_error>
#include <type_traits>

namespace weft::execution::detail {

/// The exception for an error: the content of a std::exception_ptr, std::system_error for a
/// std::error_code, else the error itself.
/// Source:  C++26 working draft, [exec.as.awaitable], AS-EXCEPT-PTR
template <class Error>
std::exception_ptr as_exception_ptr(Error&& error) noexcept {
  if constexpr (std::is_same_v<std::decay_t<Error>, std::exception_ptr>) {
    return static_cast<Error&&>(error);
  } else if constexpr (std::is_same_v<std::decay_t<Error>, std::error_code>) {
    try {
      return std::make_exception_ptr(std::system_error(error));
    } catch (...) {  // no memory for its text
      return std::current_exception();
    }
  } else {
    return std::make_exception_ptr(static_cast<Error&&>(error));
  }
}

}  // namespace weft::execution::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions that were thrown on another rank.
#pragma once

#include <string>
#include <utility>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/base/error.hpp"

namespace weft::distributed {

/// Where an exception came from. Every exception that crossed ranks derives from this class, except
/// `execution::operation_stopped`.
///
/// Example: tests/distributed/errors_test.cpp: an_exception_keeps_type_text_rank_and_function.
class remote_origin {
 public:
  remote_origin() = default;
  remote_origin(int rank, std::string function, std::string type)
      : rank_(rank), function_(std::move(function)), type_(std::move(type)) {}
  remote_origin(const remote_origin&) = default;
  remote_origin(remote_origin&&) = default;
  remote_origin& operator=(const remote_origin&) = default;
  remote_origin& operator=(remote_origin&&) = default;
  virtual ~remote_origin() = default;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// The function that was called there, as the compiler writes it.
  [[nodiscard]] const std::string& function() const noexcept { return function_; }
  /// The type that was thrown there, as the compiler writes it.
  [[nodiscard]] const std::string& type() const noexcept { return type_; }

 private:
  int rank_ = -1;
  std::string function_;
  std::string type_;
};

/// An exception of another rank whose type is neither a standard one nor `weft::error`.
///
/// `weft::error` and most standard exceptions arrive as a type that derives from their own and from
/// `remote_origin`. The standard ones are `std::bad_alloc`, `std::runtime_error`,
/// `std::logic_error` and their children, and `std::system_error` of the generic and system
/// categories.
class remote_error : public error, public remote_origin {
 public:
  remote_error(const std::string& what, remote_origin origin)
      : error(what), remote_origin(std::move(origin)) {}
};

}  // namespace weft::distributed

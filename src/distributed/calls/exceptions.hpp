// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions as bytes.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

namespace weft::distributed::detail {

/// Type, text and origin of an exception. Errors: std::bad_alloc.
[[nodiscard]] std::vector<std::byte> exception_bytes(const std::exception_ptr& raised,
                                                     int rank,
                                                     std::string_view function);

/// An exception of the same type, if that is a standard one, that derives from `remote_origin`.
/// Errors: `archive_error`.
[[nodiscard]] std::exception_ptr exception_from(std::span<const std::byte> bytes);

}  // namespace weft::distributed::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of all counters, as a page of documentation.
#pragma once

#include <string>
#include <string_view>

#include "weft/counters/registry.hpp"

namespace weft::reference {

/// Returns the page about the counters of `all`, in Markdown. Which instances each has is read off
/// those there are now.
[[nodiscard]] std::string counter_page(const counters::registry& all);

/// Returns where `text` differs from `page`, for a person; empty if it does not.
[[nodiscard]] std::string first_difference(std::string_view page, std::string_view text);

}  // namespace weft::reference

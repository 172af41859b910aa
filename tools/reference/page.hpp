// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The references of all counters and of all options, as pages of documentation.
#pragma once

#include <string>
#include <string_view>

#include "weft/counters/registry.hpp"

namespace weft::reference {

/// Returns the page about the counters of `all`, in Markdown. Which instances each has is read off
/// those there are now.
[[nodiscard]] std::string counter_page(const counters::registry& all);

/// Returns the page about options and environment variables, in Markdown, from what `--weft:help`
/// prints. `most_workers`, which depends on the machine, is replaced by words.
/// Errors:  `weft::error` for a text that is laid out in another way.
[[nodiscard]] std::string option_page(std::string_view help, int most_workers);

/// Returns where `text` differs from `page`, for a person; empty if it does not.
[[nodiscard]] std::string first_difference(std::string_view page, std::string_view text);

}  // namespace weft::reference

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of a cell's `params` that a problem has, and the check of given ones.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace weft::lab {

/// A key of a cell's `params`.
struct parameter {
  std::string_view name;
  std::int64_t minimum;
  std::int64_t maximum;
  std::int64_t default_value;
};

/// Throws `bad_cell` for a key that `problem` does not have or a value out of its range.
void check_parameters(std::string_view problem,
                      std::span<const parameter> known,
                      const std::map<std::string, std::int64_t>& given);

/// Returns the value given for `known`, or its default.
[[nodiscard]] std::int64_t value_of(const parameter& known,
                                    const std::map<std::string, std::int64_t>& given);

}  // namespace weft::lab

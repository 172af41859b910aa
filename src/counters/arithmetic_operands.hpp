// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of arithmetic between counters: counters, wildcards and numbers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/counter_group.hpp"
#include "counters/exact_number.hpp"

namespace weft::counters::detail {

/// An operand as it stands among the parameters: a number, or counters.
using operand_term = std::variant<exact_number, counter_name>;

/// Errors: `weft::error` for a parameter that is neither, and if there are none.
[[nodiscard]] std::vector<operand_term> operand_terms(const counter_name& name);

/// The type of each operand, wildcards replaced by what they mean; a number has none.
///
/// Errors: `weft::error` for names that mean nothing, and for counters that are no numbers.
[[nodiscard]] std::vector<std::optional<counter_type>> operand_types(
    const registry& from, const std::vector<operand_term>& terms);

/// An operand's value and whose it is.
struct operand_value {
  std::string text;
  counter_value value;
};

/// Threads: one at a time.
class arithmetic_operands {
 public:
  /// Errors: `weft::error` for a name that means nothing, or that cannot be made.
  arithmetic_operands(const registry& from,
                      const std::vector<operand_term>& terms,
                      evaluation& now);

  /// All in order, wildcards replaced by what they mean.
  [[nodiscard]] std::vector<operand_value> evaluate(evaluation& now);
  void reset(evaluation& now);
  [[nodiscard]] std::chrono::nanoseconds sampling_interval() const;
  void sample(evaluation& now);

 private:
  /// One per operand, as a group holds no counter twice; /arithmetics/add@/x,/x has two.
  std::vector<std::variant<exact_number, counter_group>> operands_;
};

}  // namespace weft::counters::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// /arithmetics/...@OPERANDS: a number computed from the values of other counters.
#include "counters/families/arithmetics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/counter_group.hpp"
#include "counters/families/exact_number.hpp"
#include "counters/families/unit_powers.hpp"

namespace weft::counters::detail {
namespace {

/// An operand as written in the parameters: a number, or counters.
using operand_term = std::variant<exact_number, counter_name>;

/// An operand's value and its name.
struct operand_value {
  std::string text;
  counter_value value;
};

/// Threads: one at a time.
class arithmetic_operands {
 public:
  /// Errors:  `weft::error` for a name that matches no counter, or one that cannot be made.
  arithmetic_operands(const registry& from,
                      const std::vector<operand_term>& terms,
                      evaluation& now);

  /// Finds the counters that wildcards mean now, and starts reading them.
  void prepare(evaluation& now);
  /// Returns the values in the order of the operands, each wildcard replaced by its counters.
  [[nodiscard]] std::vector<operand_value> evaluate(evaluation& now);
  void reset(evaluation& now);
  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const;
  void sample(evaluation& now);

 private:
  /// One group per operand, because a group holds no counter twice; /arithmetics/add@/x,/x has two.
  std::vector<std::variant<exact_number, counter_group>> operands_;
};

template <class Number>
std::optional<Number> parsed_as(std::string_view text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole_text = problem == std::errc() && end == text.data() + text.size();
  return is_whole_text ? std::optional(number) : std::nullopt;
}

operand_term parse_term(const std::string& text, const counter_name& name) {
  if (const auto whole = parsed_as<std::int64_t>(text)) {
    return exact_number(*whole);
  }
  if (const auto real = parsed_as<double>(text); real && std::isfinite(*real)) {
    return exact_number(*real);
  }
  if (!text.starts_with('/')) {
    throw error("counter " + to_string(name) + ": the operand \"" + text +
                "\" is neither a number nor the name of a counter, which begins with /");
  }
  return complete(parse_counter_name(text));
}

std::vector<counter_type> types_of_all(const registry& from, const counter_name& pattern) {
  std::vector<counter_type> types;
  for (const counter_name& name : from.discover(pattern)) {
    counter_type type = from.type_of(name);
    if (type.kind == counter_kind::array || type.kind == counter_kind::histogram) {
      throw error("counter " + to_string(name) +
                  " cannot be an operand: its value is several numbers, not one");
    }
    types.push_back(std::move(type));
  }
  return types;
}

/// Returns the types of the counters that `pattern` matches. Ignores one that vanishes meanwhile.
std::vector<counter_type> types_meant_by(const registry& from, const counter_name& pattern) {
  for (;;) {
    const std::uint64_t generation = from.generation();
    try {
      return types_of_all(from, pattern);
    } catch (const error&) {
      if (from.generation() == generation) {
        throw;
      }
    }
  }
}

std::string number_text(exact_number number) {
  return std::visit([](auto each) { return std::to_string(each); }, number);
}

std::vector<operand_term> operand_terms(const counter_name& name) {
  std::vector<operand_term> terms;
  for (const std::string& text : split_parameters(name.parameters)) {
    terms.push_back(parse_term(text, name));
  }
  if (terms.empty()) {
    throw error(
        "counter " + to_string(name) +
        " needs operands: counters or numbers after an @, with commas between them, as in " +
        type_name(name) + "@/threads/time/cumulative,/threads/count/cumulative");
  }
  return terms;
}

std::vector<std::optional<counter_type>> operand_types(const registry& from,
                                                       const std::vector<operand_term>& terms) {
  std::vector<std::optional<counter_type>> types;
  for (const operand_term& term : terms) {
    const auto* const pattern = std::get_if<counter_name>(&term);
    if (pattern == nullptr) {
      types.emplace_back(std::nullopt);
      continue;
    }
    for (counter_type& type : types_meant_by(from, *pattern)) {
      types.emplace_back(std::move(type));
    }
  }
  return types;
}

arithmetic_operands::arithmetic_operands(const registry& from,
                                         const std::vector<operand_term>& terms,
                                         evaluation& now) {
  for (const operand_term& term : terms) {
    if (const auto* const number = std::get_if<exact_number>(&term)) {
      operands_.emplace_back(*number);
    } else {
      operands_.emplace_back(
          std::in_place_type<counter_group>, from, std::vector{std::get<counter_name>(term)}, now);
    }
  }
}

void arithmetic_operands::prepare(evaluation& now) {
  for (auto& operand : operands_) {
    if (auto* const group = std::get_if<counter_group>(&operand)) {
      group->refresh(now);
      group->prepare(now);
    }
  }
}

std::vector<operand_value> arithmetic_operands::evaluate(evaluation& now) {
  std::vector<operand_value> values;
  for (auto& operand : operands_) {
    if (const auto* const number = std::get_if<exact_number>(&operand)) {
      values.push_back({.text = number_text(*number), .value = value_of(*number)});
      continue;
    }
    auto& group = std::get<counter_group>(operand);
    for (std::size_t i = 0; i < group.members().size(); ++i) {
      counter_value value = group.evaluate(i, now);
      values.push_back({.text = group.members()[i].text, .value = std::move(value)});
    }
  }
  return values;
}

void arithmetic_operands::reset(evaluation& now) {
  for (auto& operand : operands_) {
    if (auto* const group = std::get_if<counter_group>(&operand)) {
      group->refresh(now);
      group->reset(now);
    }
  }
}

std::optional<std::chrono::nanoseconds> arithmetic_operands::sampling_interval() const {
  std::optional<std::chrono::nanoseconds> shortest;
  for (const auto& operand : operands_) {
    const auto* const group = std::get_if<counter_group>(&operand);
    shortest = shorter_interval(shortest, group != nullptr ? group->sampling_interval() : shortest);
  }
  return shortest;
}

void arithmetic_operands::sample(evaluation& now) {
  const auto slack = sampling_interval().value_or(std::chrono::nanoseconds(0)) / 2;
  for (auto& operand : operands_) {
    if (auto* const group = std::get_if<counter_group>(&operand)) {
      group->sample(now, slack);
    }
  }
}

using numbers = std::span<const exact_number>;

/// The rule for the unit of the result, given the units of the operands.
enum class unit_rule : std::uint8_t { same, square, product, quotient, none };

struct operation_row {
  std::string_view name;
  std::size_t min_operands;
  unit_rule unit;
  exact_number (*apply)(numbers);
  std::string_view help;
};

template <exact_number (*combine)(exact_number, exact_number)>
exact_number fold(numbers all) {
  exact_number result = all.front();
  for (const exact_number each : all.subspan(1)) {
    result = combine(result, each);
  }
  return result;
}

exact_number quotient_of(exact_number left, exact_number right) noexcept {
  return as_double(left) / as_double(right);
}

exact_number mean_of(numbers all) {
  return as_double(fold<sum_of>(all)) / static_cast<double>(all.size());
}

exact_number variance_of(numbers all) { return moments_of(all).variance(); }

exact_number middle_of(numbers all) { return median_of({all.begin(), all.end()}); }

exact_number min_of(numbers all) { return *std::ranges::min_element(all, is_less); }

exact_number max_of(numbers all) { return *std::ranges::max_element(all, is_less); }

exact_number count_of(numbers all) { return static_cast<std::int64_t>(all.size()); }

constexpr std::array rows = {
    operation_row{"add", 1, unit_rule::same, fold<sum_of>, "Sum of the operands"},
    operation_row{
        "subtract", 2, unit_rule::same, fold<difference_of>, "The first operand less all others"},
    operation_row{"multiply", 1, unit_rule::product, fold<product_of>, "Product of the operands"},
    operation_row{"divide",
                  2,
                  unit_rule::quotient,
                  fold<quotient_of>,
                  "The first operand divided by all others"},
    operation_row{"mean", 1, unit_rule::same, mean_of, "Mean of the operands"},
    operation_row{"variance",
                  1,
                  unit_rule::square,
                  variance_of,
                  "Mean square of the operands' differences to their mean"},
    operation_row{"median", 1, unit_rule::same, middle_of, "Median of the operands"},
    operation_row{"min", 1, unit_rule::same, min_of, "The smallest operand"},
    operation_row{"max", 1, unit_rule::same, max_of, "The largest operand"},
    operation_row{"count", 1, unit_rule::none, count_of, "How many operands there are"},
};

using operand_type = std::optional<counter_type>;

std::string same_unit(const counter_name& name, const std::vector<operand_type>& types) {
  const counter_type* first = nullptr;
  for (const operand_type& each : types) {
    if (each && first == nullptr) {
      first = &*each;
    } else if (each && each->unit != first->unit) {
      throw error("counter " + to_string(name) + " has operands of different units: " +
                  first->name + " in \"" + first->unit + "\" and " + each->name + " in \"" +
                  each->unit + "\"; choose operands of one unit, or multiply or divide them");
    }
  }
  return first != nullptr ? first->unit : "";
}

std::string unit_of(const counter_name& name,
                    unit_rule rule,
                    const std::vector<operand_type>& types) {
  std::vector<std::string> units;
  units.reserve(types.size());
  for (const operand_type& each : types) {
    units.push_back(each ? each->unit : "");
  }
  switch (rule) {
    case unit_rule::same:
      return same_unit(name, types);
    case unit_rule::square:
      return product_unit(std::array{same_unit(name, types), same_unit(name, types)});
    case unit_rule::product:
      return product_unit(units);
    case unit_rule::quotient:
      return quotient_unit(units);
    default:
      return "";
  }
}

/// A sum of totals is a total. An operation on gauges only gives a gauge.
counter_kind kind_of(const operation_row& row, const std::vector<operand_type>& types) {
  const auto is_total = [](const operand_type& each) {
    return each && each->kind == counter_kind::total;
  };
  const auto is_gauge = [](const operand_type& each) {
    return !each || each->kind == counter_kind::gauge;
  };
  if (row.unit == unit_rule::none || std::ranges::all_of(types, is_gauge)) {
    return counter_kind::gauge;
  }
  const bool is_sum = row.name == "add" && std::ranges::all_of(types, is_total);
  return is_sum ? counter_kind::total : counter_kind::quotient;
}

counter_type checked_type(const registry& from,
                          const operation_row& row,
                          const counter_name& name) {
  const std::vector<operand_type> types = operand_types(from, operand_terms(name));
  if (types.size() < row.min_operands) {
    throw error("counter " + to_string(name) + " needs " + std::to_string(row.min_operands) +
                " operands or more, but has " + std::to_string(types.size()));
  }
  return {.name = type_name(name),
          .unit = unit_of(name, row.unit, types),
          .help = std::string(row.help),
          .kind = kind_of(row, types)};
}

/// Returns the error of the result if operands are estimates. Their errors are taken as
/// independent, each carried through `apply` by the change that its half width causes.
std::optional<sampling> carried_sampling(const operation_row& row,
                                         const std::vector<operand_value>& operands,
                                         std::vector<exact_number> inputs) {
  std::optional<sampling> carried;
  const double result = as_double(row.apply(inputs));
  double square = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const auto& of_operand = operands[i].value.sampled) {
      const exact_number input =
          std::exchange(inputs[i], exact_number(as_double(inputs[i]) + of_operand->half_width));
      square += std::pow(as_double(row.apply(inputs)) - result, 2);
      inputs[i] = input;
      carried = carried.value_or(sampling{.one_in = 1, .num_samples = 0, .half_width = 0});
      carried->one_in = std::max(carried->one_in, of_operand->one_in);
      carried->num_samples += of_operand->num_samples;
      carried->half_width = std::sqrt(square);
    }
  }
  return carried;
}

class arithmetic_counter final : public counter {
 public:
  arithmetic_counter(const registry& from,
                     const operation_row& row,
                     const std::vector<operand_term>& terms,
                     evaluation& now)
      : row_(&row), operands_(from, terms, now) {}

  void prepare(evaluation& now) override { operands_.prepare(now); }

  counter_value evaluate(evaluation& now) override {
    const std::vector<operand_value> operands = operands_.evaluate(now);
    std::vector<exact_number> inputs;
    for (const operand_value& each : operands) {
      const auto number = number_in(each.value);
      if (!number) {
        return unavailable("operand " + each.text + ": " + each.value.reason);
      }
      if (row_->unit == unit_rule::quotient && !inputs.empty() && as_double(*number) == 0) {
        return unavailable("division by zero: operand " + each.text + " is 0");
      }
      inputs.push_back(*number);
    }
    return value_of(row_->apply(inputs), carried_sampling(*row_, operands, inputs));
  }

  void reset(evaluation& now) override { operands_.reset(now); }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const override {
    return operands_.sampling_interval();
  }
  void sample(evaluation& now) override { operands_.sample(now); }

 private:
  const operation_row* row_;
  arithmetic_operands operands_;
};

counter_family family_of(const registry& from, const operation_row& row) {
  counter_family family;
  const counter_name type{.object = "arithmetics", .counter = std::string(row.name)};
  family.type = {.name = type_name(type),
                 .unit = "",
                 .help = std::string(row.help) + ": counters or numbers @OPERAND,...",
                 .kind = counter_kind::quotient};
  family.instances = [type] { return std::vector{type}; };
  family.make = [&from, &row](const counter_name& name) {
    static_cast<void>(checked_type(from, row, name));
    evaluation now;
    return std::make_unique<arithmetic_counter>(from, row, operand_terms(name), now);
  };
  family.type_of = [&from, &row, type = family.type](const counter_name& name) {
    return name.parameters.empty() ? type : checked_type(from, row, name);
  };
  return family;
}

}  // namespace

std::vector<counter_family> arithmetic_families(const registry& from) {
  std::vector<counter_family> families;
  families.reserve(rows.size());
  for (const operation_row& row : rows) {
    families.push_back(family_of(from, row));
  }
  return families;
}

}  // namespace weft::counters::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of arithmetic between counters: counters, wildcards and numbers.
#include "counters/arithmetic_operands.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
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

#include "counters/counter_group.hpp"
#include "counters/derived_value.hpp"
#include "counters/exact_number.hpp"

namespace weft::counters::detail {
namespace {

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

/// The types of what `pattern` means; one that vanishes meanwhile is no error.
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

}  // namespace

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

std::vector<operand_value> arithmetic_operands::evaluate(evaluation& now) {
  std::vector<operand_value> values;
  for (auto& operand : operands_) {
    if (const auto* const number = std::get_if<exact_number>(&operand)) {
      values.push_back({.text = number_text(*number), .value = value_of(*number)});
      continue;
    }
    auto& group = std::get<counter_group>(operand);
    group.refresh(now);
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

std::chrono::nanoseconds arithmetic_operands::sampling_interval() const {
  std::chrono::nanoseconds shortest{0};
  for (const auto& operand : operands_) {
    const auto* const group = std::get_if<counter_group>(&operand);
    shortest = shorter_interval(shortest, group != nullptr ? group->sampling_interval() : shortest);
  }
  return shortest;
}

void arithmetic_operands::sample(evaluation& now) {
  const auto slack = sampling_interval() / 2;
  for (auto& operand : operands_) {
    if (auto* const group = std::get_if<counter_group>(&operand)) {
      group->sample(now, slack);
    }
  }
}

}  // namespace weft::counters::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removes the runtime's own templates, then names, parameters and namespaces that only add noise.
#include "counters/trace/task_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#include <unistd.h>

namespace weft::counters::detail {
namespace {

constexpr std::string_view runtime_names = "weft::tasks::detail::";
constexpr std::string_view group_member = "weft::task_group::member_of";
constexpr std::string_view call_operator = "operator()";

bool opens(char c) noexcept { return c == '<' || c == '(' || c == '{'; }
bool closes(char c) noexcept { return c == '>' || c == ')' || c == '}'; }

/// Calls `visit(position)` for each character outside all brackets, until it returns true. Returns
/// that position, or npos.
template <class Visit>
std::size_t find_outside_if(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && visit(i)) {
      return i;
    }
    if (text.substr(i).starts_with(call_operator)) {
      i += call_operator.size() - 1;
    } else if (opens(text[i])) {
      ++depth;
    } else if (closes(text[i]) && depth > 0) {
      --depth;
    }
  }
  return std::string_view::npos;
}

std::size_t find_outside(std::string_view text, std::string_view wanted) {
  return find_outside_if(text, [&](std::size_t i) { return text.substr(i).starts_with(wanted); });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::array<std::string_view, 4> noise{" const", "&", "*", " "};
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (const std::string_view each : noise) {
      if (text.ends_with(each)) {
        text.remove_suffix(each.size());
        is_done = false;
      }
    }
  }
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Returns the text between the first '<' outside brackets and its '>', split at commas.
std::vector<std::string_view> template_arguments(std::string_view text) {
  std::vector<std::string_view> result;
  const std::size_t open = find_outside(text, "<");
  if (open == std::string_view::npos) {
    return result;
  }
  for (std::string_view rest = text.substr(open + 1); !rest.empty();) {
    const std::size_t end =
        find_outside_if(rest, [&](std::size_t i) { return rest[i] == ',' || rest[i] == '>'; });
    result.push_back(trimmed(rest.substr(0, end)));
    if (end == std::string_view::npos || rest[end] == '>') {
      break;
    }
    rest.remove_prefix(end + 1);
  }
  return result;
}

/// Returns where a lambda's own name begins, as GCC and Clang write it; npos: there is none.
std::size_t find_lambda(std::string_view text) {
  constexpr std::array<std::string_view, 3> beginnings{"{lambda(", "$_", "'lambda"};
  return find_outside_if(text, [&](std::size_t i) {
    return std::ranges::any_of(
        beginnings, [&](std::string_view each) { return text.substr(i).starts_with(each); });
  });
}

/// Returns the argument of a runtime template that the user wrote.
std::string_view callable_among(const std::vector<std::string_view>& arguments) {
  for (const std::string_view each : arguments) {
    if (find_lambda(each) != std::string_view::npos) {
      return each;
    }
  }
  for (const std::string_view each : arguments) {
    if (each.starts_with(runtime_names)) {
      return each;
    }
  }
  // A result or a future precedes the callable, and its arguments follow it.
  const auto is_value = [](std::string_view type) {
    return type.starts_with("weft::") || type.find("::") == std::string_view::npos;
  };
  const auto found = std::ranges::find_if_not(arguments, is_value);
  return found == arguments.end() ? arguments.back() : *found;
}

std::string_view peeled(std::string_view function) {
  for (;;) {
    const std::size_t place = find_outside_if(function, [&](std::size_t i) {
      const std::string_view rest = function.substr(i);
      return rest.starts_with(runtime_names) || rest.starts_with(group_member);
    });
    if (place == std::string_view::npos) {
      return function;
    }
    const auto arguments = template_arguments(function.substr(place));
    if (arguments.empty()) {
      return function.substr(place + runtime_names.size());
    }
    function = callable_among(arguments);
  }
}

/// Returns the name without brackets, return types and all but the last two parts: "bodies::fib".
std::string short_function(std::string_view function) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::string plain;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (depth == 0 && function.substr(i).starts_with(unnamed)) {
      i += unnamed.size() - 1;
    } else if (depth == 0 && function.substr(i).starts_with(call_operator)) {
      plain += call_operator;
      i += call_operator.size() - 1;
    } else if (opens(function[i])) {
      ++depth;
    } else if (closes(function[i]) && depth > 0) {
      --depth;
    } else if (depth == 0) {
      plain += function[i];
    }
  }
  plain = trimmed(plain);
  plain.erase(0, plain.rfind(' ') + 1);
  const std::size_t last = plain.rfind("::");
  const std::size_t before =
      last == std::string::npos || last == 0 ? std::string::npos : plain.rfind("::", last - 1);
  return before == std::string::npos ? plain : plain.substr(before + 2);
}

/// Returns 2 for "{lambda()#2}", 1 for "$_0" and 'lambda'(), and 2 for 'lambda0'().
std::string lambda_number(std::string_view lambda) {
  const bool is_gcc = lambda.starts_with('{');
  const std::size_t mark = is_gcc ? lambda.find('#') : lambda.find_first_of("_a'", 1);
  const std::size_t first = lambda.find_first_of("0123456789", mark);
  const std::size_t end = lambda.find_first_not_of("0123456789", first);
  if (first == std::string_view::npos || (lambda.starts_with('\'') && first > 8)) {
    return "1";
  }
  std::string digits(lambda.substr(first, end - first));
  if (is_gcc) {
    return digits;
  }
  constexpr int unnumbered_ones = 1;  // Clang's 'lambda' precedes its 'lambda0'
  const long number = std::strtol(digits.c_str(), nullptr, 10) + 1;
  return std::to_string(lambda.starts_with('\'') ? number + unnumbered_ones : number);
}

}  // namespace

std::string task_name(std::string_view function) {
  const std::string_view callable = peeled(function);
  const std::size_t lambda = find_lambda(callable);
  if (lambda == std::string_view::npos) {
    const bool is_pointer = callable.find("(*)") != std::string_view::npos;
    const std::string name = is_pointer ? std::string() : short_function(callable);
    return name.empty() ? std::string(trimmed(callable)) : name;
  }
  std::string_view outside = callable.substr(0, lambda);
  outside.remove_suffix(outside.ends_with("::") ? 2 : 0);
  const std::string name = short_function(outside);
  const std::string which = "lambda#" + lambda_number(callable.substr(lambda));
  return name.empty() ? which : name + ' ' + which;
}

std::string task_name_of_symbol(const std::string& symbol, std::optional<std::uint64_t> named_by) {
  constexpr std::size_t most_foreign_characters = 128;
  const bool is_trusted = named_by.value_or(0) == 0 || named_by == geteuid();
  if (!is_trusted && symbol.size() > most_foreign_characters) {
    return symbol;
  }
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  return demangled == nullptr ? symbol : task_name(demangled.get());
}

}  // namespace weft::counters::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the counters that a pattern matches.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

#include "base/nearest_name.hpp"
#include "counters/core/absent_counters.hpp"
#include "counters/core/name_text.hpp"

namespace weft::counters {
namespace {

/// True if `each` is in the set between the brackets of, for example, `[a-z_]`.
bool is_in_set(std::string_view set, char each) {
  const auto wanted = static_cast<unsigned char>(each);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool is_range = i + 2 < set.size() && set[i + 1] == '-';
    const auto first = static_cast<unsigned char>(set[i]);
    const auto last = static_cast<unsigned char>(is_range ? set[i + 2] : set[i]);
    if (first <= wanted && wanted <= last) {
      return true;
    }
    i += is_range ? 2 : 0;
  }
  return false;
}

/// Returns the size of the piece of `glob` that matches the character; 0 if it does not match.
///
/// A `[` without a closing bracket stands for itself, and so does a `]` that is first in its set.
std::size_t matching_piece(std::string_view glob, char each) {
  if (glob.front() == '[') {
    const bool is_negated = glob.substr(1).starts_with('!') || glob.substr(1).starts_with('^');
    const std::size_t first = is_negated ? 2 : 1;
    const std::size_t closing = glob.find(']', first + 1);
    if (closing != glob.npos) {
      const std::string_view set = glob.substr(first, closing - first);
      return is_in_set(set, each) != is_negated ? closing + 1 : 0;
    }
  }
  return glob.front() == '?' || glob.front() == each ? 1 : 0;
}

/// Matches as a shell does, except that `/` and a leading `.` are characters like any other.
///
/// Cost:    at most `glob.size() * text.size()`, because only the last `*` is tried again.
bool matches_glob(std::string_view glob, std::string_view text) {
  std::optional<std::size_t> after_star;
  std::size_t resumed = 0;  // index in `text` of the first character after that star's match
  std::size_t in_glob = 0;
  std::size_t in_text = 0;
  while (in_text < text.size()) {
    const std::string_view rest = glob.substr(in_glob);
    if (rest.starts_with('*')) {
      after_star = ++in_glob;
      resumed = in_text;
    } else if (const std::size_t used = rest.empty() ? 0 : matching_piece(rest, text[in_text])) {
      in_glob += used;
      ++in_text;
    } else if (after_star) {
      in_glob = *after_star;
      in_text = ++resumed;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', in_glob) == glob.npos;
}

using detail::is_star;

bool matches_part(const instance_part& pattern, const instance_part& part) {
  if (is_star(pattern)) {
    return true;
  }
  if (pattern.name != part.name) {
    return false;
  }
  return std::holds_alternative<every_index>(pattern.index)
             ? !std::holds_alternative<std::monostate>(part.index)
             : pattern.index == part.index;
}

bool matches_instance(const counter_name& pattern, const counter_name& name) {
  const std::span<const instance_part> wanted = pattern.instance;
  if (!pattern.base.empty()) {
    return !name.base.empty() && matches(complete(pattern.base.front()), name.base.front());
  }
  if (wanted.empty() || (wanted.size() == 1 && is_star(wanted.front()))) {
    return true;
  }
  if (!name.base.empty()) {
    return false;
  }
  const counter_name total = name.instance.empty() ? complete({}) : counter_name();
  std::span<const instance_part> given = name.instance.empty() ? total.instance : name.instance;
  if (is_star(wanted.back()) && given.size() > wanted.size()) {
    given = given.first(wanted.size());
  }
  return std::ranges::equal(wanted, given, matches_part);
}

bool matches_type(const counter_name& pattern, const counter_name& name) {
  return matches_glob(type_name(pattern), type_name(name));
}

/// Returns the error for a type whose counters are `of_type`, none of which has the instance.
error no_such_instance(const counter_name& pattern, std::span<const counter_name> of_type) {
  std::vector<std::string> instances;
  for (const counter_name& each : of_type) {
    instances.push_back(detail::instance_text(each));
  }
  const std::string wanted = detail::instance_text(pattern);
  const auto nearest = weft::detail::nearest_name(instances, wanted);
  const counter_name& meant = of_type[static_cast<std::size_t>(nearest - instances.begin())];
  return error("counter " + type_name(pattern) + " has no instance {" + wanted +
               "}; did you mean " + to_string(meant) + "?");
}

/// Returns why weft lacks a counter of HPX; nothing if `type` is not in the list of missing
/// counters.
std::optional<std::string_view> reason_of_absence(std::string type) {
  std::erase_if(type, [](char each) { return each == '*' || each == '?'; });
  for (const detail::absent_counters& each : detail::absent) {
    for (std::string_view rest = each.names; !rest.empty();) {
      const std::string_view glob = rest.substr(0, rest.find(','));
      if (matches_glob(glob, type) || matches_glob(glob, type + '/')) {
        return each.reason;
      }
      rest.remove_prefix(std::min(glob.size() + 2, rest.size()));
    }
  }
  return std::nullopt;
}

error no_such_type(const counter_name& pattern, std::span<const counter_name> known) {
  const std::string wanted = type_name(pattern);
  if (const auto reason = reason_of_absence(wanted)) {
    return error("there is no counter " + wanted + ": " + std::string(*reason) +
                 "; --weft:list-counters lists the counters of this program");
  }
  if (known.empty()) {
    return error("there is no counter " + wanted + ", as none is registered");
  }
  std::vector<std::string> types;
  std::ranges::transform(known, std::back_inserter(types), type_name);
  return error("there is no counter " + wanted + "; did you mean " +
               *weft::detail::nearest_name(types, wanted) + "?");
}

error no_match(const counter_name& pattern, std::span<const counter_name> known) {
  std::vector<counter_name> of_type;
  std::ranges::copy_if(known, std::back_inserter(of_type), [&](const counter_name& each) {
    return matches_type(pattern, each);
  });
  return of_type.empty() ? no_such_type(pattern, known) : no_such_instance(pattern, of_type);
}

}  // namespace

bool matches(const counter_name& pattern, const counter_name& name) {
  return matches_type(pattern, name) && matches_instance(pattern, name) &&
         (pattern.parameters.empty() || pattern.parameters == name.parameters);
}

std::vector<counter_name> expand(const counter_name& pattern, std::span<const counter_name> known) {
  std::vector<counter_name> bases;
  if (!pattern.base.empty()) {
    bases = expand(complete(pattern.base.front()), known);
  }
  std::vector<counter_name> meant;
  const auto add = [&](counter_name name) {
    if (!pattern.parameters.empty()) {
      name.parameters = pattern.parameters;
    }
    meant.push_back(std::move(name));
  };
  for (const counter_name& each : known) {
    if (!matches_type(pattern, each)) {
      continue;
    }
    if (bases.empty() && matches_instance(pattern, each)) {
      add(each);
    } else if (each.instance.empty()) {
      for (const counter_name& base : bases) {
        add({.object = each.object,
             .base = {base},
             .counter = each.counter,
             .parameters = each.parameters});
      }
    }
  }
  if (meant.empty()) {
    throw no_match(pattern, known);
  }
  return meant;
}

}  // namespace weft::counters

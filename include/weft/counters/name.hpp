// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counter names as HPX writes them: parsed, printed, matched and expanded.
//
//   name       = ["/counters"] "/" object ["{" instance "}"] ["/" counter] ["@" parameters]
//   instance   = part ["/" part ["/" part]]  |  name
//   part       = text  |  text "#" number  |  text "#*"  |  "pool#" text
//   parameters = parameter {"," parameter}
//
// as in /threads{locality#0/worker-thread#3}/count/cumulative or
// /statistics{/threads{locality#0/total}/time/average}/rolling_average@500,20. Braces pair
// everywhere, and in parameters so do double quotes, between which a backslash takes the next
// character literally. So any name may stand in the braces, or be a parameter, of another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::counters {

/// The `*` of `worker-thread#*`.
struct every_index {
  bool operator==(const every_index&) const = default;
};

/// None, a number, every one, or the name of a pool.
using instance_index = std::variant<std::monostate, std::uint32_t, every_index, std::string>;

/// `worker-thread#3`: a piece of an instance between its slashes.
struct instance_part {
  std::string name = {};  // the third of an instance may hold slashes
  instance_index index = {};

  bool operator==(const instance_part&) const = default;
};

/// A counter, or with wildcards a pattern of counters.
struct counter_name {
  std::string object = {};                   // "threads"
  std::vector<instance_part> instance = {};  // parent, child, subchild: none to three
  std::vector<counter_name> base = {};       // none, or instead of an instance the name refined
  std::string counter = {};                  // "count/cumulative"
  std::string parameters = {};               // as written: "500,20"

  bool operator==(const counter_name&) const = default;
};

/// Reads a whole name.
///
/// Accepts other names than HPX. Braces and quotes must pair, no part of an instance may be empty,
/// and a base may have parameters of its own.
/// Cost:   linear in the size of `text`.
/// Errors: `weft::error` that marks the first character that does not fit and says what does; names
///         nested more than 32 deep.
/// Source: HPX manual, "Performance counters".
/// Example: tests/counters/name_test.cpp: all_pieces_of_a_name_are_told_apart.
[[nodiscard]] counter_name parse_counter_name(std::string_view text);

/// Prints a name so that parsing it gives `name` again: without "/counters" and leading zeros.
///
/// Errors: `weft::error` if no text gives `name`: a piece is empty or holds what ends it.
[[nodiscard]] std::string to_string(const counter_name& name);

/// Prints object and counter: "/threads/count/cumulative" for all its instances.
[[nodiscard]] std::string type_name(const counter_name& name);

/// Returns the values of parameters: split at commas outside braces and quotes, and those that are
/// quoted as a whole without their quotes and backslashes. Empty text has no values.
///
/// Errors: `weft::error` that marks a brace or quote without partner.
/// Example: tests/counters/name_test.cpp: names_with_parameters_are_parameters.
[[nodiscard]] std::vector<std::string> split_parameters(std::string_view parameters);

/// Prints values so that `split_parameters` gives them again, quoted where that needs it.
[[nodiscard]] std::string join_parameters(std::span<const std::string> values);

/// Returns what `name` means where one counter is needed: without instance `locality#N/total`.
/// N is the number of this process in its job, 0 without a job. Its base is completed, too.
[[nodiscard]] counter_name complete(counter_name name);

/// Tells whether `pattern` means `name`, among others.
///
/// Object and counter match as one piece, as in a shell. `*` matches any text, slashes included;
/// `?` one character; `[a-z]` one of these; `[!a-z]` none of these. In an instance `x#*` matches
/// every index, a part `*` any part, and a last part `*` all that follow. A pattern without
/// instance matches any instance, and one without parameters any parameters. A `name` without
/// instance counts as this process's `locality#N/total`.
/// Example: tests/counters/name_match_test.cpp: both_kinds_of_wildcards_work_together.
[[nodiscard]] bool matches(const counter_name& pattern, const counter_name& name);

/// Returns the counters that `pattern` means, in the order of `known`.
///
/// Without instance it means all instances of its type: the total and all workers. Its parameters
/// replace those in `known`. Its base is completed, then expanded; types that refine a base stand
/// in `known` without instance.
/// Errors: `weft::error` if it means none, with the nearest type, or the nearest instance of it.
/// Example: tests/counters/name_match_test.cpp: a_base_is_expanded_in_place.
[[nodiscard]] std::vector<counter_name> expand(const counter_name& pattern,
                                               std::span<const counter_name> known);

}  // namespace weft::counters

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds texts made by libFuzzer to everything that reads counter names.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

namespace {

using weft::counters::complete;
using weft::counters::counter_name;
using weft::counters::expand;
using weft::counters::join_parameters;
using weft::counters::matches;
using weft::counters::parse_counter_name;
using weft::counters::split_parameters;
using weft::counters::to_string;

void require(bool is_true, const char* fact) {
  if (!is_true) {
    std::fprintf(stderr, "not true: %s\n", fact);
    std::abort();
  }
}

/// Calls what may refuse the text; anything thrown but `weft::error` ends the fuzzer with a report.
void may_refuse(const auto& call) {
  try {
    call();
  } catch (const weft::error&) {
    return;
  }
}

void check_name(std::string_view text) {
  const counter_name name = parse_counter_name(text);
  const std::string printed = to_string(name);

  require(parse_counter_name(printed) == name, "parse(print(parse(x))) == parse(x)");
  require(to_string(parse_counter_name(printed)) == printed, "printing is canonical");
  require(complete(complete(name)) == complete(name), "what is complete stays as it is");

  static const std::vector<counter_name> known{
      parse_counter_name("/threads{locality#0/total}/count/all"),
      parse_counter_name("/statistics/average"),
      parse_counter_name("/arithmetics/add")};
  may_refuse([&] {
    for (const counter_name& each : expand(name, known)) {
      require(matches(name, each), "what a pattern means matches it");
      require(parse_counter_name(to_string(each)) == each, "what a pattern means prints");
    }
  });
}

void check_parameters(std::string_view text) {
  const std::vector<std::string> values = split_parameters(text);

  require(split_parameters(join_parameters(values)) == values, "split(join(x)) == x");
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTEND(readability-identifier-naming)
  const std::string text(data, data + size);
  may_refuse([&] { check_name(text); });
  may_refuse([&] { check_parameters(text); });
  require(split_parameters(join_parameters(std::vector{text})) == std::vector{text},
          "any text may be a parameter");
  return 0;
}

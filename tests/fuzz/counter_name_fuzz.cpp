// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of counters: any text is refused by `weft::error` or has one printed form.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

#include "tests/fuzz/input_file.hpp"

namespace {

using weft::counters::counter_name;
using weft::counters::join_parameters;
using weft::counters::parse_counter_name;
using weft::counters::split_parameters;

std::vector<counter_name> known() {
  return {parse_counter_name("/threads{locality#0/total}/time/average"),
          parse_counter_name("/threads{locality#0/worker-thread#3}/count/cumulative"),
          parse_counter_name("/statistics/average"),
          parse_counter_name("/runtime{locality#0/total}/uptime")};
}

void check_name(std::string_view text) {
  const counter_name name = parse_counter_name(text);
  const std::string printed = to_string(name);
  weft::fuzz::require(parse_counter_name(printed) == name);
  weft::fuzz::require(to_string(parse_counter_name(printed)) == printed);
  const counter_name whole = complete(name);
  weft::fuzz::require(complete(whole) == whole);
  weft::fuzz::require(matches(name, name) || !matches(name, whole));
  (void)type_name(name);
  for (const counter_name& each : expand(name, known())) {
    weft::fuzz::require(matches(name, each) && parse_counter_name(to_string(each)) == each);
  }
}

void check_parameters(std::string_view text) {
  const std::vector whole{std::string(text)};  // any text may be a parameter
  weft::fuzz::require(split_parameters(join_parameters(whole)) == whole);
  const std::vector<std::string> values = split_parameters(text);
  weft::fuzz::require(split_parameters(join_parameters(values)) == values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto check : {check_name, check_parameters}) {
    try {
      check(text);
    } catch (const weft::error&) {
      continue;
    }
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `weft trace --recover` of any bytes ends with a trace or with `weft::error`.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

#include <nlohmann/json.hpp>

#include "weft/base/error.hpp"

#include "counters/trace/trace_conversion.hpp"
#include "counters/trace/trace_file.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/spread_rings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path perfetto = weft::fuzz::own_path("pftrace");
  static const std::filesystem::path chrome = weft::fuzz::own_path("json");
  const weft::fuzz::input_file file(weft::fuzz::own_path("rings"),
                                    weft::fuzz::spread(std::span(data, size)));
  try {
    const auto view = weft::counters::detail::trace_file_view::open(file.path());
    (void)weft::counters::detail::describe(convert_trace(view, perfetto));
    (void)convert_trace(view, chrome, std::chrono::milliseconds(1));
    weft::fuzz::require(nlohmann::json::accept(std::ifstream(chrome)));
  } catch (const weft::error&) {
    return 0;
  }
  std::filesystem::remove(perfetto);
  std::filesystem::remove(chrome);
  return 0;
}

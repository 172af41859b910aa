// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `weft top --replay` of any bytes ends with a view or with `weft::error`.
#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/base/error.hpp"

#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/shown.hpp"
#include "tools/top/watched.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weft::fuzz::input_file file(weft::fuzz::own_path("recording"), std::span(data, size));
  try {
    constexpr int most_looks = 16;
    weft::fuzz::show(weft::top::read_recording(file.path()), most_looks, size);
  } catch (const weft::error&) {
    return 0;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines that bench programs read: each is a cell, or is refused by a record that is one line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lab/harness/cells.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/records.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  weft::lab::outcome answer;
  weft::lab::cell asked;
  try {
    read_cell(line, asked);
    check_fields(asked);
  } catch (const weft::lab::bad_cell& problem) {
    reject(answer, problem.field(), problem.what());
  }
  answer.what = asked;
  weft::fuzz::require(result_record(answer, {}).find('\n') == std::string::npos);
  return 0;
}

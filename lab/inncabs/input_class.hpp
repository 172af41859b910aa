// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three inputs that every problem has.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::lab::inncabs {

enum class input_class : std::uint8_t {
  tiny,  // for tests: under 50 ms in one thread
  // long enough to study: 0.1 to 2 s, by weft's futures for problems with almost empty tasks
  small,
  paper,  // that of the study, except for the reductions in `scaled`; a few take milliseconds
};

inline constexpr std::array input_classes{
    input_class::tiny, input_class::small, input_class::paper};

constexpr std::string_view name_of(input_class which) {
  constexpr std::array<std::string_view, 3> names{"tiny", "small", "paper"};
  return names[static_cast<std::uint8_t>(which)];
}

}  // namespace weft::lab::inncabs

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_sender_forms(<made>): makes the header <made>, which has `sender | algorithm(policy)` for each algorithm: each function in a header that
# weft/algorithms.hpp includes whose first parameter is `Policy&& policy`. Sets weft_sender_forms_from to the headers that it has read.
# As a script: cmake -DMADE=... -P weft_sender_forms.cmake
function(weft_sender_forms made)
  set(folder "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include")
  file(STRINGS "${folder}/weft/algorithms.hpp" includes REGEX "^#include \"weft/")
  list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "${folder}/\\1" OUTPUT_VARIABLE headers)
  set(names "")
  foreach(header IN LISTS headers)
    file(READ "${header}" text)
    string(REGEX MATCHALL "[a-z_]+\\([ \n]*Policy&& policy" found "${text}")
    list(TRANSFORM found REPLACE "\\(.*" "")
    list(APPEND names ${found})
  endforeach()
  list(SORT names)
  list(REMOVE_DUPLICATES names)
  set(text [[
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms in chains of senders, `just(arguments...) | algorithm(policy)`; made by weft_sender_forms.cmake.
#pragma once

#include <utility>

#include "weft/algorithms.hpp"
#include "weft/algorithms/senders/piped.hpp"

namespace weft {
]])
  foreach(name IN LISTS names)
    string(APPEND text "
template <execution_policy Policy>
[[nodiscard]] auto ${name}(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... sent) { return weft::${name}(std::move(sent)...); });
}
")
  endforeach()
  file(CONFIGURE OUTPUT "${made}" CONTENT "${text}\n}  // namespace weft\n" @ONLY)  # leaves a file alone that has this text
  set(weft_sender_forms_from "${folder}/weft/algorithms.hpp" ${headers} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.24)
  weft_sender_forms("${MADE}")
endif()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_algorithm_forms(<target> <template> <made>): makes the header <made> of <target> from a template, again whenever an algorithm is
# added.
# The template is C++. Its lines from "// for each algorithm", or "// for each algorithm but" and lines of names, to "// end" are repeated
# for each algorithm, with its name for @name@. Algorithms are the functions in headers included by weft/algorithms.hpp whose first
# parameter is `Policy&& policy`.
# As a script: cmake -DTEMPLATE=... -DMADE=... -P weft_algorithm_forms.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.24)
endif()

# Sets <names>, sorted, and <sources> to the headers that they come from.
function(weft_algorithm_names names sources)
  set(folder "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include")
  file(STRINGS "${folder}/weft/algorithms.hpp" headers REGEX "^#include \"weft/")
  list(TRANSFORM headers REPLACE "^#include \"([^\"]+)\".*" "${folder}/\\1")
  set(all "")
  foreach(header IN LISTS headers)
    file(READ "${header}" text)
    string(REGEX MATCHALL "[a-z_]+\\([ \n]*Policy&& policy" found "${text}")
    list(TRANSFORM found REPLACE "\\(.*" "")
    list(APPEND all ${found})
  endforeach()
  list(SORT all)
  list(REMOVE_DUPLICATES all)
  set(${names} ${all} PARENT_SCOPE)
  set(${sources} "${folder}/weft/algorithms.hpp" ${headers} PARENT_SCOPE)
endfunction()

function(weft_make_algorithm_forms template made names)
  file(READ "${template}" text)
  get_filename_component(file "${template}" NAME)
  string(REPLACE "#pragma once" "// Made from ${file}.\n#pragma once" text "${text}")
  while(text MATCHES "^(.*)// for each algorithm( but\n((// [a-z_ ]+\n)+)|\n)(.*)// end\n(.*)$") # the last such lines
    set(before "${CMAKE_MATCH_1}")
    set(each "${CMAKE_MATCH_5}")
    set(behind "${CMAKE_MATCH_6}")
    string(REGEX MATCHALL "[a-z_]+" but "${CMAKE_MATCH_3}")
    set(repeated "")
    foreach(name IN LISTS names)
      if(NOT name IN_LIST but)
        string(REPLACE "@name@" "${name}" one "${each}")
        string(APPEND repeated "${one}")
      endif()
    endforeach()
    set(text "${before}${repeated}${behind}")
  endwhile()
  # does not write a file that already has this text
  file(CONFIGURE OUTPUT "${made}" CONTENT "${text}" @ONLY)
endfunction()

function(weft_algorithm_forms target template made)
  weft_algorithm_names(names sources)
  weft_make_algorithm_forms("${template}" "${made}" "${names}")
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/weft_algorithm_forms.cmake")
  add_custom_command(OUTPUT "${made}" VERBATIM
    COMMAND ${CMAKE_COMMAND} -D "TEMPLATE=${template}" -D "MADE=${made}" -P "${script}"
    DEPENDS ${sources} "${template}" "${script}")
  add_custom_target(${target}_forms DEPENDS "${made}")
  add_dependencies(${target} ${target}_forms)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  weft_algorithm_names(names sources)
  weft_make_algorithm_forms("${TEMPLATE}" "${MADE}" "${names}")
endif()

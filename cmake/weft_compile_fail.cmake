# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_compile_fail_test(<module> <name> [DEPENDS ...]): tests/<module>/compile_fail/<name>.cpp compiles as it is, and does not with what is
# wrong in it, of which the compiler says what the file expects. ctest <module>.compile_fail.<name>
#
# Mistakes stand either behind `#if defined(MISTAKES)`, where the compiler says of each statement that ends in `// expect: text` that it is an
# error, and that text; or, for compilers that stop at the first, one each behind lines `#if defined(MACRO)  // expect: text`.
#
# Run as a script (cmake -P) it does that for SOURCE with COMMAND, a list.

if(CMAKE_SCRIPT_MODE_FILE)
  function(compile_with out_result out_text)
    execute_process(COMMAND ${COMMAND} ${ARGN} ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE text OUTPUT_VARIABLE ignored)
    set(${out_result} ${result} PARENT_SCOPE)
    set(${out_text} "${text}" PARENT_SCOPE)
  endfunction()

  # What the compiler says of the first error that it finds in one of these lines, or "", and the number of that line in <out>_line.
  function(said_of_lines first last text out)
    set(${out} "" PARENT_SCOPE)
    foreach(number RANGE ${first} ${last})
      string(REGEX MATCH "${name}:${number}:[0-9]+: error: .*" said "${text}")
      if(NOT said STREQUAL "")
        string(LENGTH "${name}:${number}:" length)
        string(SUBSTRING "${said}" ${length} -1 said) # up to the next error, if there is one
        string(REGEX REPLACE "${name}:[0-9]+:[0-9]+: error: .*" "" said "${said}")
        set(${out} "${said}" PARENT_SCOPE)
        set(${out}_line ${number} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endfunction()

  # An error in one of these lines is one that the file does not say.
  function(refuse_error_in first last text)
    if(first LESS_EQUAL last)
      said_of_lines(${first} ${last} "${text}" said)
      if(NOT said STREQUAL "")
        message(SEND_ERROR "${SOURCE}: in lines ${first} to ${last} is an error without an expectation of its own:${said}")
      endif()
    endif()
  endfunction()

  function(check_mistakes)
    get_filename_component(name ${SOURCE} NAME)
    file(READ ${SOURCE} source)
    string(REGEX REPLACE "[][;]" " " source "${source}") # at which a list would be split
    string(REPLACE "\n" ";" lines "${source}")
    compile_with(result text -DMISTAKES)
    set(number 0)
    set(first 1)
    set(num_expected 0)
    foreach(line IN LISTS lines)
      math(EXPR number "${number} + 1")
      if(line MATCHES "//.*expect" AND NOT line MATCHES "// expect: [^ ]")
        message(SEND_ERROR "${SOURCE}:${number}: write \"// expect: \" and what the compiler says")
      elseif(line MATCHES "// expect: (.*)$")
        set(expected "${CMAKE_MATCH_1}")
        said_of_lines(${first} ${number} "${text}" said)
        string(REPLACE "// expect: ${expected}" "" said "${said}") # which it cites, as it does what is asked for
        string(REGEX REPLACE "[^\n]*(note: candidate: |In substitution of )[^\n]*" "" said "${said}")
        string(FIND "${said}" "${expected}" place)
        if(place EQUAL -1)
          message(SEND_ERROR "${SOURCE}:${number}: the compiler does not say \"${expected}\" but \"${said}\"")
        else()
          math(EXPR next "${said_line} + 1")
          refuse_error_in(${next} ${number} "${text}")
        endif()
        math(EXPR first "${number} + 1")
        math(EXPR num_expected "${num_expected} + 1")
      endif()
    endforeach()
    refuse_error_in(${first} ${number} "${text}")
    if(num_expected EQUAL 0)
      message(FATAL_ERROR "${SOURCE}: none of its mistakes ends in `// expect: text`")
    endif()
  endfunction()

  compile_with(result text)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} without any mistake does not compile:\n${text}")
  endif()
  file(STRINGS ${SOURCE} sections REGEX "^#(el)?if defined\\(.*\\) +// expect: ")
  file(STRINGS ${SOURCE} mistakes REGEX "^#(el)?if defined\\(MISTAKES\\)$")
  if(mistakes)
    check_mistakes()
  elseif(NOT sections)
    message(FATAL_ERROR "${SOURCE} has neither a line `#if defined(MISTAKES)` nor one `#if defined(MACRO)  // expect: text`")
  endif()
  foreach(section IN LISTS sections)
    string(REGEX REPLACE "^#(el)?if defined\\((.*)\\) +// expect: .*$" "\\2" macro "${section}")
    string(REGEX REPLACE "^.*// expect: " "" expected "${section}")
    compile_with(result text -D${macro})
    string(FIND "${text}" "${expected}" place)
    if(result EQUAL 0)
      message(SEND_ERROR "${macro} compiles")
    elseif(place EQUAL -1)
      message(SEND_ERROR "${macro}: the compiler does not say \"${expected}\" but\n${text}")
    endif()
  endforeach()
  return()
endif()

function(weft_compile_fail_test module name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "DEPENDS")
  set(probe weft_compile_fail_${module}_${name}) # knows how what links DEPENDS is compiled
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/${name}.cpp)
  add_library(${probe} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${probe} PRIVATE ${arg_DEPENDS})
  set(all_errors -fmax-errors=0)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # which takes that for its default, 20
    set(all_errors -ferror-limit=0)
  endif()
  set(command ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only ${all_errors}
    "$<$<BOOL:$<TARGET_PROPERTY:${probe},COMPILE_DEFINITIONS>>:-D$<JOIN:$<TARGET_PROPERTY:${probe},COMPILE_DEFINITIONS>,$<SEMICOLON>-D>>"
    "-I$<JOIN:$<TARGET_PROPERTY:${probe},INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>")
  add_test(NAME ${module}.compile_fail.${name}
    COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${command}" -DSOURCE=${source} -P ${PROJECT_SOURCE_DIR}/cmake/weft_compile_fail.cmake)
  # One compiler's judgement is enough where all share the sources.
  set_tests_properties(${module}.compile_fail.${name} PROPERTIES LABELS "${module};slow;unsanitized")
endfunction()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_compile_fail_test(<module> <name> [DEPENDS ...]): tests/<module>/compile_fail/<name>.cpp compiles as it is, and with each of the macros
# that its lines `#if defined(MACRO)  // expect: text` name it does not, and the compiler says that text. ctest <module>.compile_fail.<name>
#
# Run as a script (cmake -P) it does that for SOURCE with COMMAND, a list.

if(CMAKE_SCRIPT_MODE_FILE)
  function(compile_with out_result out_text)
    execute_process(COMMAND ${COMMAND} ${ARGN} ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE text OUTPUT_VARIABLE ignored)
    set(${out_result} ${result} PARENT_SCOPE)
    set(${out_text} "${text}" PARENT_SCOPE)
  endfunction()

  compile_with(result text)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} without any mistake does not compile:\n${text}")
  endif()
  file(STRINGS ${SOURCE} sections REGEX "^#(el)?if defined\\(.*\\) +// expect: ")
  if(NOT sections)
    message(FATAL_ERROR "${SOURCE} has no line `#if defined(MACRO)  // expect: text`")
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
  set(command ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only
    "$<$<BOOL:$<TARGET_PROPERTY:${probe},COMPILE_DEFINITIONS>>:-D$<JOIN:$<TARGET_PROPERTY:${probe},COMPILE_DEFINITIONS>,$<SEMICOLON>-D>>"
    "-I$<JOIN:$<TARGET_PROPERTY:${probe},INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>")
  add_test(NAME ${module}.compile_fail.${name}
    COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${command}" -DSOURCE=${source} -P ${PROJECT_SOURCE_DIR}/cmake/weft_compile_fail.cmake)
  # One compiler's judgement is enough where all share the sources.
  set_tests_properties(${module}.compile_fail.${name} PROPERTIES LABELS "${module};slow;unsanitized" TIMEOUT 120)
endfunction()

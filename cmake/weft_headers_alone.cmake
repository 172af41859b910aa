# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_headers_alone(<name> TARGETS ... [EXCEPT ...] [HEADERS ...]): a target that fails unless every header compiles alone: those of these
# targets' file sets except EXCEPT, and those of HEADERS. Clang reads them as the submodules of one module: a submodule sees only the
# headers that it includes, and each header is read once. CMake's VERIFY_INTERFACE_HEADER_SETS reads all included headers again for each
# header, which takes ten times as long for the same result.

# Writes the module map: the standard headers that `headers` include, and `headers`.
function(weft_write_module_map path)
  set(standard "")
  foreach(header IN LISTS ARGN)
    file(STRINGS "${header}" lines REGEX "^#include <[a-z_]+>")
    list(TRANSFORM lines REPLACE "^#include <([a-z_]+)>.*" "\\1")
    list(APPEND standard ${lines})
  endforeach()
  list(REMOVE_DUPLICATES standard)
  find_path(WEFT_STANDARD_HEADERS NAMES algorithm PATHS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES} NO_DEFAULT_PATH REQUIRED)
  set(text "module std [system] {\n")
  foreach(header IN LISTS standard)
    if(EXISTS "${WEFT_STANDARD_HEADERS}/${header}")
      string(APPEND text "  explicit module ${header} { header \"${WEFT_STANDARD_HEADERS}/${header}\" export * }\n")
    endif()
  endforeach()
  string(APPEND text "}\nmodule weft {\n")
  set(number 0)
  foreach(header IN LISTS ARGN)
    math(EXPR number "${number} + 1")
    string(APPEND text "  explicit module header_${number} { header \"${header}\" export * }\n")
  endforeach()
  file(CONFIGURE OUTPUT "${path}" CONTENT "${text}}\n" @ONLY)
endfunction()

function(weft_headers_alone name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS;EXCEPT;HEADERS")
  set(headers ${arg_HEADERS})
  foreach(target IN LISTS arg_TARGETS)
    get_target_property(sets ${target} INTERFACE_HEADER_SETS)
    foreach(set IN LISTS sets)
      if(NOT set IN_LIST arg_EXCEPT)
        get_target_property(files ${target} HEADER_SET_${set})
        list(APPEND headers ${files})
      endif()
    endforeach()
  endforeach()
  set(folder "${PROJECT_BINARY_DIR}/headers_alone/${name}")
  weft_write_module_map("${folder}/headers.modulemap" ${headers})
  list(GET headers 0 first)
  # which needs the module, and so reads all of it
  file(CONFIGURE OUTPUT "${folder}/headers.cpp" CONTENT "#include \"${first}\"\n" @ONLY)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${folder}/headers.cpp")
  target_link_libraries(${name} PRIVATE ${arg_TARGETS})
  set_target_properties(${name} PROPERTIES CXX_STANDARD 20 WEFT_PRECOMPILED OFF CXX_EXTENSIONS OFF CXX_SCAN_FOR_MODULES OFF)
  target_compile_options(${name} PRIVATE -fmodules -fno-implicit-module-maps "-fmodule-map-file=${folder}/headers.modulemap"
    "-fmodules-cache-path=${folder}/cache" -ferror-limit=0
    # enumerations of C headers, which several submodules include
    -Wno-modules-ambiguous-internal-linkage)
endfunction()

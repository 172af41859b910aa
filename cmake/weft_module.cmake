# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_module(<name> INTERFACE|COMPILED [UMBRELLA <header>] [HEADERS ...] [SOURCES ...] [DEPENDS ...] [PRIVATE_DEPENDS ...]): one module of
# the library, target weft::<name>. Its headers are UMBRELLA, the module's headers that UMBRELLA includes, and HEADERS. A COMPILED module is
# an archive, or a shared object with BUILD_SHARED_LIBS=ON. Headers are relative to include/, SOURCES to src/. Every header compiles alone
# (target weft_headers_alone).

# nvc++ stops at an unknown option, so it gets only the two options that all compilers share. In sources that are compiled together
# (weft_unity), an argument may have the name of another source's type, and no source counts as a header.
set(together $<BOOL:$<TARGET_PROPERTY:WEFT_BATCHED>>)
set(more_warnings -Wpedantic $<$<NOT:${together}>:-Wshadow> -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
add_library(weft_warnings INTERFACE)
target_compile_options(weft_warnings INTERFACE
  -Wall -Wextra "$<$<NOT:$<CXX_COMPILER_ID:NVHPC>>:${more_warnings}>"
  # g++ 12 warns of overlaps and overruns inside its own std::string (GCC PR 105651, 105329). clang-tidy reads these flags too and must
  # accept them.
  "$<$<CXX_COMPILER_ID:GNU>:$<$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>:-Wno-restrict;-Wno-stringop-overflow;-Wno-unknown-warning-option>>"
  $<$<AND:$<CXX_COMPILER_ID:GNU>,${together}>:-Wno-subobject-linkage>
  $<$<BOOL:${WEFT_WERROR}>:-Werror>)

# weft_optimise_library(<target>): optimises a part of the library in ThreadSanitizer's preset, which optimises nothing else: without
# optimisation, the sanitizer sees the same accesses and a few more, and compiling takes half as long. Two parts need optimisation: tasks
# switches stacks, which that sanitizer could not follow otherwise; and the kernels of algorithms would take long to run.
function(weft_optimise_library target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# weft_shared_properties(<target>): properties for a target that is a shared object. It exports every name. Its objects are those of an
# archive, so that ccache recognises them. Workers run its code until the process ends, so dlclose must not unload it. An installed one
# finds its sibling libraries.
function(weft_shared_properties target)
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    DEFINE_SYMBOL ""
    INSTALL_RPATH "$ORIGIN")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_link_options(${target} PRIVATE LINKER:-z,nodelete)
  endif()
endfunction()

function(weft_module name kind)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "UMBRELLA" "HEADERS;SOURCES;DEPENDS;PRIVATE_DEPENDS")
  set(target weft_${name})
  if(arg_UMBRELLA)
    file(STRINGS "${PROJECT_SOURCE_DIR}/include/${arg_UMBRELLA}" included REGEX "^#include \"weft/${name}/")
    list(TRANSFORM included REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND arg_HEADERS ${arg_UMBRELLA} ${included})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/${arg_UMBRELLA}")
  endif()
  list(TRANSFORM arg_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/")
  list(TRANSFORM arg_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/src/")
  if(kind STREQUAL "INTERFACE")
    add_library(${target} INTERFACE)
  else()
    add_library(${target} ${arg_SOURCES})
    weft_shared_properties(${target})
  endif()
  add_library(weft::${name} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY WEFT_MODULES ${name})
  set(scope PUBLIC)
  if(kind STREQUAL "INTERFACE")
    set(scope INTERFACE)
  else()
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:weft_warnings> ${arg_PRIVATE_DEPENDS})
    weft_unity(${target})
  endif()
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${arg_HEADERS})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
endfunction()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_unity(<target> [ALWAYS]): with WEFT_UNITY, compiles the target's sources sixteen at a time: each common header is read once for
# sixteen sources, and common instantiations are compiled once. WEFT_UNITY_MODULES does the same for some modules of the library. A batch
# names its sources from the top of the checkout, and lies in the folder in which compilers start, so that ccache recognises it in every
# checkout and where weft is a subdirectory; CMake's own unity builds use absolute paths. A source with the property
# SKIP_UNITY_BUILD_INCLUSION, and those of a target whose WEFT_BATCHED is off, are compiled one by one.
option(WEFT_UNITY "Compile sources in batches of sixteen: a build from nothing takes less time, one after a change more" OFF)
set(WEFT_UNITY_MODULES "" CACHE STRING "Modules of the library to compile in batches of sources, for example counters")
set(WEFT_BATCH_SIZE 16)

function(weft_unity target)
  string(REPLACE "weft_" "" module ${target})
  if(WEFT_UNITY OR module IN_LIST WEFT_UNITY_MODULES OR "ALWAYS" IN_LIST ARGN)
    set_target_properties(${target} PROPERTIES WEFT_BATCHED ON)
    # the name in this iteration
    cmake_language(EVAL CODE "cmake_language(DEFER CALL weft_batch_sources ${target})")
  endif()
endfunction()

# weft_batch_sources(<target>): replaces its sources by batches, when its folder has been read and all sources are known.
function(weft_batch_sources target)
  get_target_property(is_batched ${target} WEFT_BATCHED)
  if(NOT is_batched)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(one_by_one)
  set(together)
  foreach(source IN LISTS sources)
    get_source_file_property(is_alone ${source} TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    if(is_alone OR NOT source MATCHES "\\.cpp$")
      list(APPEND one_by_one ${source})
    else()
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND together ${source})
    endif()
  endforeach()
  while(together)
    list(SUBLIST together 0 ${WEFT_BATCH_SIZE} batch)
    list(REMOVE_ITEM together ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    string(JOIN "" text ${batch})
    list(LENGTH together num_left)
    set(file ${CMAKE_BINARY_DIR}/weft_batches/${target}_${num_left}_left.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND one_by_one ${file})
  endwhile()
  set_target_properties(${target} PROPERTIES SOURCES "${one_by_one}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# C and Fortran, if compilers for them are found: for weft's Fortran interface, and for examples and tests in both languages. A project that
# includes weft decides about its languages itself.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(CheckLanguage)
foreach(language IN ITEMS C Fortran)
  check_language(${language})
  if(CMAKE_${language}_COMPILER)
    enable_language(${language})
  endif()
endforeach()

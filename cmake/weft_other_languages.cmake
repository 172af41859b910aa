# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# C and Fortran, where there are compilers for them: for weft's interface in Fortran, and for examples and tests in both. A project that weft is
# part of has its own say in this.
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

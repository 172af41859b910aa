# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft::halo for C: part of the library itself.
target_sources(weft_halo PRIVATE halo/languages/c_exchange.cpp halo/languages/c_grid.cpp
  PUBLIC FILE_SET HEADERS FILES "${PROJECT_SOURCE_DIR}/include/weft/halo.h")

# For Fortran 2008: programs link weft::halo_fortran and find the module in its include folder.
if(CMAKE_Fortran_COMPILER AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(modules "${CMAKE_CURRENT_BINARY_DIR}/fortran")
  add_library(weft_halo_fortran STATIC halo/languages/weft_halo_c.f90 halo/languages/weft_halo.f90)
  add_library(weft::halo_fortran ALIAS weft_halo_fortran)
  set_target_properties(weft_halo_fortran PROPERTIES Fortran_MODULE_DIRECTORY "${modules}" POSITION_INDEPENDENT_CODE ON)
  target_include_directories(weft_halo_fortran INTERFACE "$<BUILD_INTERFACE:${modules}>")
  target_link_libraries(weft_halo_fortran PUBLIC weft::halo)
  target_compile_options(weft_halo_fortran PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-std=f2008;-Wall;-Wextra>)
else()
  message(STATUS "weft: halo for Fortran not built: no Fortran compiler that this build can use (apt-get install gfortran, or set FC)")
endif()

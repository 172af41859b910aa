# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Without MPI there is no module halo, and everything else is as it was.
find_package(MPI 3.0 QUIET GLOBAL COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "weft: halo not built: no MPI found (install Open MPI: apt-get install libopenmpi-dev openmpi-bin, or set MPI_CXX_COMPILER)")
  return()
endif()

weft_module(halo STATIC
  HEADERS
    weft/halo.h
    weft/halo.hpp
    weft/halo/axis.hpp
    weft/halo/blocks.hpp
    weft/halo/cart.hpp
    weft/halo/channels.hpp
    weft/halo/detail/engine.hpp
    weft/halo/detail/grid.hpp
    weft/halo/detail/shape.hpp
    weft/halo/detail/transfer.hpp
    weft/halo/error.hpp
    weft/halo/exchange.hpp
    weft/halo/exchange_any.hpp
    weft/halo/executor.hpp
    weft/halo/field.hpp
    weft/halo/global.hpp
    weft/halo/layout.hpp
    weft/halo/options.hpp
    weft/halo/pending.hpp
    weft/halo/shared_field.hpp
    weft/halo/subdomains.hpp
    weft/halo/tuning.hpp
    weft/halo/user_data.hpp
  SOURCES
    halo/agree.cpp
    halo/axis.cpp
    halo/c_exchange.cpp
    halo/c_grid.cpp
    halo/channel_landings.cpp
    halo/channel_messages.cpp
    halo/channel_puts.cpp
    halo/channel_stores.cpp
    halo/channels.cpp
    halo/checks.cpp
    halo/copy.cpp
    halo/copy_list.cpp
    halo/counts.cpp
    halo/device_pointers.cpp
    halo/engine.cpp
    halo/error.cpp
    halo/global.cpp
    halo/grid.cpp
    halo/memory_links.cpp
    halo/message_links.cpp
    halo/options.cpp
    halo/plan.cpp
    halo/report.cpp
    halo/running_exchange.cpp
    halo/running_setup.cpp
    halo/self_test.cpp
    halo/subdomains.cpp
    halo/transfer.cpp
    halo/tuning.cpp
    halo/tuning_file.cpp
    halo/tuning_key.cpp
    halo/user_data.cpp
  DEPENDS weft::counters weft::base MPI::MPI_CXX ${CMAKE_DL_LIBS})
target_include_directories(weft_halo PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
# The C interface only: the C++ one left MPI in 2008.
target_compile_definitions(weft_halo PUBLIC OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)

# Exchanges among tasks: what joins this module to `execution`.
weft_module(halo_async INTERFACE HEADERS weft/halo/async.hpp DEPENDS weft::halo weft::execution)

# The same for Fortran 2008. Programs link weft::halo_fortran and find the module in its include folder.
if(CMAKE_Fortran_COMPILER AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(modules "${CMAKE_CURRENT_BINARY_DIR}/fortran")
  add_library(weft_halo_fortran STATIC halo/weft_halo.f90)
  add_library(weft::halo_fortran ALIAS weft_halo_fortran)
  set_target_properties(weft_halo_fortran PROPERTIES Fortran_MODULE_DIRECTORY "${modules}" POSITION_INDEPENDENT_CODE ON)
  target_include_directories(weft_halo_fortran INTERFACE "$<BUILD_INTERFACE:${modules}>")
  target_link_libraries(weft_halo_fortran PUBLIC weft::halo)
  target_compile_options(weft_halo_fortran PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-std=f2008;-Wall;-Wextra>)
else()
  message(STATUS "weft: halo for Fortran not built: no Fortran compiler that this build can use (apt-get install gfortran, or set FC)")
endif()

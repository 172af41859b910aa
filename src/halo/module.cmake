# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Without MPI, the module halo is not built; the rest of the build does not change.
set(named_mpi "${MPI_CXX_COMPILER}")
find_package(MPI 3.0 QUIET GLOBAL COMPONENTS CXX)
if(NOT MPI_CXX_FOUND AND named_mpi AND NOT CMAKE_DISABLE_FIND_PACKAGE_MPI)
  message(FATAL_ERROR "MPI_CXX_COMPILER is ${named_mpi}, with which no MPI is found. Install it (Debian: libopenmpi-dev and openmpi-bin, or libmpich-dev and mpich for mpicxx.mpich), name another, or unset it")
endif()
if(NOT MPI_CXX_FOUND)
  # FindMPI stores a compiler that it found by itself and could not use. The next configure run must
  # not treat that compiler as named by the user.
  unset(MPI_CXX_COMPILER CACHE)
  message(STATUS "weft: halo not built: no MPI found (install Open MPI: apt-get install libopenmpi-dev openmpi-bin, or set MPI_CXX_COMPILER)")
  return()
endif()

weft_module(halo COMPILED
  UMBRELLA weft/halo.hpp
  HEADERS
    weft/halo/detail/engine.hpp
    weft/halo/detail/grid.hpp
    weft/halo/detail/shape.hpp
    weft/halo/detail/transfer.hpp
  SOURCES
    halo/device/device_pointers.cpp
    halo/exchange/checksums.cpp
    halo/exchange/counts.cpp
    halo/exchange/engine.cpp
    halo/exchange/error.cpp
    halo/exchange/options.cpp
    halo/exchange/report.cpp
    halo/exchange/running_exchange.cpp
    halo/exchange/running_setup.cpp
    halo/exchange/self_test.cpp
    halo/exchange/stall_watch.cpp
    halo/fields/axis.cpp
    halo/fields/copy.cpp
    halo/fields/copy_list.cpp
    halo/fields/global.cpp
    halo/fields/large_pages.cpp
    halo/fields/room.cpp
    halo/plan/agree.cpp
    halo/plan/grid.cpp
    halo/plan/local_copies.cpp
    halo/plan/overlaps.cpp
    halo/plan/plan.cpp
    halo/plan/subdomains.cpp
    halo/plan/transfer_agreement.cpp
    halo/plan/verdict.cpp
    halo/transport/channel_landings.cpp
    halo/transport/channel_messages.cpp
    halo/transport/channel_puts.cpp
    halo/transport/channel_stores.cpp
    halo/transport/channels.cpp
    halo/transport/memory_links.cpp
    halo/transport/message_links.cpp
    halo/transport/mpi_support.cpp
    halo/transport/node_transfers.cpp
    halo/transport/transfer.cpp
    halo/transport/user_data.cpp
    halo/tuning/tuning.cpp
    halo/tuning/tuning_file.cpp
    halo/tuning/tuning_key.cpp
  DEPENDS weft::counters weft::base MPI::MPI_CXX ${CMAKE_DL_LIBS})
target_include_directories(weft_halo PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
include(halo/languages/languages.cmake)
# Only MPI's C interface is used: the C++ bindings are no longer part of MPI.
target_compile_definitions(weft_halo PUBLIC OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)

# Exchanges among tasks: connects this module with `execution`.
weft_module(halo_async INTERFACE HEADERS weft/halo/async.hpp DEPENDS weft::halo weft::execution)

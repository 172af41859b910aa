# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Without MPI a job has one rank.
if(MPI_CXX_FOUND)
  set(mpi_sources distributed/transport/mpi_requests.cpp distributed/transport/mpi_sending.cpp distributed/transport/mpi_session.cpp
    distributed/transport/mpi_transport.cpp)
  set(mpi_library MPI::MPI_CXX)
else()
  set(mpi_sources distributed/transport/no_mpi_session.cpp)
  set(mpi_library "")
endif()

weft_module(distributed COMPILED
  UMBRELLA weft/distributed.hpp
  HEADERS
    weft/distributed/algorithms.hpp
    weft/distributed/detail/aggregate.hpp
    weft/distributed/detail/archive_bytes.hpp
    weft/distributed/detail/archive_kinds.hpp
    weft/distributed/detail/archive_problems.hpp
    weft/distributed/detail/archive_read.hpp
    weft/distributed/detail/archive_write.hpp
    weft/distributed/detail/call.hpp
    weft/distributed/detail/callee.hpp
    weft/distributed/detail/collective.hpp
    weft/distributed/detail/engine.hpp
    weft/distributed/detail/exchange.hpp
    weft/distributed/detail/foreign_wrappers.hpp
    weft/distributed/detail/handler.hpp
    weft/distributed/detail/message.hpp
    weft/distributed/detail/object_call.hpp
    weft/distributed/detail/object_table.hpp
    weft/distributed/detail/rank_tables.hpp
    weft/distributed/detail/type_signature.hpp
    weft/distributed/sort.hpp
  SOURCES
    ${mpi_sources}
    distributed/archive.cpp
    distributed/calls/collectives.cpp
    distributed/calls/counter_server.cpp
    distributed/calls/engine.cpp
    distributed/calls/engines.cpp
    distributed/calls/exceptions.cpp
    distributed/calls/message_counters.cpp
    distributed/calls/module_table.cpp
    distributed/calls/rank_counters.cpp
    distributed/calls/runtime.cpp
    distributed/calls/together.cpp
    distributed/checkpoint.cpp
    distributed/checksum.cpp
    distributed/objects/channel.cpp
    distributed/objects/latch.cpp
    distributed/objects/names.cpp
    distributed/objects/object_calls.cpp
    distributed/objects/object_places.cpp
    distributed/objects/object_table.cpp
    distributed/objects/rank_tables.cpp
    distributed/objects/stopping.cpp
    distributed/stored_vector.cpp
    distributed/transport/frames.cpp
    distributed/transport/memory_transport.cpp
  DEPENDS weft::algorithms weft::execution weft::tasks weft::counters weft::base
  PRIVATE_DEPENDS ${mpi_library} ${CMAKE_DL_LIBS})
target_include_directories(weft_distributed PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(weft_distributed PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)

if(MPI_CXX_FOUND)
  # A program's own MPI calls beside weft's.
  weft_module(distributed_mpi INTERFACE HEADERS weft/distributed/mpi_request.hpp DEPENDS weft::distributed MPI::MPI_CXX)
  target_compile_definitions(weft_distributed_mpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endif()

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the ranks of a job, for as long as it lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::distributed {

namespace detail {
class engine;
class job_counters;
class message_counters;
class mpi_session;
}  // namespace detail

/// What threads of this process may do with MPI.
enum class mpi_threads : std::uint8_t {
  serialized,  // only weft calls MPI while the runtime lives
  multiple,    // the program calls MPI as well, also through weft::halo
};

/// How ranks exchange messages.
struct runtime_options {
  /// What MPI is initialised with, if it is not yet.
  mpi_threads threads = mpi_threads::serialized;
  /// Arguments of at least this size in contiguous memory are not copied into messages.
  std::size_t part_threshold_bytes = 8192;
  /// Gathers small messages to one rank while earlier ones are on their way.
  bool aggregate = true;
  /// Sends calls to the calling rank through serialisation, too: for tests.
  bool always_serialize = false;
};

/// This process's membership of its job. Make one in `main`, on every rank, before any other name of
/// `weft::distributed` is used, and before sessions of counters; `main` runs on all ranks.
///
/// With `argc` and `argv` it reads arguments as `weft::init` does; rank 0 prints what they ask for.
/// Messages are handled by the workers of `weft::default_runtime()`. A process that no launcher
/// (`mpirun`, `srun`) started is the only rank of its job; MPI is then not initialised.
/// Shared objects that hold called functions stay loaded while it lives: do not dlclose them.
/// Cost:    MPI_Init_thread if MPI is not initialised; four communicators.
/// Threads: made and ended by the thread that initialises MPI; collective over all ranks.
/// Errors:  `weft::error` if the ranks run different builds of the program; the message has both
///          paths. `weft::error` also if there is such a runtime already, or if MPI does not let
///          several threads call it.
/// Example: tests/distributed/mpi_calls_test.cpp: calls_reach_every_rank.
class runtime {
 public:
  explicit runtime(const runtime_options& options = {});
  runtime(int& argc, char**& argv, const runtime_options& options = {});
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// Waits until no message is under way on any rank; then ends MPI, if it was initialised here. If
  /// an exception destroys it and there are other ranks, it says so and ends the whole job, since
  /// those may wait.
  ~runtime();

 private:
  runtime(const runtime_options& options, int* argc, char** argv);  // null: no arguments
  void start_printing();
  void end_messages();

  std::unique_ptr<detail::mpi_session> mpi_;
  std::unique_ptr<detail::engine> engine_;
  std::unique_ptr<detail::message_counters> counters_;
  std::unique_ptr<detail::job_counters> job_counters_;
  int num_exceptions_;
};

}  // namespace weft::distributed

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks of one launch: start and end of MPI, checked calls, and values gathered from all ranks.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace weft::lab::mpi {

/// A call of MPI failed; the message names the call, the rank and MPI's own message.
class mpi_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request cannot be run as given; the message says what to type instead.
class bad_request : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws `mpi_error` unless `code` is success.
void check(int code, std::string_view call);

/// Starts MPI on construction and ends it on destruction.
///
/// Threads: one, the one that made it.
class world {
 public:
  /// `level`: of threads, as MPI_Init_thread takes it.
  /// Errors: `mpi_error` if MPI does not give that level.
  world(int* argc, char*** argv, int level = MPI_THREAD_SINGLE);
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world();

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }
  void barrier() const;
  /// Returns the value of rank 0, on every rank.
  [[nodiscard]] long long agree(long long value) const;
  /// Returns whether all ranks pass true.
  [[nodiscard]] bool all(bool mine) const;
  /// Returns the largest value of all ranks, element by element, on every rank.
  [[nodiscard]] std::vector<double> max_of(const std::vector<double>& mine) const;
  /// Returns one value per rank, on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<double> gather(double mine) const;
  /// Returns one text per rank, on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// Returns the library's own name and version, first line.
[[nodiscard]] std::string library_version();

}  // namespace weft::lab::mpi

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that no rank waits in.
#include "halo/plan/verdict.hpp"

#include <exception>
#include <string>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

namespace weft::halo::detail {

verdict::verdict(const grid& processes) {
  check_mpi(MPI_Comm_dup(processes.comm(), &comm_), "MPI_Comm_dup");
}

verdict::~verdict() {
  // As for shared memory: while an exception unwinds, other ranks may never reach this call.
  if (is_mpi_running() && std::uncaught_exceptions() == 0) {
    MPI_Comm_free(&comm_);
  }
}

void verdict::begin() {
  now_ = step::sums;
  requests_.clear();
}

void verdict::ask_for_first(const grid& processes, const std::string& trouble) {
  now_ = step::first;
  trouble_ = trouble;
  mine_ = trouble_.empty() ? processes.size() : processes.rank();
  requests_.assign(1, MPI_REQUEST_NULL);
  check_mpi(MPI_Iallreduce(&mine_, &first_, 1, MPI_INT, MPI_MIN, comm_, requests_.data()),
            "MPI_Iallreduce");
}

void verdict::ask_for_text() {
  now_ = step::text;
  text_.fill('\0');
  trouble_.copy(text_.data(), text_.size() - 1);
  requests_.assign(1, MPI_REQUEST_NULL);
  check_mpi(
      MPI_Ibcast(
          text_.data(), static_cast<int>(text_.size()), MPI_CHAR, first_, comm_, requests_.data()),
      "MPI_Ibcast");
}

void verdict::throw_if_any(const grid& processes) const {
  if (first_ == processes.size()) {
    return;
  }
  if (!trouble_.empty()) {
    throw error(errc::validation_failed, trouble_, processes.rank());
  }
  throw error(errc::other_rank_refused,
              "rank " + std::to_string(first_) + " refused: " + std::string(text_.data()),
              first_);
}

}  // namespace weft::halo::detail

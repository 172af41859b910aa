// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common result of all ranks for one exchange, found without waiting for each other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

/// The steps after which all ranks know whether one of them found an error. A step ends when MPI
/// has completed its `requests`.
class verdict {
 public:
  /// Collective, as is the destructor. Has its own communicator: ranks may end several exchanges in
  /// different orders.
  explicit verdict(const grid& processes);
  ~verdict();
  verdict(const verdict&) = delete;
  verdict& operator=(const verdict&) = delete;

  /// Send checksums; find the first rank with trouble; get that rank's text.
  enum class step : std::uint8_t { sums, first, text };

  [[nodiscard]] step now() const noexcept { return now_; }
  [[nodiscard]] std::vector<MPI_Request>& requests() noexcept { return requests_; }
  /// Starts the first step.
  void begin();
  /// Starts the second step. `trouble`: of this rank; empty: none.
  void ask_for_first(const grid& processes, const std::string& trouble);
  /// Starts the last step.
  void ask_for_text();

  /// Returns the first rank with trouble; the number of ranks if none has any.
  [[nodiscard]] int first() const noexcept { return first_; }
  /// Errors: `halo::error` if a rank has trouble: that of this rank, or of the first one.
  void throw_if_any(const grid& processes) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  step now_ = step::sums;
  std::vector<MPI_Request> requests_;
  std::string trouble_;
  int mine_ = 0;
  int first_ = 0;
  std::array<char, 1024> text_{};
};

}  // namespace weft::halo::detail

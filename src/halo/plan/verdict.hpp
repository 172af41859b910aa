// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all ranks together find out about one exchange, without waiting for each other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"

namespace weft::halo::detail {

/// The steps at whose end all ranks know whether one of them found something wrong. A step is over
/// when MPI is done with its `requests`.
class verdict {
 public:
  /// Collective, as its end. A communicator of its own: ranks may end several exchanges in
  /// different orders.
  explicit verdict(const grid& processes);
  ~verdict();
  verdict(const verdict&) = delete;
  verdict& operator=(const verdict&) = delete;

  /// Check sums travel; which rank is the first with trouble; what it found.
  enum class step : std::uint8_t { sums, first, text };

  [[nodiscard]] step now() const noexcept { return now_; }
  [[nodiscard]] std::vector<MPI_Request>& requests() noexcept { return requests_; }
  /// To the first step.
  void begin();
  /// To the second step. `trouble`: of this rank; empty: none.
  void ask_for_first(const grid& processes, const std::string& trouble);
  /// To the last one.
  void ask_for_text();

  /// As many as there are ranks: none has trouble.
  [[nodiscard]] int first() const noexcept { return first_; }
  /// Errors: `halo::error`, where a rank has trouble: that of this rank, or of the first one.
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

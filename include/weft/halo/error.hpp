// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What halo exchanges throw: what is wrong, where, on which rank, and what to do instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

#include "weft/base/error.hpp"

namespace weft::halo {

/// Why an exchange was refused.
enum class errc : std::uint8_t {
  bad_axis,            // five numbers that describe no axis
  bad_grid,            // processes that cannot be arranged as asked
  bad_field,           // a null pointer, overlapping fields, a view of another shape
  narrow_inner,        // an inner region narrower than the halo that it must send
  ranks_disagree,      // neighbours whose descriptors do not fit
  too_many_fields,     // more than were announced
  wrong_state,         // calls in an order that means nothing
  unsupported,         // a combination of options that cannot be
  mpi_call,            // MPI refused
  device_call,         // a GPU refused, or there is none
  validation_failed,   // what arrived is not what was sent
  bad_file,            // a file of choices that cannot be read or written
  other_rank_refused,  // another rank threw; its sentence follows
};

/// The one exception of `weft::halo`.
class error : public weft::error {
 public:
  error(errc code,
        const std::string& what,
        std::optional<int> rank = std::nullopt,
        std::source_location where = std::source_location::current());

  /// `what()` without the place at its end.
  [[nodiscard]] std::string_view sentence() const noexcept {
    return std::string_view(what()).substr(0, sentence_size_);
  }
  /// The same error with another place.
  [[nodiscard]] error at(const std::source_location& where) const;
  [[nodiscard]] errc code() const noexcept { return code_; }
  /// The rank to blame, in the communicator of the grid; none: no single one is.
  [[nodiscard]] std::optional<int> rank() const noexcept { return rank_; }
  /// The line of the program that made the call, or that made what was called.
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  errc code_;
  std::optional<int> rank_;
  std::source_location where_;
  std::size_t sentence_size_;
};

}  // namespace weft::halo

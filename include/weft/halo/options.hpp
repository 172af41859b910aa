// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an exchange is done: choices made at run time, all with the same result.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "weft/halo/executor.hpp"

namespace weft::halo {

/// How cells get from a field into a message and back.
enum class packing : std::uint8_t {
  automatic,     // the library's choice: shared memory on the node, `loops` off it
  loops,         // the library's own loops
  mpi_pack,      // MPI_Pack and MPI_Unpack, in messages to every other rank; reversed as `loops`
  mpi_datatype,  // one MPI datatype for all of a message, no buffer of ours
  direct,        // pieces that are contiguous go from where they lie; others as `loops`
};

/// In which steps the neighbours in 3^N - 1 directions are served.
enum class schedule : std::uint8_t {
  automatic,  // all other ranks at once; dimensions with one process follow by copying
  bulk,       // every direction on its own
  staged,     // one dimension after the other, so that 2N neighbours do
};

/// Which halo cells are filled.
enum class directions : std::uint8_t {
  faces,        // those across one dimension: stencils without diagonals
  faces_edges,  // across one or two
  all,          // corners as well
};

/// The means that carries cells to other ranks on this node.
enum class transport : std::uint8_t {
  automatic,  // shared memory
  messages,   // MPI messages, as to other nodes
};

/// Which mistakes an exchange looks for, beside wrong arguments of a call. `check_sums` includes
/// `descriptors`, and `cells` includes both.
///
/// Their numbers are what `WEFT_HALO_VALIDATE` and the other languages take.
enum class validation : std::int8_t {
  automatic = -1,   // what `WEFT_HALO_VALIDATE` says, else `descriptors`
  off = 0,          // nothing
  descriptors = 1,  // when a plan is made: descriptors fit those of the neighbours
  check_sums = 2,   // in each exchange: every piece arrives as it was sent
  cells = 3,        // when a plan is made: cells that know where they belong come there
};

[[nodiscard]] std::string_view to_string(packing what) noexcept;
[[nodiscard]] std::string_view to_string(schedule what) noexcept;
[[nodiscard]] std::string_view to_string(directions what) noexcept;
[[nodiscard]] std::string_view to_string(transport what) noexcept;
[[nodiscard]] std::string_view to_string(validation what) noexcept;

/// An exchange that waits longer prints the ranks it waits for on standard error.
inline constexpr std::chrono::milliseconds default_patience = std::chrono::seconds(30);

/// How an exchange packs, sends and waits.
struct exchange_options {
  halo::packing packing = halo::packing::automatic;
  halo::schedule schedule = halo::schedule::automatic;
  halo::directions directions = halo::directions::all;
  halo::transport transport = halo::transport::automatic;
  std::optional<std::size_t> max_fields = {};  // at least 1; none: as many as are passed
  validation validate = validation::automatic;
  /// Whose threads copy; by default the calling one alone, as where the executor throws.
  halo::executor executor = {};
  std::optional<std::chrono::milliseconds> patience = default_patience;  // none: no message

  bool operator==(const exchange_options&) const = default;
};

namespace detail {

/// For how many fields an exchange object plans when it is made.
[[nodiscard]] inline std::size_t num_announced(const std::optional<std::size_t>& max_fields) {
  return std::max<std::size_t>(max_fields.value_or(1), 1);  // a plan refuses 0
}

}  // namespace detail

}  // namespace weft::halo

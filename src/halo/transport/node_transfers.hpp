// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes for other ranks of this node: one copy out of the sender's field if both see its memory,
// otherwise through a staging area.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/plan/transfer_agreement.hpp"
#include "halo/transport/memory_links.hpp"

namespace weft::halo::detail {

/// The bytes between this rank and another one. Units: bytes per exchange.
struct traffic {
  int peer = -1;
  std::ptrdiff_t out_bytes = 0;
  std::ptrdiff_t in_bytes = 0;
  std::string path = {};
};

/// Returns the entry for `peer`, and creates it if there is none.
[[nodiscard]] traffic& entry_for(std::vector<traffic>& all, int peer, std::string_view path);

/// The part of a transfer set that other ranks of the node read from memory.
///
/// Exchange e ends for a sender when two things were read: its fields, and the cells staged in
/// exchange e-1. If one rank only sends and another only receives, nothing else would stop the
/// sender from staging e+1 over e-1.
class node_transfers {
 public:
  /// Returns null if all ranks of this node use messages. That is so if one of them requires
  /// messages, or if none sends boxes to another one. Collective over the grid, after `agree`.
  [[nodiscard]] static std::unique_ptr<node_transfers> make(std::shared_ptr<const grid> processes,
                                                            const exchange_options& options,
                                                            std::span<const shape> fields,
                                                            const transfers& what);

  [[nodiscard]] bool serves(int peer) const;
  /// Returns the number of copies that are added at a time.
  [[nodiscard]] std::size_t num_copies() const noexcept;
  /// Returns the bytes per exchange that this rank receives.
  [[nodiscard]] std::int64_t bytes() const noexcept;
  /// Adds the traffic to and from each other rank, and its path.
  void tell(std::vector<traffic>& all) const;

  /// Finds the fields that other ranks can read.
  void find(std::span<std::byte* const> fields);
  /// Adds the copies of the cells that other ranks cannot read from the fields themselves.
  void push(std::span<std::byte* const> fields, copy_list& copies) const;
  /// Allows other ranks to read from now on.
  void publish();
  /// Returns true once all cells for this rank are in its fields.
  [[nodiscard]] bool pull(std::span<std::byte* const> fields, copy_list& copies);
  /// Returns true once this rank may change its fields.
  [[nodiscard]] bool is_read() const;
  /// Returns the ranks of this node that must arrive, or read, before this exchange can end.
  [[nodiscard]] std::vector<int> waited_for() const;
  /// Called after `pull` and `is_read` have returned true.
  void finish() noexcept { ++exchange_; }

 private:
  /// Boxes from one field of this rank to one other rank.
  struct outgoing {
    std::size_t field;
    std::ptrdiff_t bytes;  // per exchange
    std::vector<sweep> sweeps;
  };
  struct reader {
    int peer;
    int node_rank;
    std::ptrdiff_t region;  // offset in this rank's staging area
    std::ptrdiff_t bytes;   // per exchange
    std::vector<outgoing> fields;
  };
  /// Boxes from one field of another rank to one field of this rank.
  struct incoming {
    std::size_t field;
    std::size_t their_field;
    std::vector<sweep> from_staging;
    std::vector<sweep> from_field;
    place seen = {};  // address of their field
    std::uint64_t generation = 0;
    const std::byte* base = nullptr;
  };
  struct sender {
    int peer;
    int node_rank;
    std::ptrdiff_t region;  // offset in the other rank's staging area, whose size is `area_bytes`
    std::ptrdiff_t area_bytes;
    std::ptrdiff_t bytes;  // per exchange
    std::vector<incoming> fields;
    bool is_pulled = false;
  };

  node_transfers(std::shared_ptr<const grid> processes,
                 std::span<const shape> fields,
                 const transfers& what,
                 std::size_t most_fields);
  [[nodiscard]] bool reads_fields(const reader& by) const;
  [[nodiscard]] bool is_read_by(const reader& by) const;
  [[nodiscard]] std::string path_to(const reader& to) const;
  void make_readers(std::span<const shape> fields, const transfers& what);
  void make_senders(std::span<const shape> fields, const transfers& what);
  [[nodiscard]] std::vector<letter> told(std::span<const shape> fields,
                                         const transfers& what) const;
  [[nodiscard]] sender sender_of(const letter& told,
                                 std::span<const shape> fields,
                                 const transfers& what) const;
  void pull_from(sender& from, std::span<std::byte* const> fields, copy_list& copies) const;
  [[nodiscard]] const std::byte* base_of(incoming& what, int node_rank) const;
  [[nodiscard]] std::uint64_t step() const noexcept { return exchange_ + 1; }

  std::shared_ptr<const grid> processes_;
  std::vector<reader> readers_;
  std::vector<sender> senders_;
  std::ptrdiff_t staging_bytes_ = 0;
  std::unique_ptr<node_area> area_;
  std::uint64_t exchange_ = 0;
  std::vector<place> places_;
  std::vector<bool> may_be_staged_;  // by field
  bool is_found_ = false;
  std::array<bool, 2> has_new_places_{};
};

}  // namespace weft::halo::detail

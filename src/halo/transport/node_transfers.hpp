// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes that go to other ranks of this node: one copy out of the sender's field if that lies in
// memory that both see, otherwise through a staging area.
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

/// Between this rank and another one. Units: bytes per exchange.
struct traffic {
  int peer = -1;
  std::ptrdiff_t out_bytes = 0;
  std::ptrdiff_t in_bytes = 0;
  std::string path = {};
};

/// The entry for `peer`, made if there is none.
[[nodiscard]] traffic& entry_for(std::vector<traffic>& all, int peer, std::string_view path);

/// The part of a transfer set that other ranks of the node take from memory.
///
/// Exchange e is over for a sender when its fields have been read, and what it staged in exchange
/// e-1: where one rank only sends and another only receives, nothing else would keep the sender
/// from staging e+1 over e-1.
class node_transfers {
 public:
  /// Null: all ranks of this node go by messages, because one of them wants to, or because none of
  /// them sends another one anything. Collective over the grid, after `agree`.
  [[nodiscard]] static std::unique_ptr<node_transfers> make(std::shared_ptr<const grid> processes,
                                                            const exchange_options& options,
                                                            std::span<const shape> fields,
                                                            const transfers& what);

  [[nodiscard]] bool serves(int peer) const;
  /// Of copies that are added at a time.
  [[nodiscard]] std::size_t num_copies() const noexcept;
  /// Per exchange, into this rank.
  [[nodiscard]] std::int64_t bytes() const noexcept;
  /// Adds what goes to each other rank and comes from it, and how.
  void tell(std::vector<traffic>& all) const;

  /// Looks up which of the fields others can read.
  void find(std::span<std::byte* const> fields);
  /// Adds the copies of what the others cannot read from the fields themselves.
  void push(std::span<std::byte* const> fields, copy_list& copies) const;
  /// Others may read from now on.
  void publish();
  /// True once everything for this rank is in its fields.
  [[nodiscard]] bool pull(std::span<std::byte* const> fields, copy_list& copies);
  /// True once this rank may change its fields.
  [[nodiscard]] bool is_read() const;
  /// Ranks of this node that have to come, or to read, before this exchange can end.
  [[nodiscard]] std::vector<int> waited_for() const;
  /// After both.
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
  /// Boxes from one field of another rank to one of this one.
  struct incoming {
    std::size_t field;
    std::size_t their_field;
    std::vector<sweep> from_staging;
    std::vector<sweep> from_field;
    place seen = {};  // of their field
    std::uint64_t generation = 0;
    const std::byte* base = nullptr;
  };
  struct sender {
    int peer;
    int node_rank;
    std::ptrdiff_t region;  // offset in the other's staging area, of `area_bytes`
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

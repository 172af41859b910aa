// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours on this node: one copy through memory that both see, and two flags. Where reading in
// place would fetch a cache line for few bytes, the owner packs the cells first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// Whether this rank prefers shared memory over messages to other ranks of its node.
[[nodiscard]] bool uses_memory(const grid& processes, const exchange_options& options);

/// Shared memory of one plan. Each rank shows the others: progress (`ready`), each reader's
/// progress (`done`), the addresses of its fields (`places`), and two staging areas that exchanges
/// use alternately.
///
/// Two are enough. A rank that packs exchange e has finished e-1, so each peer had begun e-1. Each
/// peer had therefore read all of e-2, whose area e uses.
class node_area {
 public:
  /// Collective over the node.
  node_area(const grid& processes, std::size_t num_fields, std::ptrdiff_t staging_bytes);

  [[nodiscard]] std::uint64_t& ready(int node_rank) const;
  /// The step up to which `reader` has read the cells of `owner`.
  [[nodiscard]] std::uint64_t& done(int owner, int reader) const;
  [[nodiscard]] std::span<place> places(int node_rank, std::uint64_t exchange) const;
  /// `area_bytes`: size of one staging area of that rank.
  [[nodiscard]] std::byte* staging(int node_rank,
                                   std::uint64_t exchange,
                                   std::ptrdiff_t area_bytes) const;

 private:
  [[nodiscard]] std::size_t places_at() const;
  [[nodiscard]] std::size_t staging_at() const;

  std::size_t num_ranks_;
  std::size_t num_fields_;
  std::unique_ptr<node_memory> memory_;
};

/// The number of an exchange of a plan, and the number of phases until the end of the present one.
struct moment {
  std::uint64_t exchange;
  std::uint64_t step;
};

/// Where to put the cells of a neighbour, and how: by copying, or by combining.
struct arrival {
  std::span<std::byte* const> fields;
  std::span<const combining> how;
  copy_list& copies;
};

/// A neighbour on this node in one phase.
class memory_link {
 public:
  memory_link(const grid& processes,
              const agenda& about,
              std::size_t phase,
              const link& what,
              std::ptrdiff_t own_region,
              const peer_facts& peer);

  /// Adds the copies into this rank's staging area of the cells that the peer does not read from
  /// the field itself.
  void push(std::span<std::byte* const> fields,
            std::span<const place> places,
            std::byte* staging,
            copy_list& copies) const;
  /// Returns true once the peer has completed `step`.
  [[nodiscard]] bool is_here(const node_area& area, std::uint64_t step) const;
  /// Copies from the peer, then notifies the peer if it waits for that.
  void pull(const grid& processes, const node_area& area, const arrival& into, const moment& now);
  [[nodiscard]] std::size_t num_copies() const noexcept;
  /// Returns true once the peer has read the cells that it reads from this rank's own fields, at
  /// `places`.
  [[nodiscard]] bool is_read(const node_area& area,
                             std::span<const place> places,
                             std::uint64_t step) const;
  /// Describes how cells of this rank's fields reach the peer.
  [[nodiscard]] std::string_view path(std::span<const place> places) const;

 private:
  /// The copies of one field's cells: of all, or of those that are packed first.
  struct route {
    std::vector<sweep> push;         // own field to own staging
    std::vector<sweep> from_buffer;  // peer's staging to own field
    std::vector<sweep> from_field;   // peer's field to own field

    [[nodiscard]] std::size_t num_copies() const noexcept {
      return std::max(push.size(), from_buffer.size() + from_field.size());
    }
  };
  struct field_routes {
    std::size_t field;
    std::size_t element_bytes;
    route staged = {};  // if the field is in memory of its owner alone
    route shared = {};  // if both ranks see the field's memory
    // whether the peer reads some cells from the field itself, if both see it
    bool is_read = false;
    place seen = {};  // address of the peer's field
    std::uint64_t generation = 0;
    const std::byte* base = nullptr;
  };

  struct incoming_link {
    const grid& processes;
    const agenda& about;
    const extension& extended;
    const link& what;
  };

  static void add_out(const shape& own, const link& what, field_routes& into);
  static void add_in(const incoming_link& from, const shape& their, field_routes& into);
  void find_base(const grid& processes, field_routes& of, const place& where) const;

  int node_rank_;
  int own_node_rank_;
  std::ptrdiff_t own_region_;
  std::ptrdiff_t peer_area_bytes_;
  std::ptrdiff_t peer_region_;
  std::vector<field_routes> fields_;
};

}  // namespace weft::halo::detail

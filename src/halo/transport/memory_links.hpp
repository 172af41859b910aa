// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours on this node: one copy through memory that both see, and two flags; where that would
// fetch a cache line for few bytes, packed by the owner first.
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

/// Whether this rank would rather share memory with others of its node than send them messages.
[[nodiscard]] bool uses_memory(const grid& processes, const exchange_options& options);

/// Shared memory of one plan. Each rank has, for the others to see: how far it is (`ready`), how
/// far each reader is (`done`), where its fields lie (`places`), and two staging areas that
/// exchanges use in turn.
///
/// Why two are enough: whoever packs exchange e has finished e-1, so each peer had begun e-1, so it
/// had read all of e-2, which lay where e goes.
class node_area {
 public:
  /// Collective over the node.
  node_area(const grid& processes, std::size_t num_fields, std::ptrdiff_t staging_bytes);

  [[nodiscard]] std::uint64_t& ready(int node_rank) const;
  /// How far `reader` has read what `owner` made ready.
  [[nodiscard]] std::uint64_t& done(int owner, int reader) const;
  [[nodiscard]] std::span<place> places(int node_rank, std::uint64_t exchange) const;
  /// `area_bytes`: of one staging area of that rank.
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

/// Which of all exchanges of a plan, and how many phases there were until the end of this one.
struct moment {
  std::uint64_t exchange;
  std::uint64_t step;
};

/// Where to put what comes from a neighbour, and how: by copying, or by combining.
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

  /// Adds the copies of what the peer does not read from the field itself into this rank's staging
  /// area.
  void push(std::span<std::byte* const> fields,
            std::span<const place> places,
            std::byte* staging,
            copy_list& copies) const;
  /// True once the peer has made `step` ready.
  [[nodiscard]] bool is_here(const node_area& area, std::uint64_t step) const;
  /// Copies from the peer, then tells it if it waits for that.
  void pull(const grid& processes, const node_area& area, const arrival& into, const moment& now);
  [[nodiscard]] std::size_t num_copies() const noexcept;
  /// True once the peer has read what it reads from this rank's own fields, which lie at `places`.
  [[nodiscard]] bool is_read(const node_area& area,
                             std::span<const place> places,
                             std::uint64_t step) const;
  /// How cells of this rank's fields get to the peer, in words.
  [[nodiscard]] std::string_view path(std::span<const place> places) const;

 private:
  /// How cells of one field travel, all of them or of those that need not be read from the field.
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
    route staged = {};     // of a field in memory of its owner alone
    route shared = {};     // of a field that both see
    bool is_read = false;  // by the peer, some of it, from the field itself if both see that
    place seen = {};       // of the peer's field
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

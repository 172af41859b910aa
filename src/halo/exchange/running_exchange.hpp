// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A running exchange of one plan: what is packed, what has arrived, and what remains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/engine.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/exchange/stall_watch.hpp"
#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/fields/room.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/overlaps.hpp"
#include "halo/plan/plan.hpp"
#include "halo/plan/verdict.hpp"
#include "halo/transport/memory_links.hpp"
#include "halo/transport/message_links.hpp"

namespace weft::halo::detail {

class running_exchange {
 public:
  running_exchange(std::shared_ptr<grid> processes,
                   const exchange_options& options,
                   std::vector<shape> fields,
                   flow way,
                   const std::source_location& where);
  ~running_exchange();
  running_exchange(const running_exchange&) = delete;
  running_exchange& operator=(const running_exchange&) = delete;

  void pack(std::span<std::byte* const> fields);
  void start();
  /// Called after `start`: copies what can be copied now, while it is in the caches and no other
  /// rank copies.
  void run_ahead();
  void wait();
  void unpack(std::span<std::byte* const> fields, std::span<const combining> how);
  bool advance();
  void advance_or_pause();
  void finish();
  std::optional<direction> next_arrival();

  [[nodiscard]] bool is_idle() const noexcept { return state_ == state::idle; }
  [[nodiscard]] const std::vector<shape>& fields() const noexcept { return fields_; }
  [[nodiscard]] const exchange_options& options() const noexcept { return options_; }
  [[nodiscard]] std::string report() const;
  /// Collective. Errors: `halo::error` (`validation_failed`) on all ranks.
  void self_test();
  void name_place(const std::string& text) { watch_.name_place(text); }

 private:
  enum class state : std::uint8_t { idle, packed, under_way, leaving, checking };

  struct peer_link {
    const link* what;
    std::optional<memory_link> memory = std::nullopt;
    std::size_t message = 0;  // if not by memory: index into the phase's messages
    bool is_here = false;
    bool is_unpacked = false;
    std::vector<direction> fills = {};
    std::vector<std::uint64_t> sums = {};  // of the sent cells, as they were packed
    std::vector<std::uint64_t> sums_of_peer = {};
  };
  struct running_phase {
    std::vector<peer_link> links;
    std::vector<message> in;
    std::vector<message> out;
    std::vector<int> peers;
    std::vector<MPI_Request> in_requests;
    std::vector<MPI_Request> out_requests;
    int tag = 0;
    int check_tag = 0;
  };
  struct local_field {
    std::size_t field;
    std::size_t stage;
    std::vector<sweep> early;
    std::vector<sweep> late;
  };

  void make_links(const own_facts& own, const std::vector<peer_facts>& known);
  void make_locals();
  void make_room();
  void leave() noexcept;
  [[nodiscard]] own_facts place_regions() const;
  [[nodiscard]] wanted_bytes memory_wanted() const;
  void check_fields(std::span<std::byte* const> fields) const;
  void find_places(std::span<std::byte* const> fields);

  void pack_phase();
  void start_phase();
  void look_for_arrivals();
  [[nodiscard]] bool unpack_arrived();
  void progress_sends();
  void wait_while_cached();
  void copy_locally(std::vector<sweep> local_field::* which);
  [[nodiscard]] bool has_left();
  /// True if the peer has not yet read all cells that it reads from this rank's fields in the
  /// phase.
  [[nodiscard]] bool is_reading(const peer_link& with, std::size_t phase) const;
  [[nodiscard]] bool checks_cells() const noexcept {
    return options_.validate >= validation::check_sums && way_ == flow::owner_to_halo;
  }
  [[nodiscard]] std::vector<std::uint64_t> sums(const std::vector<piece>& pieces) const;
  void note_borders();
  void prepare_check();
  void begin_check();
  [[nodiscard]] bool advance_check();
  void compare_sums();
  [[nodiscard]] std::string wrong_arrival(const peer_link& from) const;

  [[nodiscard]] std::string path_of(const running_phase& during, const peer_link& to) const;
  [[nodiscard]] std::string times() const;
  void count_exchange();
  /// Counts a poll without progress; returns false, as `advance` then does.
  bool note_no_progress();
  [[nodiscard]] std::vector<int> waited_for() const;
  [[nodiscard]] moment now() const noexcept;
  void pause() const;

  std::shared_ptr<grid> processes_;
  exchange_options options_;
  std::vector<shape> fields_;
  flow way_;
  stall_watch watch_;
  plan plan_;
  std::vector<running_phase> phases_;
  std::vector<local_field> locals_;
  copy_list copies_;
  std::unique_ptr<node_area> area_;
  std::unique_ptr<verdict> verdict_;  // null: cells are not checked
  std::string trouble_;               // found by this rank in the exchange
  std::ptrdiff_t staging_bytes_ = 0;
  std::int64_t num_messages_ = 0;  // per exchange, as are the bytes below
  std::int64_t message_bytes_ = 0;
  std::int64_t memory_bytes_ = 0;
  std::int64_t local_bytes_ = 0;

  state state_ = state::idle;
  std::size_t phase_ = 0;
  bool has_early_copies_ = false;
  bool has_run_ahead_ = false;
  mutable unsigned rounds_ = 0;  // polls without progress in a row
  std::uint64_t exchange_ = 0;
  std::uint64_t planning_ticks_ = 0;
  std::uint64_t planning_wait_ticks_ = 0;  // waiting before the planning, until all ranks arrived
  std::uint64_t pack_ticks_ = 0;           // of all exchanges
  std::uint64_t last_pack_ticks_ = 0;
  std::uint64_t wait_ticks_ = 0;
  std::uint64_t copy_ticks_ = 0;
  std::vector<std::byte*> pointers_;
  overlap_finder overlaps_;
  std::vector<place> places_;
  std::uint64_t places_generation_ = 0;
  std::array<bool, 2> has_new_places_{};
  std::span<const combining> how_;
  bool has_shared_field_ = false;
  std::vector<int> completed_;  // room for MPI_Testsome
  std::vector<direction> arrivals_;
  std::size_t num_arrivals_told_ = 0;
  std::vector<direction> last_arrivals_;  // valid only when the exchange is complete
};

}  // namespace weft::halo::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes between any ranks, agreed upon once. Then each pair of ranks uses one persistent message,
// or, on one node, flags and copies.
#include "weft/halo/detail/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "weft/base/message.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/device/device_pointers.hpp"
#include "halo/exchange/counts.hpp"
#include "halo/exchange/stall_watch.hpp"
#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/overlaps.hpp"
#include "halo/plan/plan.hpp"
#include "halo/plan/transfer_agreement.hpp"
#include "halo/transport/message_links.hpp"
#include "halo/transport/mpi_turn.hpp"
#include "halo/transport/node_transfers.hpp"

namespace weft::halo::detail {
namespace {

/// The cells that this rank sends to another one, or receives from it.
struct route {
  int peer;
  std::ptrdiff_t bytes;
  message data;
  bool is_here = false;
};

struct local_copy {
  std::size_t from;
  std::size_t into;
  sweep what;
};

}  // namespace

class transfer_set::state {
 public:
  state(std::shared_ptr<grid> processes,
        const exchange_options& options,
        std::vector<shape> fields,
        const transfers& what,
        const std::source_location& where)
      : processes_(std::move(processes)),
        options_(options),
        fields_(std::move(fields)),
        copies_(options.executor),
        watch_(options.patience, where),
        moved_(moved_fields(what)),
        parts_per_field_(what.parts_per_field) {
    processes_->require_mpi();
    agree(*processes_, options_, fields_, what, where);
    host_copies_ = host_copies(*processes_, options_, what);
    on_node_ = node_transfers::make(processes_, options_, fields_, what);
    tag_ = processes_->next_tag();
    // Only the rank with the larger messages finds out that they are too large for MPI_Pack.
    const auto make = [&] {
      sends_ = routes_of(what.out, true);
      receives_ = routes_of(what.in, false);
    };
    refuse_together(*processes_, trouble_of(make, errc::unsupported), where);
    send_requests_.assign(sends_.size(), MPI_REQUEST_NULL);
    receive_requests_.assign(receives_.size(), MPI_REQUEST_NULL);
    completed_.resize(receives_.size());
    for (const route& each : receives_) {
      message_bytes_ += each.bytes;
    }
    make_locals(what);
    make_room();
    add(counts().num_plans, 1);
  }
  ~state() {
    if (!is_mpi_running()) {
      return;
    }
    try {
      if (is_under_way_) {
        wait();
      }
    } catch (const std::exception& failed) {
      send_message(std::string("weft: an unfinished exchange of blocks failed: ") + failed.what() +
                   "\n");
    }
    const mpi_turn mine(*processes_);
    for (std::vector<MPI_Request>* const requests : {&send_requests_, &receive_requests_}) {
      for (MPI_Request& each : *requests) {
        if (each != MPI_REQUEST_NULL) {
          MPI_Request_free(&each);
        }
      }
    }
    sends_.clear();  // this also frees their datatypes
    receives_.clear();
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  void start(std::span<std::byte* const> fields) {
    check(fields);
    find_fields(fields);
    prepare();
    begin(receive_requests_);
    pack();
    if (on_node_ != nullptr) {
      on_node_->publish();
    }
    num_arrived_ = 0;
    for (route& each : receives_) {
      each.is_here = false;
    }
    is_under_way_ = true;
    is_awaited_ = true;
    begin(send_requests_);
    for (const local_copy& each : locals_) {
      copies_.add(each.what, pointers_[each.into], pointers_[each.from]);
    }
    copies_.run();
  }

  bool test() {
    if (!is_under_way_) {
      return true;
    }
    processes_->require_mpi();
    if (num_arrived_ < receives_.size()) {
      unpack_arrived();
    }
    const bool is_sent = test_sends();
    const bool is_pulled = on_node_ == nullptr || on_node_->pull(pointers_, copies_);
    is_under_way_ = num_arrived_ < receives_.size() || !is_sent || !is_pulled ||
                    (on_node_ != nullptr && !on_node_->is_read());
    if (is_under_way_) {
      watch_.note_idle_poll(
          *processes_, static_cast<std::uint64_t>(num_exchanges_), [this] { return waited_for(); });
    } else {
      finish();
    }
    return !is_under_way_;
  }

  void wait() {
    if (!is_awaited_) {  // wait() is also allowed after `test` has ended the exchange
      throw error(errc::wrong_state, "wait() without start() before it");
    }
    constexpr unsigned rounds_alone = 1000;
    for (unsigned rounds = 0; !test(); ++rounds) {
      if (rounds > rounds_alone || processes_->is_oversubscribed()) {
        sched_yield();
      }
    }
    is_awaited_ = false;
  }
  [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }

  [[nodiscard]] std::string report() const {
    std::vector<traffic> all;
    const std::string path = "one message, packing " + std::string(to_string(options_.packing));
    for (const route& each : sends_) {
      entry_for(all, each.peer, path).out_bytes = each.bytes;
    }
    for (const route& each : receives_) {
      entry_for(all, each.peer, path).in_bytes = each.bytes;
    }
    if (on_node_ != nullptr) {
      on_node_->tell(all);
    }
    std::string text = "rank " + std::to_string(processes_->rank()) + ", " +
                       std::to_string(fields_.size()) + " parts of fields, " +
                       std::to_string(num_exchanges_) + " exchanges\n";
    for (const traffic& each : all) {
      text += "  rank " + std::to_string(each.peer) + ": sends " + std::to_string(each.out_bytes) +
              " B, receives " + std::to_string(each.in_bytes) + " B; " + each.path + "\n";
    }
    return text + "  itself: copies " + std::to_string(local_bytes_) + " B\n" + copies_.report();
  }

 private:
  std::vector<route> routes_of(const std::vector<transfer>& all, bool is_out) const {
    std::vector<route> made;
    const plan nothing;
    const agenda about{
        .options = options_, .fields = fields_, .what = nothing, .way = flow::owner_to_halo};
    const std::vector<int> num = num_by_peer(*processes_, all);
    for (int peer = 0; peer < processes_->size(); ++peer) {
      if (peer == processes_->rank() || num[static_cast<std::size_t>(peer)] == 0 ||
          (on_node_ != nullptr && on_node_->serves(peer))) {
        continue;
      }
      std::vector<piece> pieces;
      std::ptrdiff_t bytes = 0;
      for (const transfer& each : all) {
        piece next = piece_of(each, fields_[each.field]);
        if (each.peer == peer && next.bytes > 0) {
          next.buffer_offset = bytes;
          bytes += next.bytes;
          pieces.push_back(next);
        }
      }
      if (bytes > 0) {
        made.push_back(
            {peer, bytes, message(*processes_, about, std::move(pieces), bytes, is_out)});
      }
    }
    return made;
  }

  void make_locals(const transfers& what) {
    const int own = processes_->rank();
    auto out = what.out.begin();
    for (const transfer& in : what.in) {
      if (in.peer != own) {
        continue;
      }
      out = std::ranges::find(out, what.out.end(), own, &transfer::peer);
      const shape& into = fields_[in.field];
      const shape& from = fields_[out->field];
      const box_copy box = make_copy(into.element_bytes,
                                     in.cells,
                                     {offset_of(into, in.first), into.strides},
                                     {offset_of(from, out->first), from.strides});
      local_bytes_ += box.bytes();
      if (box.bytes() > 0) {
        locals_.push_back({out->field, in.field, {.first = box}});
      }
      ++out;
    }
  }

  void make_room() {
    const std::size_t on_node = on_node_ == nullptr ? 0 : on_node_->num_copies();
    std::size_t most = std::max(locals_.size(), on_node);
    for (const std::vector<route>* const side : {&sends_, &receives_}) {
      std::size_t num = 0;
      for (const route& each : *side) {
        num += each.data.num_copies();
      }
      most = std::max(most, num + on_node);
    }
    copies_.reserve(most);
  }

  void check(std::span<std::byte* const> fields) const {
    if (is_under_way_) {
      throw error(errc::wrong_state, "a started exchange has not ended; call wait() first");
    }
    if (fields.size() != fields_.size()) {
      throw error(errc::bad_field,
                  std::to_string(fields.size()) + " fields passed, the plan is for " +
                      std::to_string(fields_.size()));
    }
    if (const refusal trouble = null_field(moved_, fields); !trouble.why.empty()) {
      throw error(trouble.code, trouble.why);
    }
  }

  /// Data about fields is looked up again when a pointer or the shared memory changes.
  void find_fields(std::span<std::byte* const> fields) {
    const std::uint64_t generation = processes_->generation() + 1;  // 0: not looked up yet
    if (generation == found_generation_ && std::ranges::equal(fields, pointers_)) {
      return;
    }
    processes_->require_mpi();
    if (parts_per_field_ > 0) {
      if (const std::string why = overlaps_.among(fields_, fields, parts_per_field_);
          !why.empty()) {
        throw error(errc::bad_field, why);
      }
    }
    if (host_copies_) {
      refuse_device_memory(fields);  // fields that only MPI reads may be in device memory
    }
    found_generation_ = 0;
    pointers_.assign(fields.begin(), fields.end());
    if (on_node_ != nullptr) {
      on_node_->find(fields);
    }
    found_generation_ = generation;
  }

  void finish() {
    ++num_exchanges_;
    process_counts& all = counts();
    add(all.num_exchanges, 1);
    add(all.num_messages, static_cast<std::int64_t>(sends_.size()));
    add(all.message_bytes, message_bytes_);
    add(all.local_bytes, local_bytes_);
    if (on_node_ != nullptr) {
      on_node_->finish();
      add(all.memory_bytes, on_node_->bytes());
    }
  }

  void prepare() {
    const mpi_turn mine(*processes_);
    prepare(receives_, receive_requests_);
    prepare(sends_, send_requests_);
  }
  void prepare(std::vector<route>& side, std::vector<MPI_Request>& requests) const {
    for (std::size_t n = 0; n < side.size(); ++n) {
      side[n].data.prepare(*processes_, pointers_, side[n].peer, tag_, requests[n]);
    }
  }
  void pack() {
    if (on_node_ != nullptr) {
      on_node_->push(pointers_, copies_);
    }
    for (route& each : sends_) {
      each.data.pack(*processes_, pointers_, copies_);
    }
    copies_.run();
  }
  void begin(std::vector<MPI_Request>& requests) const {
    if (!requests.empty()) {  // Open MPI rejects an empty list of requests
      const mpi_turn mine(*processes_);
      check_mpi(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall");
    }
  }

  [[nodiscard]] std::vector<int> waited_for() const {
    std::vector<int> peers = on_node_ == nullptr ? std::vector<int>() : on_node_->waited_for();
    for (const route& each : receives_) {
      if (!each.is_here) {
        peers.push_back(each.peer);
      }
    }
    return peers;
  }

  int test_receives() {
    const mpi_turn mine(*processes_);
    int num_completed = 0;
    check_mpi(MPI_Testsome(static_cast<int>(receive_requests_.size()),
                           receive_requests_.data(),
                           &num_completed,
                           completed_.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
    return std::max(num_completed, 0);
  }
  bool test_sends() {
    int is_sent = 1;
    if (!sends_.empty()) {
      const mpi_turn mine(*processes_);
      check_mpi(MPI_Testall(static_cast<int>(send_requests_.size()),
                            send_requests_.data(),
                            &is_sent,
                            MPI_STATUSES_IGNORE),
                "MPI_Testall");
    }
    return is_sent != 0;
  }

  void unpack_arrived() {
    const int num_completed = test_receives();
    num_arrived_ += static_cast<std::size_t>(num_completed);
    for (int n = 0; n < num_completed; ++n) {
      const auto which = static_cast<std::size_t>(completed_[static_cast<std::size_t>(n)]);
      receives_[which].is_here = true;
      receives_[which].data.unpack(*processes_, pointers_, {}, copies_);
    }
    copies_.run();
  }

  std::shared_ptr<grid> processes_;
  exchange_options options_;
  std::vector<shape> fields_;
  copy_list copies_;
  stall_watch watch_;
  std::vector<std::size_t> moved_;  // fields
  std::size_t parts_per_field_;
  overlap_finder overlaps_;
  bool host_copies_ = false;
  int tag_ = 0;
  std::unique_ptr<node_transfers> on_node_;
  std::vector<route> sends_;
  std::vector<route> receives_;
  std::vector<MPI_Request> send_requests_;
  std::vector<MPI_Request> receive_requests_;
  std::vector<int> completed_;
  std::vector<local_copy> locals_;
  std::int64_t num_exchanges_ = 0;
  std::int64_t message_bytes_ = 0;  // into this rank per exchange; so is the next
  std::int64_t local_bytes_ = 0;
  std::vector<std::byte*> pointers_;
  std::uint64_t found_generation_ = 0;
  std::size_t num_arrived_ = 0;
  bool is_under_way_ = false;
  bool is_awaited_ = false;
};

transfer_set::transfer_set(std::shared_ptr<grid> processes,
                           const exchange_options& options,
                           std::vector<shape> fields,
                           const transfers& what,
                           const std::source_location& where)
    : where_(where),
      state_(
          std::make_unique<state>(std::move(processes), options, std::move(fields), what, where)) {}
transfer_set::~transfer_set() = default;

void transfer_set::start(std::span<std::byte* const> fields) {
  placed(where_, [&] { state_->start(fields); });
}
bool transfer_set::test() {
  return placed(where_, [&] { return state_->test(); });
}
void transfer_set::wait() {
  placed(where_, [&] { state_->wait(); });
}
std::string transfer_set::report() const { return state_->report(); }
bool transfer_set::is_under_way() const noexcept { return state_->is_under_way(); }

}  // namespace weft::halo::detail

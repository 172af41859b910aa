// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes between any ranks, agreed upon once, then one persistent message per pair of ranks.
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

#include "halo/agree.hpp"
#include "halo/copy.hpp"
#include "halo/copy_list.hpp"
#include "halo/message_links.hpp"
#include "halo/plan.hpp"

namespace weft::halo::detail {
namespace {

constexpr int transfer_tag = grid::num_plan_tags + 2;
constexpr std::size_t words_per_transfer = 2 + max_dims;
using words = std::vector<std::int64_t>;

std::string extents(std::span<const std::int64_t> cells) {
  std::string text;
  for (const std::int64_t each : cells) {
    text += (text.empty() ? "" : "x") + std::to_string(each);
  }
  return text;
}

/// Type and extents of what travels between this rank and `peer`.
words described(std::span<const shape> fields, const std::vector<transfer>& all, int peer) {
  words told;
  for (const transfer& each : all) {
    if (each.peer == peer) {
      told.push_back(static_cast<std::int64_t>(fields[each.field].type));
      told.push_back(static_cast<std::int64_t>(fields[each.field].element_bytes));
      told.insert(told.end(), each.cells.begin(), each.cells.end());
    }
  }
  return told;
}

refusal outside_of_field(const grid& processes,
                         std::span<const shape> fields,
                         const transfer& what) {
  if (what.peer < 0 || what.peer >= processes.size()) {
    return {"rank " + std::to_string(what.peer) + " is none of 0 .. " +
                std::to_string(processes.size() - 1),
            errc::bad_field};
  }
  for (std::size_t d = 0; d < fields[what.field].num_dims; ++d) {
    const std::ptrdiff_t length = fields[what.field].axes[d].length;
    if (what.first[d] < 0 || what.cells[d] < 0 || what.first[d] + what.cells[d] > length) {
      return {"a block of " + std::to_string(what.cells[d]) + " cells from index " +
                  std::to_string(what.first[d]) + " on does not fit into axis " +
                  std::to_string(d) + " of length " + std::to_string(length),
              errc::bad_field};
    }
  }
  return {};
}

/// Fields of which cells are to be moved, ascending.
std::vector<std::size_t> moved_fields(const transfers& what) {
  std::vector<std::size_t> found;
  for (const std::vector<transfer>* const side : {&what.out, &what.in}) {
    for (const transfer& each : *side) {
      if (std::ranges::find(each.cells, 0) == each.cells.end()) {
        found.push_back(each.field);
      }
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

refusal null_field(const std::vector<std::size_t>& moved, std::span<std::byte* const> pointers) {
  for (const std::size_t each : moved) {
    if (pointers[each] == nullptr) {
      return {"field " + std::to_string(each) + " is a null pointer", errc::bad_field};
    }
  }
  return {};
}

/// `counts[r]` numbers of this rank become `counts[r]` of rank r.
std::vector<int> swapped(const grid& processes, const std::vector<int>& counts) {
  std::vector<int> theirs(counts.size());
  check_mpi(MPI_Alltoall(counts.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, processes.comm()),
            "MPI_Alltoall");
  return theirs;
}

std::vector<int> num_by_peer(const grid& processes, const std::vector<transfer>& all) {
  std::vector<int> num(static_cast<std::size_t>(processes.size()));
  for (const transfer& each : all) {
    ++num[static_cast<std::size_t>(each.peer)];
  }
  return num;
}

/// What differs between what rank `from` sends here and what is expected.
std::string difference(const grid& processes, int from, const words& sent, const words& expected) {
  for (std::size_t n = 0; n < sent.size(); n += words_per_transfer) {
    const std::span theirs(&sent[n], words_per_transfer);
    const std::span own(&expected[n], words_per_transfer);
    if (std::ranges::equal(theirs, own)) {
      continue;
    }
    const std::string block = "ranks " + std::to_string(from) + " and " +
                              std::to_string(processes.rank()) + " disagree: block " +
                              std::to_string(n / words_per_transfer) + " from rank " +
                              std::to_string(from) + " to rank " + std::to_string(processes.rank());
    if (theirs[0] != own[0] || theirs[1] != own[1]) {
      return block + " has elements of another type (" + std::to_string(theirs[1]) +
             " B) than are expected (" + std::to_string(own[1]) + " B)";
    }
    return block + " has " + extents(theirs.subspan(2)) + " cells, " + extents(own.subspan(2)) +
           " are expected";
  }
  return {};
}

std::string wrong_number(const grid& processes,
                         const std::vector<int>& sent,
                         const std::vector<int>& expected) {
  for (std::size_t from = 0; from < sent.size(); ++from) {
    if (sent[from] != expected[from]) {
      return "ranks " + std::to_string(from) + " and " + std::to_string(processes.rank()) +
             " disagree: rank " + std::to_string(from) + " sends " + std::to_string(sent[from]) +
             " blocks to rank " + std::to_string(processes.rank()) + ", which expects " +
             std::to_string(expected[from]);
    }
  }
  return {};
}

/// Tells receivers what comes. Errors: on all ranks if that is not what they expect.
void agree(const grid& processes,
           std::span<const shape> fields,
           const transfers& what,
           const std::source_location& where) {
  refusal trouble;
  for (const std::vector<transfer>* const side : {&what.out, &what.in}) {
    for (const transfer& each : *side) {
      if (trouble.why.empty()) {
        trouble = outside_of_field(processes, fields, each);
      }
    }
  }
  if (trouble.why.empty() && !what.pointers.empty()) {
    trouble = null_field(moved_fields(what), what.pointers);
  }
  refuse_together(processes, trouble, where);
  const std::vector<int> num_out = num_by_peer(processes, what.out);
  const std::vector<int> num_in = num_by_peer(processes, what.in);
  trouble = {wrong_number(processes, swapped(processes, num_out), num_in), errc::ranks_disagree};
  refuse_together(processes, trouble, where);

  std::vector<MPI_Request> requests;
  std::vector<words> out;
  std::vector<std::pair<int, words>> in;
  for (int peer = 0; peer < processes.size(); ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    if (num_out[at] > 0) {
      out.push_back(described(fields, what.out, peer));
      check_mpi(MPI_Isend(out.back().data(),
                          static_cast<int>(out.back().size()),
                          MPI_INT64_T,
                          peer,
                          transfer_tag,
                          processes.comm(),
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    }
    if (num_in[at] > 0) {
      in.emplace_back(peer, words(static_cast<std::size_t>(num_in[at]) * words_per_transfer));
      check_mpi(MPI_Irecv(in.back().second.data(),
                          static_cast<int>(in.back().second.size()),
                          MPI_INT64_T,
                          peer,
                          transfer_tag,
                          processes.comm(),
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
    }
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  for (const auto& [peer, sent] : in) {
    if (trouble.why.empty()) {
      trouble.why = difference(processes, peer, sent, described(fields, what.in, peer));
    }
  }
  refuse_together(processes, trouble, where);
}

piece piece_of(const transfer& what, const shape& field) {
  piece made{.field = what.field, .first = what.first, .cells = what.cells};
  made.in_index_order = true;
  made.bytes = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (const std::ptrdiff_t each : what.cells) {
    made.bytes *= each;
  }
  return made;
}

/// Everything that goes one way between this rank and another one.
struct route {
  int peer;
  message data;
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
        moved_(moved_fields(what)) {
    agree(*processes_, fields_, what, where);
    tag_ = processes_->next_tag();
    sends_ = routes_of(what.out, true);
    receives_ = routes_of(what.in, false);
    send_requests_.assign(sends_.size(), MPI_REQUEST_NULL);
    receive_requests_.assign(receives_.size(), MPI_REQUEST_NULL);
    completed_.resize(receives_.size());
    make_locals(what);
    make_room();
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
      send_message(std::string("weft: blocks that were left under way failed: ") + failed.what() +
                   "\n");
    }
    for (std::vector<MPI_Request>* const requests : {&send_requests_, &receive_requests_}) {
      for (MPI_Request& each : *requests) {
        if (each != MPI_REQUEST_NULL) {
          MPI_Request_free(&each);
        }
      }
    }
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  void start(std::span<std::byte* const> fields) {
    check(fields);
    pointers_.assign(fields.begin(), fields.end());
    prepare(receives_, receive_requests_);
    prepare(sends_, send_requests_);
    // Executors may throw: nothing is under way then.
    const bool may_throw = copies_.is_parallel();
    if (may_throw) {
      pack();
    }
    begin(receive_requests_);
    if (!may_throw) {
      pack();
    }
    begin(send_requests_);
    num_arrived_ = 0;
    is_under_way_ = true;
    for (const local_copy& each : locals_) {
      copies_.add(each.what, pointers_[each.into], pointers_[each.from]);
    }
    copies_.run();
  }

  bool test() {
    if (!is_under_way_) {
      return true;
    }
    if (num_arrived_ < receives_.size()) {
      unpack_arrived();
    }
    int is_sent = 1;
    if (!sends_.empty()) {
      check_mpi(MPI_Testall(static_cast<int>(send_requests_.size()),
                            send_requests_.data(),
                            &is_sent,
                            MPI_STATUSES_IGNORE),
                "MPI_Testall");
    }
    is_under_way_ = num_arrived_ < receives_.size() || is_sent == 0;
    return !is_under_way_;
  }

  void wait() {
    if (!is_under_way_) {
      throw error(errc::wrong_state, "wait() without start() before it");
    }
    constexpr unsigned rounds_alone = 1000;
    for (unsigned rounds = 0; !test(); ++rounds) {
      if (rounds > rounds_alone || processes_->is_oversubscribed()) {
        sched_yield();
      }
    }
  }
  [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }

 private:
  std::vector<route> routes_of(const std::vector<transfer>& all, bool is_out) const {
    std::vector<route> made;
    const plan nothing;
    const agenda about{
        .options = options_, .fields = fields_, .what = nothing, .way = flow::owner_to_halo};
    const std::vector<int> num = num_by_peer(*processes_, all);
    for (int peer = 0; peer < processes_->size(); ++peer) {
      if (peer == processes_->rank() || num[static_cast<std::size_t>(peer)] == 0) {
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
        made.push_back({peer, message(about, std::move(pieces), bytes, is_out)});
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
      if (box.bytes() > 0) {
        locals_.push_back({out->field, in.field, {.first = box}});
      }
      ++out;
    }
  }

  void make_room() {
    std::size_t most = locals_.size();
    for (const std::vector<route>* const side : {&sends_, &receives_}) {
      std::size_t num = 0;
      for (const route& each : *side) {
        num += each.data.num_copies();
      }
      most = std::max(most, num);
    }
    copies_.reserve(most);
  }

  void check(std::span<std::byte* const> fields) const {
    if (is_under_way_) {
      throw error(errc::wrong_state, "what was started is under way; wait() comes first");
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

  void prepare(std::vector<route>& side, std::vector<MPI_Request>& requests) const {
    for (std::size_t n = 0; n < side.size(); ++n) {
      side[n].data.prepare(*processes_, pointers_, side[n].peer, tag_, requests[n]);
    }
  }
  void pack() {
    for (route& each : sends_) {
      each.data.pack(*processes_, pointers_, copies_);
    }
    copies_.run();
  }
  static void begin(std::vector<MPI_Request>& requests) {
    if (!requests.empty()) {  // Open MPI refuses none
      check_mpi(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall");
    }
  }

  void unpack_arrived() {
    int num_completed = 0;
    check_mpi(MPI_Testsome(static_cast<int>(receive_requests_.size()),
                           receive_requests_.data(),
                           &num_completed,
                           completed_.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
    for (int n = 0; n < num_completed; ++n) {
      const auto which = static_cast<std::size_t>(completed_[static_cast<std::size_t>(n)]);
      receives_[which].data.unpack(*processes_, pointers_, {}, copies_);
    }
    num_arrived_ += static_cast<std::size_t>(std::max(num_completed, 0));
    copies_.run();
  }

  std::shared_ptr<grid> processes_;
  exchange_options options_;
  std::vector<shape> fields_;
  copy_list copies_;
  std::vector<std::size_t> moved_;  // fields
  int tag_ = 0;
  std::vector<route> sends_;
  std::vector<route> receives_;
  std::vector<MPI_Request> send_requests_;
  std::vector<MPI_Request> receive_requests_;
  std::vector<int> completed_;
  std::vector<local_copy> locals_;
  std::vector<std::byte*> pointers_;
  std::size_t num_arrived_ = 0;
  bool is_under_way_ = false;
};

transfer_set::transfer_set(std::shared_ptr<grid> processes,
                           const exchange_options& options,
                           std::vector<shape> fields,
                           const transfers& what,
                           const std::source_location& where)
    : state_(
          std::make_unique<state>(std::move(processes), options, std::move(fields), what, where)) {}
transfer_set::~transfer_set() = default;

void transfer_set::start(std::span<std::byte* const> fields) { state_->start(fields); }
bool transfer_set::test() { return state_->test(); }
void transfer_set::wait() { state_->wait(); }
bool transfer_set::is_under_way() const noexcept { return state_->is_under_way(); }

}  // namespace weft::halo::detail

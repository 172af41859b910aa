// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One message per neighbouring rank: a table of sizes, then all bytes for that rank.
#include "weft/halo/user_data.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/base/message.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/exchange/stall_watch.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/message_links.hpp"

namespace weft::halo::detail {
namespace {

/// A neighbouring rank: its directions, and the bytes sent to it and received from it.
///
/// A message has, as 64-bit numbers, the number of objects, then each object's size in each
/// direction, object by object. All bytes follow in the same order. The directions are the
/// sender's, ascending; the receiver reads them as the opposite ones, descending.
struct neighbour_rank {
  int rank = -1;
  std::vector<direction> towards = {};
  std::vector<std::byte> out = {};
  std::vector<std::byte> in = {};
};

std::vector<neighbour_rank> neighbours_of(const grid& processes, directions which) {
  std::vector<neighbour_rank> found;
  for (const direction& each : directions_of(processes.num_dims())) {
    const int rank = processes.neighbour(each);
    if (rank < 0 || !is_wanted(each, which)) {
      continue;
    }
    auto at = std::ranges::find(found, rank, &neighbour_rank::rank);
    if (at == found.end()) {
      at = found.insert(found.end(), {.rank = rank});
    }
    at->towards.push_back(each);
  }
  return found;
}

std::uint64_t number_at(const std::vector<std::byte>& bytes, std::size_t index) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + index * sizeof(number), sizeof(number));
  return number;
}

void put_number(std::vector<std::byte>& bytes, std::size_t index, std::uint64_t number) {
  std::memcpy(bytes.data() + index * sizeof(number), &number, sizeof(number));
}

std::size_t table_bytes(const neighbour_rank& with, std::size_t num_objects) {
  return (1 + with.towards.size() * num_objects) * sizeof(std::uint64_t);
}

void gather(std::span<const erased_data> objects, neighbour_rank& into) {
  std::size_t bytes = table_bytes(into, objects.size());
  into.out.resize(bytes);
  put_number(into.out, 0, objects.size());
  std::size_t index = 1;
  for (const erased_data& object : objects) {
    for (const direction& towards : into.towards) {
      const std::size_t size = object.size(object.object, towards);
      put_number(into.out, index++, size);
      bytes += size;
    }
  }
  into.out.resize(bytes);
  std::size_t at = table_bytes(into, objects.size());
  index = 1;
  for (const erased_data& object : objects) {
    for (const direction& towards : into.towards) {
      const auto size = static_cast<std::size_t>(number_at(into.out, index++));
      object.gather(object.object, towards, std::span(into.out).subspan(at, size));
      at += size;
    }
  }
}

/// Returns the offset in `from.in` of the bytes of an object and a direction.
struct arrived_piece {
  direction from{};
  std::size_t begin = 0;
  std::size_t size = 0;
};

std::vector<arrived_piece> pieces_of(const neighbour_rank& from,
                                     std::size_t object,
                                     std::size_t num_objects) {
  std::size_t begin = table_bytes(from, num_objects);
  std::vector<arrived_piece> found;
  for (std::size_t o = 0; o <= object; ++o) {
    for (std::size_t n = 0; n < from.towards.size(); ++n) {
      const auto size =
          static_cast<std::size_t>(number_at(from.in, 1 + o * from.towards.size() + n));
      if (o == object) {
        // The sender's n-th direction is the opposite of this rank's n-th from the end.
        found.push_back({from.towards[from.towards.size() - 1 - n], begin, size});
      }
      begin += size;
    }
  }
  return found;
}

}  // namespace

class data_set::state {
 public:
  state(std::shared_ptr<grid> processes, directions which, stall_watch watch)
      : processes_(std::move(processes)),
        watch_(std::move(watch)),
        tag_(processes_->next_tag()),
        neighbours_(neighbours_of(*processes_, which)) {}
  ~state() {
    if (!is_under_way_ || !is_mpi_running()) {
      return;
    }
    try {
      receive_all();  // neighbours wait until their messages are received
    } catch (const std::exception& failed) {
      send_message(std::string("weft: an unfinished exchange of data failed: ") + failed.what() +
                   "\n");
    }
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  void start(std::span<const erased_data> objects) {
    if (is_under_way_) {
      throw error(errc::wrong_state, "an exchange is under way; wait(objects...) comes first");
    }
    processes_->require_mpi();
    for (neighbour_rank& each : neighbours_) {
      gather(objects, each);
    }
    types_.clear();
    sends_.clear();
    ++num_started_;
    for (neighbour_rank& each : neighbours_) {
      if (each.rank == processes_->rank()) {
        each.in.assign(each.out.begin(), each.out.end());
        continue;
      }
      types_.push_back(counted_bytes(static_cast<std::ptrdiff_t>(each.out.size())));
      check_mpi(MPI_Isend(each.out.data(),
                          types_.back().count,
                          types_.back().type(),
                          each.rank,
                          tag_,
                          processes_->comm(),
                          &sends_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    }
    is_under_way_ = true;
  }

  void wait(std::span<const erased_data> objects) {
    if (!is_under_way_) {
      throw error(errc::wrong_state, "wait(objects...) without start(objects...) before it");
    }
    processes_->require_mpi();
    receive_all();
    is_under_way_ = false;
    check_numbers(objects.size());
    for (std::size_t n = 0; n < objects.size(); ++n) {
      std::vector<std::pair<arrived_piece, const neighbour_rank*>> all;
      for (const neighbour_rank& each : neighbours_) {
        for (const arrived_piece& piece : pieces_of(each, n, objects.size())) {
          all.emplace_back(piece, &each);
        }
      }
      std::ranges::sort(all, {}, [](const auto& each) { return index_of(each.first.from); });
      for (const auto& [piece, sender] : all) {
        objects[n].scatter(
            objects[n].object, piece.from, std::span(sender->in).subspan(piece.begin, piece.size));
      }
    }
  }

 private:
  void receive_all() {
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      if (neighbours_[n].rank != processes_->rank()) {
        receive(n);
      }
    }
    const auto are_sent = [&] {
      int flag = 0;
      check_mpi(
          MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &flag, MPI_STATUSES_IGNORE),
          "MPI_Testall");
      return flag != 0;
    };
    wait_until(are_sent, [&] { return not_received_by(); });
  }

  void receive(std::size_t n) {
    neighbour_rank& from = neighbours_[n];
    MPI_Message found = MPI_MESSAGE_NULL;
    MPI_Status status;
    const auto is_here = [&] {
      int flag = 0;
      check_mpi(MPI_Improbe(from.rank, tag_, processes_->comm(), &flag, &found, &status),
                "MPI_Improbe");
      return flag != 0;
    };
    wait_until(is_here, [&] { return not_sent_by(n); });
    MPI_Count bytes = 0;
    check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
    from.in.resize(static_cast<std::size_t>(bytes));
    const counted_type all = counted_bytes(static_cast<std::ptrdiff_t>(bytes));
    MPI_Request arriving = MPI_REQUEST_NULL;
    check_mpi(MPI_Imrecv(from.in.data(), all.count, all.type(), &found, &arriving), "MPI_Imrecv");
    const auto has_arrived = [&] {
      int flag = 0;
      check_mpi(MPI_Test(&arriving, &flag, MPI_STATUS_IGNORE), "MPI_Test");
      return flag != 0;
    };
    wait_until(has_arrived, [&] { return std::vector<int>{from.rank}; });
  }

  /// `waited_for()`: returns ranks.
  template <class Condition, class Peers>
  void wait_until(const Condition& is_so, const Peers& waited_for) {
    watch_.wait_until(*processes_, num_started_ - 1, is_so, waited_for);
  }
  /// Ranks, from the n-th neighbour on.
  [[nodiscard]] std::vector<int> not_sent_by(std::size_t n) const {
    std::vector<int> ranks;
    for (; n < neighbours_.size(); ++n) {
      int is_here = 1;
      if (const int rank = neighbours_[n].rank; rank != processes_->rank()) {
        MPI_Iprobe(rank, tag_, processes_->comm(), &is_here, MPI_STATUS_IGNORE);
      }
      if (is_here == 0) {
        ranks.push_back(neighbours_[n].rank);
      }
    }
    return ranks;
  }
  [[nodiscard]] std::vector<int> not_received_by() const {
    std::vector<int> ranks;
    auto request = sends_.begin();
    for (const neighbour_rank& each : neighbours_) {
      if (each.rank == processes_->rank()) {
        continue;
      }
      int is_over = 1;
      MPI_Request_get_status(*request++, &is_over, MPI_STATUS_IGNORE);
      if (is_over == 0) {
        ranks.push_back(each.rank);
      }
    }
    return ranks;
  }

  void check_numbers(std::size_t num_objects) const {
    for (const neighbour_rank& each : neighbours_) {
      if (const std::uint64_t theirs = number_at(each.in, 0); theirs != num_objects) {
        throw error(errc::ranks_disagree,
                    "ranks " + std::to_string(std::min(each.rank, processes_->rank())) + " and " +
                        std::to_string(std::max(each.rank, processes_->rank())) +
                        " disagree: rank " + std::to_string(each.rank) + " exchanges " +
                        std::to_string(theirs) + " objects, rank " +
                        std::to_string(processes_->rank()) + " " + std::to_string(num_objects),
                    each.rank);
      }
    }
  }

  std::shared_ptr<grid> processes_;
  stall_watch watch_;
  std::uint64_t num_started_ = 0;
  int tag_;
  std::vector<neighbour_rank> neighbours_;
  std::vector<MPI_Request> sends_;
  std::vector<counted_type> types_;
  bool is_under_way_ = false;
};

data_set::data_set(std::shared_ptr<grid> processes,
                   directions which,
                   std::optional<std::chrono::milliseconds> patience,
                   const std::source_location& where)
    : where_(where),
      state_(std::make_unique<state>(std::move(processes), which, stall_watch(patience, where))) {}
data_set::~data_set() = default;

void data_set::start(std::span<const erased_data> objects) {
  placed(where_, [&] { state_->start(objects); });
}
void data_set::wait(std::span<const erased_data> objects) {
  placed(where_, [&] { state_->wait(objects); });
}

}  // namespace weft::halo::detail

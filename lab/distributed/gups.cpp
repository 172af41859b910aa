// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random updates of a table that the ranks divide (GUPS), beside rounds of MPI_Alltoallv.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/distributed.hpp"
#include "weft/tasks/mutex.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;
constexpr std::size_t words_per_rank = std::size_t{1} << 20;
// A rank makes this many updates before it sends them.
constexpr std::size_t look_ahead = 1024;

/// Updates `first` to `last` of a rank.
struct range {
  std::size_t first;
  std::size_t last;
};

/// Update `number` of a rank. Source: Steele, Lea, Flood, splitmix64, OOPSLA 2014.
std::uint64_t update_of(int rank, std::size_t number) {
  std::uint64_t z = (static_cast<std::uint64_t>(rank) << 40 | number) * 0x9E3779B97F4A7C15U;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return z ^ z >> 31;
}

/// The rank whose part of the table has the updated word.
std::size_t owner_of(std::uint64_t update, std::size_t num_ranks) {
  return (update >> 32) * num_ranks >> 32;
}

/// One rank's part.
class table {
 public:
  table() : words_(words_per_rank) {}

  /// Threads: any.
  void apply(std::uint64_t update) {
    std::atomic_ref(words_[update % words_per_rank]).fetch_xor(update, std::memory_order_relaxed);
  }
  /// Threads: any, but not together with `apply`.
  void apply_all(const std::vector<std::uint64_t>& updates) {
    const std::lock_guard guard(mutex_);
    apply_alone(updates);
  }
  /// Threads: one.
  void apply_alone(std::span<const std::uint64_t> updates) {
    for (const std::uint64_t each : updates) {
      words_[each % words_per_rank] ^= each;
    }
  }

  [[nodiscard]] bool is_as_at_first() const {
    return words_ == std::vector<std::uint64_t>(words_per_rank);
  }
  /// Applies all ranks' first updates again. The table is then as it was at first, all zeros.
  [[nodiscard]] bool is_right(const setting& with, std::size_t updates_per_rank) {
    const auto num_ranks = static_cast<std::size_t>(with.ranks.size());
    const auto mine = static_cast<std::size_t>(with.ranks.rank());
    for (int rank = 0; rank < with.ranks.size(); ++rank) {
      for (std::size_t n = 0; n < updates_per_rank; ++n) {
        const std::uint64_t update = update_of(rank, n);
        if (owner_of(update, num_ranks) == mine) {
          apply_alone({&update, 1});
        }
      }
    }
    return is_as_at_first();
  }

 private:
  weft::mutex mutex_;
  std::vector<std::uint64_t> words_;
};

void post_each(const wd::local_of<table>& all, range which) {
  const int rank = wd::here().rank();
  const auto num_ranks = static_cast<std::size_t>(wd::num_localities());
  for (std::size_t n = which.first; n < which.last; ++n) {
    const std::uint64_t update = update_of(rank, n);
    const auto owner = static_cast<int>(owner_of(update, num_ranks));
    if (owner == rank) {
      all->apply(update);
    } else {
      all[owner].post<&table::apply>(update);
    }
  }
}

void post_batches(const wd::local_of<table>& all, range which) {
  const int rank = wd::here().rank();
  const auto num_ranks = static_cast<std::size_t>(wd::num_localities());
  std::vector<std::vector<std::uint64_t>> batches(num_ranks);
  for (std::size_t begin = which.first; begin < which.last; begin += look_ahead) {
    for (auto& batch : batches) {
      batch.reserve(look_ahead);
    }
    for (std::size_t n = begin; n < std::min(begin + look_ahead, which.last); ++n) {
      const std::uint64_t update = update_of(rank, n);
      batches[owner_of(update, num_ranks)].push_back(update);
    }
    for (const wd::locality owner : wd::all()) {
      auto& batch = batches[static_cast<std::size_t>(owner.rank())];
      if (owner == wd::here()) {
        all->apply_all(batch);
        batch.clear();
      } else if (!batch.empty()) {
        all[owner].post<&table::apply_all>(std::exchange(batch, {}));
      }
    }
  }
}

/// Rounds of `look_ahead` updates, which MPI_Alltoallv exchanges.
class mpi_rounds {
 public:
  explicit mpi_rounds(const mpi::world& ranks)
      : ranks_(ranks),
        num_ranks_(static_cast<std::size_t>(ranks.size())),
        batches_(num_ranks_),
        num_sent_(num_ranks_),
        sent_at_(num_ranks_),
        num_received_(num_ranks_),
        received_at_(num_ranks_) {}

  void run(table& mine, range which) {
    for (std::size_t begin = which.first; begin < which.last; begin += look_ahead) {
      make(begin, std::min(begin + look_ahead, which.last));
      const std::span own = batches_[static_cast<std::size_t>(ranks_.rank())];
      mine.apply_alone(own);
      exchange();
      mine.apply_alone(received_);
    }
  }

  /// Applies all updates to the own part, without messages.
  void run_alone(table& mine, range which) {
    for (std::size_t begin = which.first; begin < which.last; begin += look_ahead) {
      make(begin, std::min(begin + look_ahead, which.last));
      for (const auto& batch : batches_) {
        mine.apply_alone(batch);
      }
    }
  }

 private:
  void make(std::size_t begin, std::size_t end) {
    for (auto& batch : batches_) {
      batch.clear();
    }
    for (std::size_t n = begin; n < end; ++n) {
      const std::uint64_t update = update_of(ranks_.rank(), n);
      batches_[owner_of(update, num_ranks_)].push_back(update);
    }
  }

  /// Sends all batches but the own one.
  void exchange() {
    sent_.clear();
    for (std::size_t rank = 0; rank < num_ranks_; ++rank) {
      const bool is_own = rank == static_cast<std::size_t>(ranks_.rank());
      sent_at_[rank] = static_cast<int>(sent_.size());
      num_sent_[rank] = is_own ? 0 : static_cast<int>(batches_[rank].size());
      sent_.insert(sent_.end(), batches_[rank].begin(), batches_[rank].begin() + num_sent_[rank]);
    }
    MPI_Alltoall(num_sent_.data(), 1, MPI_INT, num_received_.data(), 1, MPI_INT, ranks_.comm());
    std::exclusive_scan(num_received_.begin(), num_received_.end(), received_at_.begin(), 0);
    const int num_received = received_at_.back() + num_received_.back();
    received_.resize(static_cast<std::size_t>(num_received));
    MPI_Alltoallv(sent_.data(),
                  num_sent_.data(),
                  sent_at_.data(),
                  MPI_UINT64_T,
                  received_.data(),
                  num_received_.data(),
                  received_at_.data(),
                  MPI_UINT64_T,
                  ranks_.comm());
  }

  const mpi::world& ranks_;
  std::size_t num_ranks_;
  std::vector<std::vector<std::uint64_t>> batches_;
  std::vector<int> num_sent_;
  std::vector<int> sent_at_;
  std::vector<int> num_received_;
  std::vector<int> received_at_;
  std::vector<std::uint64_t> sent_;
  std::vector<std::uint64_t> received_;
};

outcome updates_by_mpi(const setting& with, std::size_t calls) {
  const std::size_t warm_up = look_ahead + calls / 10;
  table mine;
  mpi_rounds rounds(with.ranks);
  rounds.run(mine, {0, warm_up});
  with.ranks.barrier();
  const double call_s =
      seconds_per_call(calls, [&] { rounds.run(mine, {warm_up, warm_up + calls}); });
  return {.is_right = mine.is_right(with, warm_up + calls), .readings = {{"call_s", call_s}}};
}

/// The same updates without messages: the time of an update that communication cannot go below.
outcome updates_alone(const setting& with, std::size_t calls) {
  const std::size_t warm_up = look_ahead + calls / 10;
  table mine;
  mpi_rounds rounds(with.ranks);
  rounds.run_alone(mine, {0, warm_up});
  with.ranks.barrier();
  const double call_s =
      seconds_per_call(calls, [&] { rounds.run_alone(mine, {warm_up, warm_up + calls}); });
  for (std::size_t n = 0; n < warm_up + calls; ++n) {
    const std::uint64_t again = update_of(with.ranks.rank(), n);
    mine.apply_alone({&again, 1});
  }
  return {.is_right = mine.is_as_at_first(), .readings = {{"call_s", call_s}}};
}

outcome updates_by_weft(const setting& with,
                        std::size_t calls,
                        void (*post)(const wd::local_of<table>&, range)) {
  const std::size_t warm_up = look_ahead + calls / 10;
  const wd::local_of<table> all;
  post(all, {0, warm_up});
  wd::quiescence().get();
  const double call_s = seconds_per_call(calls, [&] {
    post(all, {warm_up, warm_up + calls});
    wd::quiescence().get();
  });
  return {.is_right = all->is_right(with, warm_up + calls), .readings = {{"call_s", call_s}}};
}

}  // namespace

std::vector<cell> gups_cells(const setting& with) {
  const auto by_weft = [&with](auto post) {
    return in_task([&with, post](std::size_t calls) { return updates_by_weft(with, calls, post); });
  };
  return {{.name = "gups",
           .params = {{"look_ahead", look_ahead}, {"table_bytes", words_per_rank * 8}},
           .contestants = {
               {"mpi", false, [&with](std::size_t calls) { return updates_by_mpi(with, calls); }},
               {"alone", false, [&with](std::size_t calls) { return updates_alone(with, calls); }},
               {"weft_batches", true, by_weft(post_batches)},
               {"weft_task", true, by_weft(post_each)}}}};
}

}  // namespace weft::lab::calls

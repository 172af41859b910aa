// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat in a ring that the ranks divide: steps of about 10 us, 100 us and 1 ms, whose outer cells are
// posted or sent by MPI_Isend.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include <mpi.h>

#include "weft/distributed.hpp"
#include "weft/tasks/channel.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;
constexpr int to_right = 15;
constexpr int to_left = 16;

double first_value(std::size_t cell) { return static_cast<double>(cell * 7919 % 1000); }

/// Never inlined, so that its roundings do not depend on the caller.
[[gnu::noinline]] void advance(const double* from,
                               double* to,
                               std::size_t first,
                               std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    to[i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
  }
}

/// Cells 1 to `size` of one rank or of the whole ring, between two cells of the neighbours.
class block {
 public:
  block(std::size_t size, std::size_t first_cell) : size_(size), now_(size + 2), next_(size + 2) {
    for (std::size_t i = 1; i <= size; ++i) {
      now_[i] = first_value(first_cell + i - 1);
    }
  }

  [[nodiscard]] double first() const noexcept { return now_[1]; }
  [[nodiscard]] double last() const noexcept { return now_[size_]; }
  [[nodiscard]] double* before() noexcept { return now_.data(); }
  [[nodiscard]] double* after() noexcept { return &now_[size_ + 1]; }
  [[nodiscard]] std::span<const double> cells() const { return std::span(now_).subspan(1, size_); }

  void advance_inner() { advance(now_.data(), next_.data(), 2, size_); }
  /// Advances the first and the last cell, and ends the step.
  void advance_outer() {
    advance(now_.data(), next_.data(), 1, 2);
    advance(now_.data(), next_.data(), size_, size_ + 1);
    now_.swap(next_);
  }
  void advance_alone() {
    *before() = last();
    *after() = first();
    advance_inner();
    advance_outer();
  }

 private:
  std::size_t size_;
  std::vector<double> now_;
  std::vector<double> next_;
};

struct neighbours {
  int left;
  int right;
  static neighbours of(const mpi::world& ranks) {
    return {.left = (ranks.rank() + ranks.size() - 1) % ranks.size(),
            .right = (ranks.rank() + 1) % ranks.size()};
  }
};

void steps_by_mpi(const mpi::world& ranks, block& mine, std::size_t steps) {
  const neighbours beside = neighbours::of(ranks);
  const MPI_Comm comm = ranks.comm();
  for (std::size_t n = 0; n < steps; ++n) {
    std::array<MPI_Request, 4> requests{};
    const double first = mine.first();
    const double last = mine.last();
    MPI_Irecv(mine.before(), 1, MPI_DOUBLE, beside.left, to_right, comm, &requests[0]);
    MPI_Irecv(mine.after(), 1, MPI_DOUBLE, beside.right, to_left, comm, &requests[1]);
    MPI_Isend(&last, 1, MPI_DOUBLE, beside.right, to_right, comm, &requests[2]);
    MPI_Isend(&first, 1, MPI_DOUBLE, beside.left, to_left, comm, &requests[3]);
    mine.advance_inner();
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    mine.advance_outer();
  }
}

/// The neighbours' cells of this step and of the next one: a neighbour may be one step ahead.
struct halo {
  std::array<weft::channel<double>, 2> before{weft::channel<double>(1), weft::channel<double>(1)};
  std::array<weft::channel<double>, 2> after{weft::channel<double>(1), weft::channel<double>(1)};
  void put_before(std::size_t step, double value) { before[step % 2].send(value); }
  void put_after(std::size_t step, double value) { after[step % 2].send(value); }
};

void steps_by_weft(const wd::local_of<halo>& cells,
                   neighbours beside,
                   block& mine,
                   std::size_t steps) {
  for (std::size_t n = 0; n < steps; ++n) {
    cells[beside.right].post<&halo::put_before>(n, mine.last());
    cells[beside.left].post<&halo::put_after>(n, mine.first());
    mine.advance_inner();
    *mine.before() = cells->before[n % 2].receive();
    *mine.after() = cells->after[n % 2].receive();
    mine.advance_outer();
  }
}

block block_of(const setting& with, std::size_t size) {
  return {size, size * static_cast<std::size_t>(with.ranks.rank())};
}

/// Compares with the whole ring, which this rank computes alone.
bool is_right(const setting& with, const block& mine, std::size_t steps) {
  const std::size_t size = mine.cells().size();
  block whole(size * static_cast<std::size_t>(with.ranks.size()), 0);
  for (std::size_t n = 0; n < steps; ++n) {
    whole.advance_alone();
  }
  const auto begin = size * static_cast<std::size_t>(with.ranks.rank());
  return std::ranges::equal(mine.cells(), whole.cells().subspan(begin, size));
}

/// Times `run(block, steps)` after a warm-up and `barrier`.
template <class Barrier, class Run>
outcome timed_steps(const setting& with,
                    std::size_t size,
                    std::size_t steps,
                    const Barrier& barrier,
                    const Run& run) {
  const std::size_t warm_up = 1 + steps / 10;
  block mine = block_of(with, size);
  run(mine, warm_up);
  barrier();
  const double call_s = seconds_per_call(steps, [&] { run(mine, steps); });
  barrier();
  return {.is_right = is_right(with, mine, warm_up + steps), .readings = {{"call_s", call_s}}};
}

outcome heat_by_mpi(const setting& with, std::size_t size, std::size_t steps) {
  return timed_steps(
      with,
      size,
      steps,
      [&] { with.ranks.barrier(); },
      [&](block& mine, std::size_t num) { steps_by_mpi(with.ranks, mine, num); });
}

outcome heat_by_weft(const setting& with, std::size_t size, std::size_t steps) {
  const wd::local_of<halo> cells;
  return timed_steps(
      with,
      size,
      steps,
      [] { wd::barrier().get(); },
      [&](block& mine, std::size_t num) {
        steps_by_weft(cells, neighbours::of(with.ranks), mine, num);
      });
}

/// All ranks compute without messages: the time of a step that communication cannot go below. The sum
/// of the cells stays the same, as in every ring.
outcome heat_alone(const setting& with, std::size_t size, std::size_t steps) {
  block mine = block_of(with, size);
  const auto advance = [&](std::size_t num) {
    for (std::size_t n = 0; n < num; ++n) {
      mine.advance_alone();
    }
  };
  const auto sum = [&] { return std::accumulate(mine.cells().begin(), mine.cells().end(), 0.0); };
  const double before = sum();
  const std::vector<double> first(mine.cells().begin(), mine.cells().end());
  advance(1 + steps / 10);
  with.ranks.barrier();
  const double call_s = seconds_per_call(steps, [&] { advance(steps); });
  const bool has_changed = !std::ranges::equal(first, mine.cells());
  return {.is_right = has_changed && std::abs(sum() - before) <= 1e-9 * std::abs(before),
          .readings = {{"call_s", call_s}}};
}

}  // namespace

std::vector<cell> heat_cells(const setting& with) {
  std::vector<cell> all;
  for (const std::size_t size :
       {std::size_t{1} << 15, std::size_t{1} << 18, std::size_t{1} << 21}) {
    const auto of = [&with, size](auto run) {
      return [&with, size, run](std::size_t steps) { return run(with, size, steps); };
    };
    all.push_back({.name = "heat",
                   .params = {{"cells", size}},
                   .contestants = {{"mpi", false, of(heat_by_mpi)},
                                   {"alone", false, of(heat_alone)},
                                   {"weft_task", true, in_task(of(heat_by_weft))}}});
  }
  return all;
}

}  // namespace weft::lab::calls

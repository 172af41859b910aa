// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Jacobi iteration on a box of cells that is distributed among ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>
#include <unistd.h>

#include "lab/mpi/decomposition.hpp"
#include "lab/mpi/halos.hpp"
#include "lab/mpi/options.hpp"
#include "lab/mpi/problems.hpp"
#include "lab/mpi/record.hpp"
#include "lab/mpi/stencil.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

using nlohmann::json;

constexpr int verify_sweeps = 5;
constexpr long long verify_side_max = 24;
constexpr double memory_fraction = 0.25;
constexpr long long side_default_max = 320;

/// Returns the initial value of a cell, from its global position: no two neighbours are equal.
double initial(long long x, long long y, long long z) {
  return static_cast<double>((x * 7 + y * 13 + z * 29) % 101) * 0.01;
}

struct parts {
  double pack_s = 0.0;
  double wire_s = 0.0;
  double compute_s = 0.0;
};

/// One rank's block of the global box, and the exchange with its neighbours.
class part {
 public:
  part(const seat& at, const box& global, std::string_view halo)
      : neighbours_(neighbours(at)),
        old_(size_of(global, at)),
        now_(old_.size()),
        halos_(make_halos(halo, at, old_)) {
    const box place = coordinates(at.rank, at.grid);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      begin_[axis] = share_begin(global[axis], at.grid[axis], place[axis]);
    }
    fill();
  }

  [[nodiscard]] const box& size() const { return old_.size(); }
  [[nodiscard]] const block& cells() const { return old_; }
  [[nodiscard]] std::size_t num_faces() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(neighbours_, [](int n) { return n >= 0; }));
  }
  [[nodiscard]] std::size_t face_bytes() const {
    std::size_t bytes = 0;
    for (std::size_t face = 0; face < neighbours_.size(); ++face) {
      bytes += neighbours_[face] >= 0 ? old_.face_cells(face / 2) * sizeof(double) : 0;
    }
    return bytes;
  }

  /// Exchanges, then sweeps; or sweeps the cells that need no ghosts while messages are in flight.
  /// Returns the largest change.
  double step(bool is_overlapped, parts& spent) {
    const double begin_s = now_s();
    halos_->start(old_);
    const double packed_s = now_s();
    double change = 0.0;
    double inner_s = 0.0;
    if (is_overlapped) {
      change = now_.sweep(old_, {2, 2, 2}, old_.size());
      inner_s = now_s() - packed_s;
    }
    const double wait_s = now_s();
    halos_->wait();
    const double arrived_s = now_s();
    halos_->unpack(old_);
    const double unpacked_s = now_s();
    change = is_overlapped ? std::max(change, rim()) : now_.sweep(old_);
    std::swap(old_, now_);
    spent.pack_s += packed_s - begin_s + unpacked_s - arrived_s;
    spent.wire_s += arrived_s - wait_s;
    spent.compute_s += inner_s + now_s() - unpacked_s;
    return change;
  }

 private:
  static box size_of(const box& global, const seat& at) {
    const box place = coordinates(at.rank, at.grid);
    return {share(global[0], at.grid[0], place[0]),
            share(global[1], at.grid[1], place[1]),
            share(global[2], at.grid[2], place[2])};
  }

  void fill() {
    const box size = old_.size();
    for (long long x = 1; x <= size[0]; ++x) {
      for (long long y = 1; y <= size[1]; ++y) {
        for (long long z = 1; z <= size[2]; ++z) {
          old_.at(x, y, z) = initial(begin_[0] + x, begin_[1] + y, begin_[2] + z);
        }
      }
    }
  }

  /// Sweeps the outermost layer, whose cells need ghosts: two slabs of each dimension, each shorter
  /// in the dimensions already done.
  double rim() {
    const box size = old_.size();
    double change = 0.0;
    box from{1, 1, 1};
    box to{size[0] + 1, size[1] + 1, size[2] + 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const long long last = to[axis] - 1;
      box lower = to;
      lower[axis] = 2;
      change = std::max(change, now_.sweep(old_, from, lower));
      if (last > 1) {
        box upper = from;
        upper[axis] = last;
        change = std::max(change, now_.sweep(old_, upper, to));
      }
      from[axis] = 2;
      to[axis] = last;
    }
    return change;
  }

  std::array<int, 6> neighbours_;
  block old_, now_;
  box begin_{};
  std::unique_ptr<halos> halos_;
};

struct request {
  box global;
  box grid;
  bool is_weak;
  bool is_overlapped;
  std::string halo;
  bool checks_all;
};

/// Compares a small box on all ranks with the same box on this rank alone, cell by cell.
void verify(const setting& with, const request& what) {
  const box& grid = what.grid;
  box small{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    small[axis] = std::max(std::min(what.global[axis], verify_side_max), grid[axis]);
  }
  const int rank = with.ranks.rank();
  part cut({with.ranks.comm(), grid, rank}, small, what.halo);
  part whole({MPI_COMM_SELF, {1, 1, 1}, 0}, small, "mpi");
  double change = 0.0;
  double serial = 0.0;
  parts unused;
  for (int sweep = 0; sweep < verify_sweeps; ++sweep) {
    change = cut.step(what.is_overlapped, unused);
    serial = whole.step(false, unused);
  }
  const box at = coordinates(rank, grid);
  box begin{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    begin[axis] = share_begin(small[axis], grid[axis], at[axis]);
  }
  bool is_right = with.ranks.max_of({change})[0] == serial;
  for (long long x = 1; x <= cut.size()[0]; ++x) {
    for (long long y = 1; y <= cut.size()[1]; ++y) {
      for (long long z = 1; z <= cut.size()[2]; ++z) {
        is_right = is_right && cut.cells().at(x, y, z) ==
                                   whole.cells().at(begin[0] + x, begin[1] + y, begin[2] + z);
      }
    }
  }
  if (!with.ranks.all(is_right)) {
    throw wrong_answer("the sweeps of topology " + text_of(grid) + " differ from a serial run's");
  }
}

/// Does that for every grid of that many ranks, both exchanges, and every kind of halos.
void verify_all(const setting& with, const request& what) {
  const long long num_ranks = with.ranks.size();
  request each = what;
  for (long long x = 1; x <= num_ranks; ++x) {
    for (long long y = 1; x * y <= num_ranks; ++y) {
      each.grid = {x, y, num_ranks / (x * y)};
      if (x * y * each.grid[2] != num_ranks) {
        continue;
      }
      for (const std::string_view halo : halo_names()) {
        each.halo = halo;
        for (const bool is_overlapped : {false, true}) {
          each.is_overlapped = is_overlapped;
          verify(with, each);
        }
      }
    }
  }
}

/// Returns a cube that takes a quarter of the available memory, shared by the ranks of this
/// machine.
long long default_side(int num_ranks) {
  const auto pages = static_cast<double>(sysconf(_SC_AVPHYS_PAGES));
  const double bytes = pages * static_cast<double>(sysconf(_SC_PAGESIZE)) * memory_fraction;
  const double cells = bytes / (2.0 * sizeof(double)) / std::max(num_ranks, 1);
  return std::clamp(static_cast<long long>(std::cbrt(cells)), 16LL, side_default_max);
}

request read(const setting& with) {
  static constexpr std::array<std::string_view, 2> scalings{"strong", "weak"};
  static constexpr std::array<std::string_view, 2> exchanges{"blocking", "overlapped"};
  request what{};
  what.grid = grid_of(with.given.numbers("topology", {}, 3), with.ranks.size());
  std::vector<long long> size =
      with.given.numbers("size", {with.ranks.agree(default_side(with.ranks.size()))}, 0);
  if (size.size() == 1) {
    size.resize(3, size.front());
  }
  if (size.size() != 3) {
    throw bad_request("--size needs one or three numbers of cells");
  }
  what.is_weak = with.given.word("scaling", scalings) == "weak";
  what.is_overlapped = with.given.word("exchange", exchanges) == "overlapped";
  what.halo = with.given.word("halo", halo_names());
  what.checks_all = with.given.yes("verify-all", false);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    what.global[axis] = size[axis] * (what.is_weak ? what.grid[axis] : 1);
    if (what.global[axis] < what.grid[axis]) {
      throw bad_request("topology " + text_of(what.grid) + " leaves ranks without a cell of " +
                        text_of(what.global) + "; choose fewer ranks per dimension");
    }
  }
  return what;
}

}  // namespace

void run_jacobi(const setting& with) {
  const request what = read(with);
  const sampling how = with.given.samples();
  with.given.refuse_rest();
  const world& ranks = with.ranks;
  verify(with, what);
  if (what.checks_all) {
    verify_all(with, what);
  }
  part own({ranks.comm(), what.grid, ranks.rank()}, what.global, what.halo);
  std::vector<double> pack_s;
  std::vector<double> wire_s;
  std::vector<double> compute_s;
  const timed times = sample_own(ranks, how, [&] {
    ranks.barrier();
    parts spent;
    const double begin_s = now_s();
    static_cast<void>(own.step(what.is_overlapped, spent));
    const double total_s = now_s() - begin_s;
    pack_s.push_back(spent.pack_s);
    wire_s.push_back(spent.wire_s);
    compute_s.push_back(spent.compute_s);
    return total_s;
  });
  const auto cells = static_cast<double>(what.global[0] * what.global[1] * what.global[2]);
  const json split{{"pack", ranks.gather(median(pack_s))},
                   {"wire", ranks.gather(median(wire_s))},
                   {"compute", ranks.gather(median(compute_s))}};
  say_result(ranks,
             {{"problem", "jacobi"},
              {"params",
               {{"global_cells", what.global},
                {"topology", what.grid},
                {"scaling", what.is_weak ? "weak" : "strong"},
                {"exchange", what.is_overlapped ? "overlapped" : "blocking"},
                {"halo", what.halo}}},
              {"local_cells", own.size()},
              {"num_faces", own.num_faces()},
              {"face_bytes", own.face_bytes()},
              {"updates_per_s", cells / median(times.samples_s)},
              {"rank_parts_s", split}},
             times,
             with.is_functional);
}

}  // namespace weft::lab::mpi

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Jacobi iteration on a box of cells cut among ranks, faces exchanged in buffers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>
#include <unistd.h>

#include "lab/mpi/decomposition.hpp"
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

/// The value a cell starts with, from its global place: no two neighbours are alike.
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
  part(MPI_Comm comm, const box& global, const box& grid, int rank)
      : comm_(comm), old_(size_of(global, grid, rank)), now_(old_.size()) {
    const box at = coordinates(rank, grid);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      begin_[axis] = share_begin(global[axis], grid[axis], at[axis]);
      for (const bool is_upper : {false, true}) {
        box there = at;
        there[axis] += is_upper ? 1 : -1;
        neighbor_[side(axis, is_upper)] = rank_at(there, grid);
        out_[side(axis, is_upper)].resize(old_.face_cells(axis));
        in_[side(axis, is_upper)].resize(old_.face_cells(axis));
      }
    }
    fill();
  }

  [[nodiscard]] const box& size() const { return old_.size(); }
  [[nodiscard]] const block& cells() const { return old_; }
  [[nodiscard]] std::size_t num_faces() const {
    return static_cast<std::size_t>(std::ranges::count_if(neighbor_, [](int n) { return n >= 0; }));
  }
  [[nodiscard]] std::size_t face_bytes() const {
    std::size_t bytes = 0;
    for (std::size_t face = 0; face < 6; ++face) {
      bytes += neighbor_[face] >= 0 ? out_[face].size() * sizeof(double) : 0;
    }
    return bytes;
  }

  /// Exchanges, then sweeps; or sweeps what needs no ghosts while messages travel. Returns the
  /// largest change.
  double step(bool is_overlapped, parts& spent) {
    const double begin_s = now_s();
    const std::size_t num = start();
    const double packed_s = now_s();
    double change = 0.0;
    double inner_s = 0.0;
    if (is_overlapped) {
      change = now_.sweep(old_, {2, 2, 2}, old_.size());
      inner_s = now_s() - packed_s;
    }
    const double wait_s = now_s();
    check(MPI_Waitall(static_cast<int>(num), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    const double arrived_s = now_s();
    unpack();
    const double unpacked_s = now_s();
    change = is_overlapped ? std::max(change, rim()) : now_.sweep(old_);
    std::swap(old_, now_);
    spent.pack_s += packed_s - begin_s + unpacked_s - arrived_s;
    spent.wire_s += arrived_s - wait_s;
    spent.compute_s += inner_s + now_s() - unpacked_s;
    return change;
  }

 private:
  static constexpr std::size_t side(std::size_t axis, bool is_upper) {
    return 2 * axis + (is_upper ? 1 : 0);
  }
  static box size_of(const box& global, const box& grid, int rank) {
    const box at = coordinates(rank, grid);
    return {share(global[0], grid[0], at[0]),
            share(global[1], grid[1], at[1]),
            share(global[2], grid[2], at[2])};
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

  std::size_t start() {
    std::size_t num = 0;
    for (std::size_t face = 0; face < 6; ++face) {
      if (neighbor_[face] < 0) {
        continue;
      }
      const auto count = static_cast<int>(in_[face].size());
      // A message is tagged by the side it leaves; it arrives at the opposite one.
      check(MPI_Irecv(in_[face].data(),
                      count,
                      MPI_DOUBLE,
                      neighbor_[face],
                      static_cast<int>(face ^ 1U),
                      comm_,
                      &requests_[num++]),
            "MPI_Irecv");
    }
    for (std::size_t face = 0; face < 6; ++face) {
      if (neighbor_[face] < 0) {
        continue;
      }
      old_.pack(face / 2, face % 2 != 0, out_[face]);
      check(MPI_Isend(out_[face].data(),
                      static_cast<int>(out_[face].size()),
                      MPI_DOUBLE,
                      neighbor_[face],
                      static_cast<int>(face),
                      comm_,
                      &requests_[num++]),
            "MPI_Isend");
    }
    return num;
  }

  void unpack() {
    for (std::size_t face = 0; face < 6; ++face) {
      if (neighbor_[face] >= 0) {
        old_.unpack(face / 2, face % 2 != 0, in_[face]);
      }
    }
  }

  /// The outermost layer, whose cells need ghosts: two slabs of each dimension, less of the next.
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

  MPI_Comm comm_;
  block old_, now_;
  box begin_{};
  std::array<int, 6> neighbor_{};
  std::array<std::vector<double>, 6> out_, in_;
  std::array<MPI_Request, 12> requests_{};
};

/// A small box on all ranks against the same on this one alone, cell by cell.
void verify(const setting& with, const box& global, const box& grid, bool is_overlapped) {
  box small{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    small[axis] = std::max(std::min(global[axis], verify_side_max), grid[axis]);
  }
  const int rank = with.ranks.rank();
  part cut(with.ranks.comm(), small, grid, rank);
  part whole(MPI_COMM_SELF, small, {1, 1, 1}, 0);
  double change = 0.0;
  double serial = 0.0;
  parts unused;
  for (int sweep = 0; sweep < verify_sweeps; ++sweep) {
    change = cut.step(is_overlapped, unused);
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

/// A cube that takes a quarter of the memory there is, shared by the ranks of this machine.
long long default_side(int num_ranks) {
  const auto pages = static_cast<double>(sysconf(_SC_AVPHYS_PAGES));
  const double bytes = pages * static_cast<double>(sysconf(_SC_PAGESIZE)) * memory_fraction;
  const double cells = bytes / (2.0 * sizeof(double)) / std::max(num_ranks, 1);
  return std::clamp(static_cast<long long>(std::cbrt(cells)), 16LL, side_default_max);
}

struct request {
  box global;
  box grid;
  bool is_weak;
  bool is_overlapped;
};

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
  verify(with, what.global, what.grid, what.is_overlapped);
  part own(ranks.comm(), what.global, what.grid, ranks.rank());
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
                {"halo", "mpi"}}},
              {"local_cells", own.size()},
              {"num_faces", own.num_faces()},
              {"face_bytes", own.face_bytes()},
              {"updates_per_s", cells / median(times.samples_s)},
              {"rank_parts_s", split}},
             times,
             with.is_functional);
}

}  // namespace weft::lab::mpi

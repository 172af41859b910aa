// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A + B of three-dimensional matrices on rank 0: scattered, added, gathered, with the time of
// each step.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <nlohmann/json.hpp>

#include "lab/mpi/decomposition.hpp"
#include "lab/mpi/options.hpp"
#include "lab/mpi/problems.hpp"
#include "lab/mpi/record.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

using nlohmann::json;

constexpr std::size_t num_phases = 4;
constexpr std::array<const char*, num_phases> phase_names{"wait", "scatter", "compute", "gather"};
using phases = std::array<double, num_phases>;

struct request {
  box size;
  box grid;
  bool depends_on_topology;
  bool is_subarray;
  // ranks start a cycle together; otherwise the other ranks wait for the root inside it
  bool has_barrier;
  bool is_fresh;  // the root generates new numbers in every cycle
  std::size_t cycles;
};

long long load_of(const request& what, int rank, int num_ranks) {
  if (!what.depends_on_topology && !what.is_subarray) {
    return share(what.size[0] * what.size[1] * what.size[2], num_ranks, rank);
  }
  const box at = coordinates(rank, what.grid);
  long long load = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    load *= share(what.size[axis], what.grid[axis], at[axis]);
  }
  return load;
}

int as_count(long long value) {
  if (value > std::numeric_limits<int>::max()) {
    throw bad_request(
        "a matrix of more than 2^31 - 1 elements per message is more than MPI-3.1's "
        "counts hold; choose a smaller --size");
  }
  return static_cast<int>(value);
}

/// Moves parts between the root's whole matrix and every rank's own.
class mover {
 public:
  mover(const world& ranks, const request& what) : ranks_(ranks), is_subarray_(what.is_subarray) {
    const int size = ranks.size();
    for (int rank = 0; rank < size; ++rank) {
      counts_.push_back(as_count(load_of(what, rank, size)));
      offsets_.push_back(rank == 0 ? 0
                                   : as_count(static_cast<long long>(offsets_.back()) +
                                              counts_[static_cast<std::size_t>(rank) - 1]));
    }
    if (is_subarray_) {
      make_types(what);
    }
  }
  mover(const mover&) = delete;
  mover& operator=(const mover&) = delete;
  ~mover() {
    for (MPI_Datatype& type : owned_) {
      MPI_Type_free(&type);
    }
  }

  [[nodiscard]] int own_count() const { return counts_[static_cast<std::size_t>(ranks_.rank())]; }
  [[nodiscard]] const std::vector<int>& counts() const { return counts_; }

  void scatter(const std::vector<double>& whole, std::vector<double>& part) const {
    if (!is_subarray_) {
      check(MPI_Scatterv(whole.data(),
                         counts_.data(),
                         offsets_.data(),
                         MPI_DOUBLE,
                         part.data(),
                         own_count(),
                         MPI_DOUBLE,
                         0,
                         ranks_.comm()),
            "MPI_Scatterv");
      return;
    }
    check(MPI_Alltoallw(whole.data(),
                        root_counts_.data(),
                        zeros_.data(),
                        types_.data(),
                        part.data(),
                        own_counts_.data(),
                        zeros_.data(),
                        doubles_.data(),
                        ranks_.comm()),
          "MPI_Alltoallw");
  }

  void gather(const std::vector<double>& part, std::vector<double>& whole) const {
    if (!is_subarray_) {
      check(MPI_Gatherv(part.data(),
                        own_count(),
                        MPI_DOUBLE,
                        whole.data(),
                        counts_.data(),
                        offsets_.data(),
                        MPI_DOUBLE,
                        0,
                        ranks_.comm()),
            "MPI_Gatherv");
      return;
    }
    check(MPI_Alltoallw(part.data(),
                        own_counts_.data(),
                        zeros_.data(),
                        doubles_.data(),
                        whole.data(),
                        root_counts_.data(),
                        zeros_.data(),
                        types_.data(),
                        ranks_.comm()),
          "MPI_Alltoallw");
  }

 private:
  void make_types(const request& what) {
    const auto size = static_cast<std::size_t>(ranks_.size());
    zeros_.assign(size, 0);
    doubles_.assign(size, MPI_DOUBLE);
    types_.assign(size, MPI_DOUBLE);
    root_counts_.assign(size, ranks_.is_root() ? 1 : 0);
    own_counts_.assign(size, 0);
    own_counts_[0] = own_count();
    for (std::size_t rank = 0; ranks_.is_root() && rank < size; ++rank) {
      const box at = coordinates(static_cast<int>(rank), what.grid);
      std::array<int, 3> whole{};
      std::array<int, 3> own{};
      std::array<int, 3> begin{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        whole[axis] = as_count(what.size[axis]);
        own[axis] = as_count(share(what.size[axis], what.grid[axis], at[axis]));
        begin[axis] = as_count(share_begin(what.size[axis], what.grid[axis], at[axis]));
      }
      check(MPI_Type_create_subarray(
                3, whole.data(), own.data(), begin.data(), MPI_ORDER_C, MPI_DOUBLE, &types_[rank]),
            "MPI_Type_create_subarray");
      check(MPI_Type_commit(&types_[rank]), "MPI_Type_commit");
      owned_.push_back(types_[rank]);
    }
  }

  const world& ranks_;
  bool is_subarray_;
  std::vector<int> counts_, offsets_, zeros_, root_counts_, own_counts_;
  std::vector<MPI_Datatype> types_, doubles_, owned_;
};

class summation {
 public:
  summation(const world& ranks, const request& what)
      : ranks_(ranks), what_(what), move_(ranks, what) {
    const auto total = static_cast<std::size_t>(what.size[0] * what.size[1] * what.size[2]);
    const auto own = static_cast<std::size_t>(move_.own_count());
    if (ranks.is_root()) {
      a_.resize(total);
      b_.resize(total);
      c_.resize(total);
      draw();
    }
    for (std::vector<double>* const part : {&own_a_, &own_b_, &own_c_}) {
      part->resize(own);
    }
  }

  phases cycle() {
    if (what_.is_fresh && ranks_.is_root()) {
      draw();
    }
    std::array<double, num_phases + 1> at{};
    at[0] = now_s();
    if (what_.has_barrier) {
      ranks_.barrier();
    }
    at[1] = now_s();
    move_.scatter(a_, own_a_);
    move_.scatter(b_, own_b_);
    at[2] = now_s();
    for (std::size_t index = 0; index < own_c_.size(); ++index) {
      own_c_[index] = own_a_[index] + own_b_[index];
    }
    at[3] = now_s();
    move_.gather(own_c_, c_);
    at[4] = now_s();
    phases spent{};
    for (std::size_t phase = 0; phase < num_phases; ++phase) {
      spent[phase] = at[phase + 1] - at[phase];
    }
    return spent;
  }

  /// Checks a separate cycle, so that no element is right only because an earlier cycle wrote it.
  void verify() {
    std::ranges::fill(own_c_, -1.0);
    std::ranges::fill(c_, -1.0);
    static_cast<void>(cycle());
    bool is_right = true;
    for (std::size_t index = 0; index < c_.size(); ++index) {
      is_right = is_right && c_[index] == a_[index] + b_[index];
    }
    if (!ranks_.all(is_right)) {
      throw wrong_answer("an element of the gathered sum is not that of A and B");
    }
  }

  [[nodiscard]] const std::vector<int>& loads() const { return move_.counts(); }

 private:
  void draw() {
    std::uniform_real_distribution<double> numbers;
    for (std::size_t index = 0; index < a_.size(); ++index) {
      a_[index] = numbers(random_);
      b_[index] = numbers(random_);
      c_[index] = -1.0;
    }
  }

  const world& ranks_;
  request what_;
  mover move_;
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same numbers in every run
  std::mt19937_64 random_{42};
  std::vector<double> a_, b_, c_, own_a_, own_b_, own_c_;
};

request read(const setting& with) {
  static constexpr std::array<std::string_view, 2> layouts{"linear", "subarray"};
  request what{};
  const std::vector<long long> size = with.given.numbers("size", {240, 100, 100}, 3);
  what.size = {size[0], size[1], size[2]};
  what.grid = grid_of(with.given.numbers("topology", {}, 3), with.ranks.size());
  what.depends_on_topology = with.given.number("a", 0, 0) != 0;
  what.is_subarray = with.given.word("layout", layouts) == "subarray";
  what.has_barrier = with.given.yes("barrier", true);
  what.is_fresh = with.given.yes("fresh", false);
  what.cycles = static_cast<std::size_t>(with.given.number("cycles", 1, 1));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if ((what.depends_on_topology || what.is_subarray) && what.size[axis] < what.grid[axis]) {
      throw bad_request("topology " + text_of(what.grid) + " leaves ranks without a part of size " +
                        text_of(what.size) + "; choose fewer ranks per dimension");
    }
  }
  return what;
}

json shares(const world& ranks, const std::array<std::vector<double>, num_phases>& spent) {
  json split;
  for (std::size_t phase = 0; phase < num_phases; ++phase) {
    split[phase_names[phase]] = ranks.gather(median(spent[phase]));
  }
  return split;
}

}  // namespace

void run_sum3d(const setting& with) {
  const request what = read(with);
  const sampling how = with.given.samples();
  with.given.refuse_rest();
  summation sum(with.ranks, what);
  sum.verify();
  std::array<std::vector<double>, num_phases> spent;
  const timed times = sample_own(with.ranks, how, [&] {
    double total_s = 0.0;
    phases sums{};
    for (std::size_t cycle = 0; cycle < what.cycles; ++cycle) {
      const phases one = sum.cycle();
      for (std::size_t phase = 0; phase < num_phases; ++phase) {
        sums[phase] += one[phase];
        total_s += one[phase];
      }
    }
    const auto count = static_cast<double>(what.cycles);
    for (std::size_t phase = 0; phase < num_phases; ++phase) {
      spent[phase].push_back(sums[phase] / count);
    }
    return total_s / count;
  });
  sum.verify();
  const json rank_phases = shares(with.ranks, spent);
  say_result(with.ranks,
             {{"problem", "sum3d"},
              {"params",
               {{"size", what.size},
                {"topology", what.grid},
                {"a", what.depends_on_topology ? 1 : 0},
                {"layout", what.is_subarray ? "subarray" : "linear"},
                {"barrier", what.has_barrier},
                {"fresh", what.is_fresh},
                {"cycles", what.cycles}}},
              {"loads", sum.loads()},
              {"rank_phases_s", rank_phases}},
             times,
             with.is_functional);
}

}  // namespace weft::lab::mpi

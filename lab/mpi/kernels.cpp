// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Micro-kernels that measure the inputs of the models: memory bandwidth, a sweep's speed, copies of
// faces.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/harness/keep.hpp"
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

// A block whose two copies fit into a second-level cache of at least 512 KiB.
constexpr long long cached_side = 24;
// Bytes of traffic per element: a copy or a triad also reads the line it writes.
constexpr std::size_t copy_bytes = 24;
constexpr std::size_t triad_bytes = 32;

void say_kernel(const setting& with,
                const std::string& name,
                const timed& times,
                double work,
                const char* unit) {
  say_result(with.ranks,
             {{"problem", "bandwidth"},
              {"params", {{"kernel", name}}},
              {"work_per_rank", work},
              {"unit", unit}},
             times,
             with.is_functional);
}

}  // namespace

void run_bandwidth(const setting& with) {
  const auto bytes = static_cast<std::size_t>(with.given.number("bytes", 1 << 26, 1 << 12));
  const sampling how = with.given.samples();
  with.given.refuse_rest();
  const std::size_t num = bytes / sizeof(double);
  std::vector<double> a(num, 1.0);
  std::vector<double> b(num, 2.0);
  std::vector<double> c(num, 3.0);
  const timed copy = sample(with.ranks, how, [&] {
    for (std::size_t i = 0; i < num; ++i) {
      a[i] = b[i];
    }
    keep(a.data());
  });
  if (!with.ranks.all(std::ranges::equal(a, b))) {
    throw wrong_answer("the copy is not its source");
  }
  const timed triad = sample(with.ranks, how, [&] {
    for (std::size_t i = 0; i < num; ++i) {
      a[i] = b[i] + 0.5 * c[i];
    }
    keep(a.data());
  });
  if (!with.ranks.all(std::ranges::all_of(a, [](double value) { return value == 3.5; }))) {
    throw wrong_answer("an element of the triad is not b + c / 2");
  }
  block first({cached_side, cached_side, cached_side});
  block second = first;
  first.at(1, 1, 1) = 6.0;
  const timed stencil = sample(with.ranks, how, [&] { keep(second.sweep(first)); });
  if (!with.ranks.all(second.at(1, 1, 2) == 1.0)) {
    throw wrong_answer("a sweep does not spread a single value to its neighbours");
  }
  const auto elements = static_cast<double>(num);
  say_kernel(with, "copy", copy, elements * copy_bytes, "bytes");
  say_kernel(with, "triad", triad, elements * triad_bytes, "bytes");
  say_kernel(with,
             "stencil",
             stencil,
             static_cast<double>(cached_side * cached_side * cached_side),
             "updates");
}

void run_pack(const setting& with) {
  const std::vector<long long> size = with.given.numbers("size", {128, 128, 128}, 3);
  const sampling how = with.given.samples();
  with.given.refuse_rest();
  block cells({size[0], size[1], size[2]});
  block next = cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> face(cells.face_cells(axis), 1.5);
    std::vector<double> back(face.size(), 0.0);
    box inside{1, 1, 1};
    cells.unpack(axis, true, face);
    inside[axis] = size[axis] + 1;
    if (!with.ranks.all(cells.at(inside[0], inside[1], inside[2]) == 1.5)) {
      throw wrong_answer("a face did not arrive in the ghost cells");
    }
    // Caches are in the state that a program finds: there is a sweep between two exchanges.
    const timed times = sample_own(with.ranks, how, [&] {
      keep(next.sweep(cells));
      const double begin_s = now_s();
      cells.pack(axis, true, back);
      keep(back.data());
      cells.unpack(axis, false, back);
      return now_s() - begin_s;
    });
    say_result(with.ranks,
               {{"problem", "pack"},
                {"params", {{"axis", axis}, {"size", size}}},
                {"work_per_rank", static_cast<double>(2 * sizeof(double) * face.size())},
                {"unit", "bytes"}},
               times,
               with.is_functional);
  }
}

}  // namespace weft::lab::mpi

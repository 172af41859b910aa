// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever is exchanged or made after MPI_Finalize is refused with a sentence. Returns 0 if each
// was.
#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo.hpp"

#include "tests/halo/caught.hpp"

namespace {

namespace halo = weft::halo;
using line = halo::exchange<double, halo::layout::right<1>>;

struct nothing {
  std::size_t size(const std::array<int, 1>& /*towards*/) const { return 0; }
  void gather(const std::array<int, 1>& /*towards*/, std::span<std::byte> /*into*/) const {}
  void scatter(const std::array<int, 1>& /*from*/, std::span<const std::byte> /*bytes*/) const {}
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const halo::cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const halo::axes<1> box{halo::axis::inner(1000).halo(3)};
  const auto shared = halo::make_field<double>(grid, box);
  std::vector<double> own(shared.size());
  std::vector<double> other(shared.size());
  line of_shared(grid, box);
  line of_own(grid, box);
  line by_messages(grid, box, {.transport = halo::transport::messages});
  line half_done(grid, box);
  halo::blocks<1> moved(grid);
  moved.send(halo::field(own.data(), box), halo::inner_block(box), *grid.neighbour<1>());
  moved.receive(halo::field(other.data(), box), halo::inner_block(box), *grid.neighbour<-1>());
  const halo::subdomains<1> among(MPI_COMM_WORLD, {.dims = {grid.size()}, .periodic = {true}});
  const std::vector<halo::axes<1>> boxes(1, box);
  halo::subdomain_exchange<double, halo::layout::right<1>> of_parts(among, boxes);
  const std::vector<double*> parts{own.data()};
  halo::data_exchange<1> data(grid);
  nothing objects;
  of_shared(shared);
  of_own(own.data());
  by_messages(own.data());
  moved.exchange();
  of_parts(parts);
  data(objects);
  half_done.pack(own.data());
  MPI_Finalize();

  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"fields of make_field", [&] { of_shared(shared); }},
      {"the same fields", [&] { of_own(own.data()); }},
      {"other fields", [&] { of_own(other.data()); }},
      {"another number of fields", [&] { of_own(own.data(), other.data()); }},
      {"by messages", [&] { by_messages(own.data()); }},
      {"start after pack", [&] { half_done.start(); }},
      {"blocks", [&] { moved.exchange(); }},
      {"subdomains", [&] { of_parts(parts); }},
      {"data", [&] { data(objects); }},
      {"part_of_world", [&] { (void)halo::part_of_world(grid, box); }},
      {"make_field", [&] { (void)halo::make_field<double>(grid, box); }},
      {"exchange", [&] { line(grid, box); }},
  };
  int num_wrong = 0;
  for (const auto& [what, call] : calls) {
    const auto found = halo::test::caught_from(call);
    if (found.what.find("MPI_Finalize was called; ") == std::string::npos ||
        found.code != halo::errc::wrong_state) {
      std::fprintf(stderr, "%s: %s\n", what.c_str(), found.what.c_str());
      ++num_wrong;
    }
  }
  return num_wrong == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids, exchanges and channels that do not compile, and what the compiler has to say of each.
#include <cstddef>
#include <functional>
#include <span>
#include <string>  // IWYU pragma: keep: for what does not compile

#include "weft/halo/cart.hpp"
#include "weft/halo/channels.hpp"
#include "weft/halo/exchange.hpp"
#include "weft/halo/layout.hpp"
#include "weft/halo/shared_field.hpp"  // IWYU pragma: keep: as above

namespace halo = weft::halo;
using plane = halo::layout::right<2>;
using doubles = halo::exchange<double, plane>;

void use(doubles& ex,
         const halo::cart<2>& grid,
         halo::channels<2>& net,
         std::span<const std::byte> bytes,
         double* cells) {
#if defined(MISTAKES)
  const halo::exchange<std::string, plane> exchange_of_strings(grid, {});
  // expect: trivially_exchangeable
  const halo::exchange<double, halo::layout::right<3>> grid_of_two(grid, {});
  // expect: no matching
  const halo::cart<5> grid_of_five(MPI_COMM_WORLD);
  // expect: a grid has 1 to 4 dimensions
  ex(reinterpret_cast<float*>(cells));
  // expect: field_of
  ex.reverse(std::plus<std::string>(), cells);
  // expect: takes an op(Value, Value) -> Value
  net.send_to<0, 0>(bytes);
  // expect: a rank has no channel to where it is
  net.send_to<0, 2>(bytes);
  // expect: each number is -1, 0 or 1
  static_cast<void>(grid.neighbour<1>());
  // expect: one number per dimension
  static_cast<void>(halo::make_field<double>(grid, halo::axes<2>{}, halo::layout::strided<2>{}));
  // expect: make_field lays cells out densely
#else
  ex.reverse(std::plus<>(), cells);
  net.send_to<0, 1>(bytes);
  static_cast<void>(grid.neighbour<1, 0>());
#endif
}

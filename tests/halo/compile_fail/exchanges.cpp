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
#if defined(EXCHANGE_OF_STRINGS)  // expect: trivially_exchangeable
  const halo::exchange<std::string, plane> wrong(grid, {});
#elif defined(GRID_OF_ANOTHER_NUMBER_OF_DIMENSIONS)  // expect: no matching
  const halo::exchange<double, halo::layout::right<3>> wrong(grid, {});
#elif defined(GRID_OF_FIVE)                          // expect: a grid has 1 to 4 dimensions
  const halo::cart<5> wrong(MPI_COMM_WORLD);
#elif defined(POINTER_TO_ANOTHER_TYPE)               // expect: field_of
  ex(reinterpret_cast<float*>(cells));
#elif defined(OPERATION_ON_ANOTHER_TYPE)             // expect: takes an op(Value, Value) -> Value
  ex.reverse(std::plus<std::string>(), cells);
#elif defined(CHANNEL_TO_ITSELF)                     // expect: a rank has no channel to where it is
  net.send_to<0, 0>(bytes);
#elif defined(CHANNEL_TOO_FAR)                       // expect: each number is -1, 0 or 1
  net.send_to<0, 2>(bytes);
#elif defined(NEIGHBOUR_IN_TOO_FEW_DIMENSIONS)       // expect: one number per dimension
  static_cast<void>(grid.neighbour<1>());
#elif defined(FIELD_WITH_GAPS)                       // expect: make_field lays cells out densely
  static_cast<void>(halo::make_field<double>(grid, halo::axes<2>{}, halo::layout::strided<2>{}));
#else
  ex.reverse(std::plus<>(), cells);
  net.send_to<0, 1>(bytes);
  static_cast<void>(grid.neighbour<1, 0>());
#endif
}

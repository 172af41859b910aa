// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a world, drawn at random, the same on all ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "weft/halo.hpp"

#include "halo/world.hpp"

namespace weft::halo::test {

template <std::size_t num_dims>
std::array<int, num_dims> random_order(dice& with) {
  auto order = detail::in_order<num_dims>();
  for (std::size_t n = num_dims; n > 1; --n) {
    std::swap(order[n - 1],
              order[static_cast<std::size_t>(with.roll(static_cast<std::ptrdiff_t>(n)))]);
  }
  return order;
}

/// Factors of the number of processes, strewn over the dimensions.
template <std::size_t num_dims>
std::array<int, num_dims> random_dims(int processes, dice& with) {
  std::array<int, num_dims> dims;
  dims.fill(1);
  for (int factor = 2; processes > 1; ++factor) {
    for (; processes % factor == 0; processes /= factor) {
      dims[static_cast<std::size_t>(with.roll(num_dims))] *= factor;
    }
  }
  return dims;
}

/// Halo widths that may differ by side, and padding.
template <std::size_t num_dims>
axes<num_dims> random_box(const world<num_dims>& around, dice& with) {
  axes<num_dims> box;
  for (std::size_t d = 0; d < num_dims; ++d) {
    const std::ptrdiff_t widest = std::min<std::ptrdiff_t>(around.cells_per_process[d], 3);
    const std::ptrdiff_t below = with.roll(widest + 1);
    const std::ptrdiff_t above = with.roll(widest + 1);
    const std::ptrdiff_t before = with.roll(2);
    box[d] = axis::inner(around.inner(d)).halo(below, above).pad(before, with.roll(3));
  }
  return box;
}

template <std::size_t num_dims>
layout::strided<num_dims> random_layout(const axes<num_dims>& box, dice& with) {
  layout::strided<num_dims> made;
  std::ptrdiff_t stride = 1 + with.roll(4) / 3;  // seldom every other element
  for (const int d : random_order<num_dims>(with)) {
    made.in_elements[static_cast<std::size_t>(d)] = stride;
    stride *= box[static_cast<std::size_t>(d)].length;
    stride += with.roll(3) == 0 ? 1 : 0;
  }
  return made;
}

template <std::size_t num_dims>
std::size_t num_elements(const axes<num_dims>& box, const layout::strided<num_dims>& how) {
  std::size_t last = 0;
  for (std::size_t d = 0; d < num_dims; ++d) {
    last += static_cast<std::size_t>((box[d].length - 1) * how.in_elements[d]);
  }
  return last + 1;
}

/// Three bytes, so that nothing is aligned.
struct rgb {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;
};

}  // namespace weft::halo::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that neighbours on the same node can read, so that their halos are one copy.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/layout.hpp"

namespace weft::halo {

/// Whether `make_field` may make rows longer.
enum class padding : std::uint8_t { automatic, none };

namespace detail {
/// The number of elements of padding for a row of this size. Without it, rows would start in the
/// same few sets of a cache.
constexpr std::ptrdiff_t row_padding(std::ptrdiff_t row_elements, std::ptrdiff_t element_bytes) {
  constexpr std::ptrdiff_t line_bytes = 64;
  constexpr std::ptrdiff_t bad_bytes = 512;
  const bool is_bad = wrapping_product(row_elements, element_bytes) % bad_bytes == 0;
  return is_bad ? (line_bytes + element_bytes - 1) / element_bytes : 0;
}

/// The largest number where the product is larger.
constexpr std::size_t saturating_product(std::size_t one, std::size_t other) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  return other != 0 && one > most / other ? most : one * other;
}

/// Padding and halos included; the largest number where there are more.
template <std::size_t num_dims>
constexpr std::size_t num_cells(const axes<num_dims>& box) {
  std::size_t cells = 1;
  for (const axis& each : box) {
    cells = saturating_product(cells, static_cast<std::size_t>(each.length));
  }
  return cells;
}

/// Describes the first invalid axis; empty if all are valid.
template <std::size_t num_dims>
std::string wrong_axis(const axes<num_dims>& box) {
  for (std::size_t d = 0; d < num_dims; ++d) {
    if (const std::string why = box[d].trouble(); !why.empty()) {
      return "axis " + std::to_string(d) + ": " + why;
    }
  }
  return {};
}
}  // namespace detail

/// The same axes. If rows would start in the same few sets of a cache, the axis with the smallest
/// stride is padded by a cache line. Without padding, the exchange across it takes twice as long.
template <class Value, field_layout Layout>
[[nodiscard]] constexpr axes<Layout::num_dims> without_aliasing(axes<Layout::num_dims> box,
                                                                const Layout& how = {}) {
  const element_strides<Layout::num_dims> strides = how.strides(box);
  for (std::size_t d = 0; d < Layout::num_dims; ++d) {
    if (Layout::num_dims > 1 && strides[d] == 1) {
      box[d] = box[d].pad(0, detail::row_padding(box[d].length, sizeof(Value)));
      break;
    }
  }
  return box;
}

/// A field in memory that the ranks of a node share; `make_field` makes it.
///
/// Threads: creation and destruction are collective over the grid. As with any MPI window, all
///          ranks destroy their fields in the same order, before MPI_Finalize.
template <trivially_exchangeable Value, field_layout Layout>
class shared_field {
  static_assert(std::is_empty_v<Layout>, "make_field lays cells out densely; take right or left");

 public:
  static constexpr std::size_t num_dims = Layout::num_dims;

  shared_field(std::shared_ptr<detail::grid> processes,
               const axes<num_dims>& box,
               const std::source_location& where)
      : box_(box),
        strides_(Layout().strides(box)),
        size_(detail::num_cells(box)),
        memory_(std::move(processes),
                detail::saturating_product(size_, sizeof(Value)),
                detail::wrong_axis(box),
                where) {
    // By its owner: that is where its pages then are.
    std::uninitialized_value_construct_n(data(), size_);
  }

  [[nodiscard]] Value* data() const noexcept { return reinterpret_cast<Value*>(memory_.data()); }
  /// In elements, padding and halos included.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<Value> cells() const noexcept { return {data(), size_}; }
  /// What exchanges of this field are to be made with: rows may be longer than was asked for.
  [[nodiscard]] const axes<num_dims>& box() const noexcept { return box_; }
  [[nodiscard]] field_view<Value, num_dims> view() const noexcept {
    return {.data = data(), .box = box_, .strides = strides_};
  }
  /// The cell at these indices, counted from the beginning of the axes.
  template <std::integral... Index>
    requires(sizeof...(Index) == num_dims)
  [[nodiscard]] Value& operator()(Index... index) const {
    std::ptrdiff_t offset = 0;
    std::size_t d = 0;
    ((offset += static_cast<std::ptrdiff_t>(index) * strides_[d++]), ...);
    return data()[offset];
  }

 private:
  axes<num_dims> box_;
  element_strides<num_dims> strides_;
  std::size_t size_;
  detail::node_segment memory_;
};

/// Makes a field of zeros in memory that the ranks of a node share.
///
/// Rows are padded where their length is bad for caches; `box()` of the field says how long they
/// are. `padding::none` leaves them as they are.
/// Cost:    one MPI window per field; from 4 MiB on its pages are made large ones where Linux can.
/// Threads: collective over `grid`, as is the field's end.
/// Errors:  `halo::error` on all ranks, before anything is allocated: axes that cannot be
///          (`bad_axis`), fields that are larger than the memory of their node (`unsupported`).
/// Example: tests/halo/exchange_test.cpp:
///          fields_of_make_field_are_padded_and_exchanged_from_where_they_lie.
template <trivially_exchangeable Value,
          std::size_t num_dims,
          field_layout Layout = layout::right<num_dims>>
  requires(Layout::num_dims == num_dims)
[[nodiscard]] shared_field<Value, Layout> make_field(
    const cart<num_dims>& grid,
    const axes<num_dims>& box,
    const Layout& how = {},
    padding rows = padding::automatic,
    std::source_location where = std::source_location::current()) {
  const bool is_padded = rows == padding::automatic && detail::wrong_axis(box).empty();
  return {grid.shared_grid(), is_padded ? without_aliasing<Value, Layout>(box, how) : box, where};
}

}  // namespace weft::halo

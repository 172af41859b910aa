// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields as exchanges take them: a pointer, axes and strides, from whatever the program has.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <source_location>
#include <string>
#include <type_traits>

#include "weft/halo/axis.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/layout.hpp"

namespace weft::halo {

/// A type whose cells may travel as bytes.
template <class Value>
concept trivially_exchangeable =
    std::is_trivially_copyable_v<Value> && !std::is_const_v<Value> && !std::is_pointer_v<Value>;

/// Cells in memory of another owner.
template <trivially_exchangeable Value, std::size_t dims>
struct field_view {
  static constexpr std::size_t num_dims = dims;

  Value* data = nullptr;  // the cell at index 0 in every dimension
  axes<dims> box{};
  element_strides<dims> strides{};

  [[nodiscard]] constexpr detail::shape shape() const {
    return detail::shape_of<Value>(box, strides);
  }
  /// The cell at these indices, counted from the beginning of the axes.
  template <std::integral... Index>
    requires(sizeof...(Index) == dims)
  [[nodiscard]] constexpr Value& operator()(Index... index) const {
    std::ptrdiff_t offset = 0;
    std::size_t d = 0;
    ((offset += static_cast<std::ptrdiff_t>(index) * strides[d++]), ...);
    return data[offset];
  }
};

/// A field at `data`, whose axes are in the user's order and whose cells lie as `how` says.
///
/// Example: tests/halo/descriptors_test.cpp: indices_follow_strides.
template <trivially_exchangeable Value,
          std::size_t num_dims,
          field_layout Layout = layout::right<num_dims>>
  requires(Layout::num_dims == num_dims)
[[nodiscard]] constexpr auto field(Value* data, const axes<num_dims>& box, const Layout& how = {}) {
  // As return type clang would look into it before the constraints, and not name those.
  return field_view<Value, num_dims>{.data = data, .box = box, .strides = how.strides(box)};
}

namespace detail {

template <class View>
concept has_data_handle = requires(const View& view) {
  { *view.data_handle() };
};

template <class View>
concept has_data = requires(const View& view) {
  { *view.data() };
};

template <class View>
constexpr auto* data_of(const View& view) {
  if constexpr (has_data_handle<View>) {
    return view.data_handle();
  } else {
    return view.data();
  }
}

template <class View>
  requires requires { View::rank(); } || requires { View::rank; }
constexpr std::size_t rank_of() {
  if constexpr (requires { View::rank(); }) {
    return static_cast<std::size_t>(View::rank());
  } else {
    return static_cast<std::size_t>(View::rank);
  }
}

}  // namespace detail

/// A type with extents and strides, such as `std::mdspan` and `Kokkos::View`.
template <class View>
concept mdspan_like = (detail::has_data_handle<View> || detail::has_data<View>) &&
                      requires(const View& view, std::size_t dim) {
                        { view.extent(dim) } -> std::convertible_to<std::ptrdiff_t>;
                        { view.stride(dim) } -> std::convertible_to<std::ptrdiff_t>;
                        { detail::rank_of<View>() } -> std::same_as<std::size_t>;
                      };

/// Halo widths on both sides of one dimension. Units: cells.
struct halo_width {
  std::ptrdiff_t minus = 0;
  std::ptrdiff_t plus = 0;
};

/// A field of all of `view`, whose outermost `widths[d]` cells are the halo.
///
/// Errors: `halo::error` (`bad_axis`) if nothing is left inside.
template <mdspan_like View>
[[nodiscard]] constexpr auto field(const View& view,
                                   const std::array<halo_width, detail::rank_of<View>()>& widths,
                                   std::source_location where = std::source_location::current()) {
  constexpr std::size_t num_dims = detail::rank_of<View>();
  static_assert(num_dims >= 1 && num_dims <= detail::max_dims, "a field has 1 to 4 dimensions");
  using value = std::remove_pointer_t<decltype(detail::data_of(view))>;
  field_view<value, num_dims> made{.data = detail::data_of(view)};
  for (std::size_t d = 0; d < num_dims; ++d) {
    const auto length = static_cast<std::ptrdiff_t>(view.extent(d));
    made.box[d] = axis(widths[d].minus,
                       widths[d].plus,
                       widths[d].minus,
                       length - 1 - widths[d].plus,
                       length,
                       where);
    made.strides[d] = static_cast<std::ptrdiff_t>(view.stride(d));
  }
  return made;
}

/// The same with one width for all sides.
template <mdspan_like View>
[[nodiscard]] constexpr auto field(const View& view,
                                   std::ptrdiff_t width,
                                   std::source_location where = std::source_location::current()) {
  std::array<halo_width, detail::rank_of<View>()> widths;
  widths.fill({width, width});
  return field(view, widths, where);
}

}  // namespace weft::halo

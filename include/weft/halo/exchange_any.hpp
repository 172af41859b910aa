// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halo exchange of fields that differ in type, layout, size and halo widths.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/halo/cart.hpp"
#include "weft/halo/detail/engine.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/exchange.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/pending.hpp"
#include "weft/halo/shared_field.hpp"
#include "weft/halo/tuning.hpp"

namespace weft::halo {

namespace detail {
template <class Value, std::size_t num_dims>
field_view<Value, num_dims> view_of(const field_view<Value, num_dims>& field) {
  return field;
}
template <class Value, class Layout>
field_view<Value, Layout::num_dims> view_of(const shared_field<Value, Layout>& field) {
  return field.view();
}
}  // namespace detail

/// A `field_view` or a `shared_field` of this number of dimensions.
template <class Field, std::size_t num_dims>
concept any_field = requires(const Field& field) {
  { detail::view_of(field).shape() } -> std::same_as<detail::shape>;
  requires Field::num_dims == num_dims;
};

/// As many of them as there are at run time: a vector, array or span.
template <class Fields, std::size_t num_dims>
concept any_fields = std::ranges::input_range<const Fields&> &&
                     any_field<std::ranges::range_value_t<const Fields&>, num_dims>;

/// Fills the halos of any fields together: each has its own type, layout, axes and halo widths.
///
/// As `exchange`, but the descriptors come with the fields. The plan for a list of descriptors is
/// kept and reused, so only the first exchange of such fields plans. Planning is collective: a new
/// list must be new on all ranks, or some wait for ever.
/// Cost:    messages have exactly the bytes of the fields passed.
/// Errors:  as `exchange`, where a list is planned as at construction there.
/// Source:  Bianco, "An interface for halo exchange pattern": halo_exchange_generic.
/// Example: tests/halo/exchange_test.cpp:
///          nothing_is_allocated_and_mpi_is_asked_nothing_after_the_first.
template <std::size_t dims, class Space = host>
class exchange_any {
  static_assert(std::same_as<Space, host>, "fields of an exchange lie in halo::host memory");

 public:
  static constexpr std::size_t num_dims = dims;

  explicit exchange_any(const cart<num_dims>& grid,
                        const exchange_options& options = {},
                        std::source_location where = std::source_location::current())
      : engines_(grid.shared_grid(), options, where) {}

  /// Exchanges.
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  void operator()(const Fields&... fields) {
    const auto all = addresses(fields...);
    detail::engine& running = *engine_for(false, fields...);
    running.begin(all);
    running.finish();
  }
  /// Begins an exchange, and returns what to wait for.
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  [[nodiscard]] pending<num_dims> start(const Fields&... fields) {
    const auto all = addresses(fields...);
    const std::shared_ptr<detail::engine> running = engine_for(false, fields...);
    running->begin(all);
    return pending<num_dims>(running);
  }
  /// The same with a range of fields of one kind, as many as there are.
  template <any_fields<dims> Fields>
  void operator()(const Fields& fields) {
    detail::engine& running = *engine_of(fields);
    running.begin(pointers_);
    running.finish();
  }
  template <any_fields<dims> Fields>
  [[nodiscard]] pending<num_dims> start(const Fields& fields) {
    const std::shared_ptr<detail::engine> running = engine_of(fields);
    running->begin(pointers_);
    return pending<num_dims>(running);
  }
  /// The steps one by one: `pack`, `start`, `wait`, `unpack`.
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  void pack(const Fields&... fields) {
    packed_ = engine_for(false, fields...);
    packed_->pack(addresses(fields...));
  }
  void start() { packed().start(); }
  void wait() { packed().wait(); }
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  void unpack(const Fields&... fields) {
    packed().unpack(addresses(fields...));
  }
  /// An exchange of just these fields. It may be under way at the same time as others.
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  [[nodiscard]] bound_exchange<num_dims> bind(const Fields&... fields) {
    engines_.check_number(sizeof...(Fields));
    const auto all = addresses(fields...);
    const std::array<detail::shape, sizeof...(Fields)> shapes{detail::view_of(fields).shape()...};
    return {engines_.make(shapes), {all.begin(), all.end()}};
  }
  /// As `exchange::reverse`; `op` must take two values of each field's type, and not throw.
  template <class Op, any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  void reverse(const Op& op, const Fields&... fields) {
    const auto all = addresses(fields...);
    const std::array<detail::combining, sizeof...(Fields)> how{
        detail::combine_by<std::remove_reference_t<decltype(*detail::view_of(fields).data)>>(
            op)...};
    detail::engine& running = *engine_for(true, fields...);
    running.begin(all);
    running.unpack(all, how);
  }
  /// As `exchange::tune`, for fields like these.
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  tuning tune(const tuning_options& how, const Fields&... fields) {
    engines_.check_number(sizeof...(Fields));
    const std::array<detail::shape, sizeof...(Fields)> shapes{detail::view_of(fields).shape()...};
    return engines_.tune(shapes, addresses(fields...), how);
  }
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  tuning tune(const Fields&... fields) {
    return tune(tuning_options(), fields...);
  }
  /// As `exchange::self_test`, for fields like these; they themselves are not touched.
  template <any_field<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  void self_test(const Fields&... fields) {
    engine_for(false, fields...)->self_test();
  }
  /// The transfers, their paths, and how long each takes on this rank.
  [[nodiscard]] std::string report() const { return engines_.report(); }

 private:
  template <class... Fields>
  static std::array<std::byte*, sizeof...(Fields)> addresses(const Fields&... fields) {
    return {detail::bytes_of(detail::view_of(fields).data)...};
  }
  template <class... Fields>
  std::shared_ptr<detail::engine> engine_for(bool is_reverse, const Fields&... fields) {
    engines_.check_number(sizeof...(Fields));
    const std::array<detail::shape, sizeof...(Fields)> shapes{detail::view_of(fields).shape()...};
    return engines_.find(shapes, is_reverse);
  }
  template <class Fields>
  std::shared_ptr<detail::engine> engine_of(const Fields& fields) {
    shapes_.clear();
    pointers_.clear();
    for (const auto& each : fields) {
      const auto view = detail::view_of(each);
      shapes_.push_back(view.shape());
      pointers_.push_back(detail::bytes_of(view.data));
    }
    if (shapes_.empty()) {
      engines_.refuse(errc::bad_field, "no field passed");
    }
    engines_.check_number(shapes_.size());
    return engines_.find(shapes_, false);
  }
  detail::engine& packed() const {
    if (packed_ == nullptr) {
      engines_.refuse(errc::wrong_state, "call pack(fields...) first");
    }
    return *packed_;
  }

  detail::engine_cache engines_;
  std::shared_ptr<detail::engine> packed_;
  std::vector<detail::shape> shapes_;  // of a range, as the next
  std::vector<std::byte*> pointers_;
};

}  // namespace weft::halo

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halo exchange of fields of one type and one shape, whose addresses are known when it happens.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/detail/engine.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/layout.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/pending.hpp"
#include "weft/halo/shared_field.hpp"
#include "weft/halo/tuning.hpp"

namespace weft::halo {

/// Fields lie in ordinary memory.
struct host {};

namespace detail {

inline std::byte* bytes_of(void* data) { return static_cast<std::byte*>(data); }

/// `into[i] = op(into[i], from[i])`; `from` may be a buffer, in which nothing is aligned.
template <class Value, class Op>
void combine_cells(const void* op, std::byte* into, const std::byte* from, std::ptrdiff_t count) {
  for (std::ptrdiff_t n = 0; n < count; ++n) {
    Value own;
    Value other;
    std::memcpy(&own, into, sizeof(Value));
    std::memcpy(&other, from, sizeof(Value));
    own = (*static_cast<const Op*>(op))(own, other);
    std::memcpy(into, &own, sizeof(Value));
    into += sizeof(Value);
    from += sizeof(Value);
  }
}

template <class Value, class Op>
combining combine_by(const Op& op) {
  static_assert(std::is_invocable_r_v<Value, const Op&, Value, Value>,
                "reverse(op, ...) takes an op(Value, Value) -> Value, as std::plus<>");
  return {.combine = combine_cells<Value, Op>, .op = &op};
}

}  // namespace detail

/// An exchange of the same fields, repeatedly: their addresses are known, so messages and
/// addresses of neighbours' cells are made once.
///
/// Threads: collective, as `exchange`.
template <std::size_t num_dims>
class bound_exchange {
 public:
  /// For `bind()`.
  bound_exchange(std::shared_ptr<detail::engine> running, std::vector<std::byte*> fields)
      : engine_(std::move(running)), fields_(std::move(fields)) {}

  void operator()() {
    engine_->begin(fields_);
    engine_->finish();
  }
  pending<num_dims> start() {
    engine_->begin(fields_);
    return pending<num_dims>(engine_);
  }
  [[nodiscard]] std::string report() const { return engine_->report(); }

 private:
  std::shared_ptr<detail::engine> engine_;
  std::vector<std::byte*> fields_;
};

/// A pointer to, or a `shared_field` of, what an exchange is for.
template <class Field, class Value, class Layout>
concept field_of = std::convertible_to<Field, Value*> ||
                   std::same_as<std::remove_cvref_t<Field>, shared_field<Value, Layout>>;

/// Fills the halos of any number of fields that have the same type and the same axes.
///
/// After an exchange each halo cell that has a neighbour in its direction equals the cell that it
/// copies, edges and corners included. Halo cells beyond a non-periodic boundary, and padding, keep
/// their values.
/// Shape:   each field is `box[d].length` long in dimension d, its cells as `Layout` says.
/// Cost:    on one node one copy for fields from `make_field`, without MPI. Other fields, and rows
///          of less than 128 B of any field, go through a staging area. To other nodes one message
///          per rank. After the first exchange of a number of fields nothing is allocated, and MPI
///          is not queried.
/// Threads: all calls are collective over the grid, in one order on all ranks, from one thread.
/// Errors:  `halo::error`. Invalid descriptors, and descriptors that do not fit the neighbours',
///          throw at construction on all ranks. Invalid pointers in a call throw only on their
///          rank, before anything is sent. The other ranks wait until that rank passes valid
///          pointers.
/// Source:  Bianco, "An interface for halo exchange pattern": halo_exchange_dynamic_ut.
/// Example: tests/halo/exchange_test.cpp: pointers_come_one_by_one_or_as_a_span.
template <trivially_exchangeable Value, field_layout Layout, class Space = host>
class exchange {
  static_assert(std::same_as<Space, host>, "fields of an exchange lie in halo::host memory");

 public:
  static constexpr std::size_t num_dims = Layout::num_dims;

  exchange(const cart<num_dims>& grid,
           const axes<num_dims>& box,
           const exchange_options& options = {},
           const Layout& how = {},
           std::source_location where = std::source_location::current())
      : engines_(grid.shared_grid(), options, where),
        shape_(detail::shape_of<Value>(box, how.strides(box))) {
    static_cast<void>(engine_for(detail::num_announced(options.max_fields)));
  }

  /// Exchanges.
  template <field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  void operator()(const Fields&... fields) {
    const auto all = addresses(fields...);
    detail::engine& running = *engine_for(all.size());
    running.begin(all);
    running.finish();
  }
  void operator()(std::span<Value* const> fields) {
    const auto& all = addresses_of(fields);
    detail::engine& running = *engine_for(all.size());
    running.begin(all);
    running.finish();
  }

  /// Begins an exchange, and returns what to wait for.
  template <field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  [[nodiscard]] pending<num_dims> start(const Fields&... fields) {
    const auto all = addresses(fields...);
    return begin(all);
  }
  [[nodiscard]] pending<num_dims> start(std::span<Value* const> fields) {
    return begin(addresses_of(fields));
  }

  /// The steps one by one: `pack`, `start`, `wait`, `unpack`. The fields must stay as they are
  /// between the first and the last. An exchange that ends between `start` and `unpack` does the
  /// rest first, so its fields must still be there.
  template <field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  void pack(const Fields&... fields) {
    pack_all(addresses(fields...));
  }
  void pack(std::span<Value* const> fields) { pack_all(addresses_of(fields)); }
  void start() { packed().start(); }
  void wait() { packed().wait(); }
  template <field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  void unpack(const Fields&... fields) {
    const auto all = addresses(fields...);
    packed().unpack(all);
  }
  void unpack(std::span<Value* const> fields) { packed().unpack(addresses_of(fields)); }

  /// An exchange of just these fields. It may be under way at the same time as others.
  template <field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  [[nodiscard]] bound_exchange<num_dims> bind(const Fields&... fields) {
    const auto all = addresses(fields...);
    engines_.check_number(all.size());
    return {engines_.make(shapes(all.size())), {all.begin(), all.end()}};
  }

  /// The opposite direction: each cell becomes `op` of itself and of all its copies in halos of
  /// neighbours, in a fixed order. Halos keep their values.
  /// Errors:  `op` must not throw: its rank would leave the others in the middle of an exchange.
  template <class Op, field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  void reverse(const Op& op, const Fields&... fields) {
    const auto all = addresses(fields...);
    std::array<detail::combining, sizeof...(Fields)> how;
    how.fill(detail::combine_by<Value>(op));
    engines_.check_number(all.size());
    detail::engine& running = *engines_.find(shapes(all.size()), true);
    running.begin(all);
    running.unpack(all, how);
  }

  /// Exchanges these fields by every packing and schedule, times them, and uses the fastest from
  /// then on for this number of fields, bound or not. All ranks choose the same.
  ///
  /// Cost:    makes a plan for each candidate, and some 30 exchanges; memory for four plans. None
  ///          of that if the choice is in `how.file`.
  /// Errors:  `halo::error` on all ranks: a file that is no tuning file (`bad_file`), options that
  ///          differ between ranks. Then nothing has changed.
  /// Example: tests/halo/tuning_test.cpp: all_ranks_choose_the_same_and_cells_stay_right.
  template <field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  tuning tune(const tuning_options& how, const Fields&... fields) {
    const auto all = addresses(fields...);
    engines_.check_number(all.size());
    tuning found = engines_.tune(shapes(all.size()), all, how);
    if (all.size() < by_number_.size()) {
      by_number_[all.size()] = nullptr;
    }
    return found;
  }
  template <field_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  tuning tune(const Fields&... fields) {
    return tune(tuning_options(), fields...);
  }

  /// Exchanges fields whose cells are numbered and checks every cell of them: finds wrong maps,
  /// layouts and descriptors. Needs the memory of `num_fields` fields for as long as it takes.
  /// Errors: `halo::error` (`validation_failed`) on all ranks, with the first wrong cell.
  void self_test(std::size_t num_fields = 1) { engine_for(num_fields)->self_test(); }

  /// The transfers, their paths, and how long each takes on this rank.
  [[nodiscard]] std::string report() const { return engines_.report(); }

 private:
  std::byte* address(const shared_field<Value, Layout>& field) const {
    if (field.view().shape() != shape_) {
      engines_.refuse(errc::bad_field,
                      "the field's axes are not those that the exchange was made with; make_field "
                      "pads rows, so make the exchange with field.box()");
    }
    return detail::bytes_of(field.data());
  }
  std::byte* address(Value* field) const { return detail::bytes_of(field); }

  template <class... Fields>
  std::array<std::byte*, sizeof...(Fields)> addresses(const Fields&... fields) const {
    return {address(fields)...};
  }
  const std::vector<std::byte*>& addresses_of(std::span<Value* const> fields) {
    if (fields.empty()) {
      engines_.refuse(errc::bad_field, "no field passed");
    }
    pointers_.clear();
    for (Value* const each : fields) {
      pointers_.push_back(detail::bytes_of(each));
    }
    return pointers_;
  }

  std::span<const detail::shape> shapes(std::size_t num_fields) {
    if (shapes_.size() < num_fields) {
      shapes_.resize(num_fields, shape_);
    }
    return std::span(shapes_).first(num_fields);
  }
  const std::shared_ptr<detail::engine>& engine_for(std::size_t num_fields) {
    engines_.check_number(num_fields);
    if (by_number_.size() <= num_fields) {
      by_number_.resize(num_fields + 1);
    }
    if (by_number_[num_fields] == nullptr) {
      by_number_[num_fields] = engines_.find(shapes(num_fields), false);
    }
    return by_number_[num_fields];
  }
  pending<num_dims> begin(std::span<std::byte* const> all) {
    const std::shared_ptr<detail::engine>& running = engine_for(all.size());
    running->begin(all);
    return pending<num_dims>(running);
  }
  void pack_all(std::span<std::byte* const> all) {
    packed_ = engine_for(all.size());
    packed_->pack(all);
  }
  detail::engine& packed() const {
    if (packed_ == nullptr) {
      engines_.refuse(errc::wrong_state, "call pack(fields...) first");
    }
    return *packed_;
  }

  detail::engine_cache engines_;
  detail::shape shape_;
  std::vector<detail::shape> shapes_;
  std::vector<std::shared_ptr<detail::engine>> by_number_;
  std::shared_ptr<detail::engine> packed_;
  std::vector<std::byte*> pointers_;
};

}  // namespace weft::halo

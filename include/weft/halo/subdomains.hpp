// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several subdomains per rank, on whichever ranks: for load balance, and for blocks that fit
// caches.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/layout.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/shared_field.hpp"

namespace weft::halo {

/// How subdomains are arranged, and whose they are.
template <std::size_t num_dims>
struct subdomain_options {
  std::array<int, num_dims> dims{};  // subdomains along each dimension of the data; at least 1
  std::array<bool, num_dims> periodic{};
  /// The rank of each, the last dimension the fastest. Empty: to each rank as many in a row, or
  /// one more where they do not divide evenly.
  std::vector<int> owners = {};
};

namespace detail {

/// Subdomains, whatever their number of dimensions.
class subdomain_map {
 public:
  subdomain_map(MPI_Comm comm,
                std::size_t num_dims,
                const std::array<int, max_dims>& dims,
                const std::array<bool, max_dims>& periodic,
                std::vector<int> owners,
                const std::source_location& where);

  [[nodiscard]] const std::shared_ptr<grid>& processes() const noexcept { return processes_; }
  [[nodiscard]] std::size_t num_dims() const noexcept { return num_dims_; }
  [[nodiscard]] const std::vector<int>& mine() const noexcept { return mine_; }
  [[nodiscard]] int num_subdomains() const noexcept { return static_cast<int>(owners_.size()); }
  [[nodiscard]] int owner(int number) const { return owners_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] std::array<int, max_dims> coords(int number) const;
  /// -1: no owner.
  [[nodiscard]] int neighbour(int number, const direction& towards) const;

 private:
  std::shared_ptr<grid> processes_;
  std::size_t num_dims_;
  std::array<int, max_dims> dims_;
  std::array<bool, max_dims> periodic_;
  std::vector<int> owners_;
  std::vector<int> mine_;
};

/// Errors: `halo::error` on all ranks for axes that are not one set per subdomain of this rank
/// (`bad_field`) or do not fit (`bad_axis`, `narrow_inner`).
void check_boxes(const subdomain_map& among,
                 std::span<const shape> boxes,
                 const std::source_location& where);

/// The data of an exchange of `num_fields` fields. `parts`: of this rank, the same number for each
/// field, those of a field in a row.
/// Errors: those of `check_boxes`.
[[nodiscard]] std::unique_ptr<transfer_set> halos_of(const subdomain_map& among,
                                                     std::span<const shape> parts,
                                                     std::size_t num_fields,
                                                     const exchange_options& options,
                                                     const std::source_location& where);

}  // namespace detail

/// A grid of subdomains, each of which belongs to some rank. Copies are the same subdomains.
///
/// Threads: construction and the end of the last copy are collective over the communicator.
/// Errors:  `halo::error` on all ranks. `bad_grid`: dims below 1, or owners that are not one rank
///          per subdomain. `ranks_disagree`: dims, periodicity or owners that differ between ranks.
/// Example: tests/halo/subdomains_test.cpp: every_cell_is_right_whoever_owns_what.
template <std::size_t num_dims>
class subdomains {
  static_assert(num_dims >= 1 && num_dims <= detail::max_dims, "a grid has 1 to 4 dimensions");

 public:
  subdomains(MPI_Comm comm,
             const subdomain_options<num_dims>& options,
             std::source_location where = std::source_location::current())
      : map_(std::make_shared<detail::subdomain_map>(comm,
                                                     num_dims,
                                                     detail::widened(options.dims, 1),
                                                     detail::widened(options.periodic, false),
                                                     options.owners,
                                                     where)) {}

  /// Numbers of this rank's, ascending. A number counts all subdomains, the last dimension fastest.
  [[nodiscard]] const std::vector<int>& mine() const noexcept { return map_->mine(); }
  /// Of all ranks together.
  [[nodiscard]] int num_subdomains() const noexcept { return map_->num_subdomains(); }
  [[nodiscard]] int owner(int number) const { return map_->owner(number); }
  [[nodiscard]] std::array<int, num_dims> coords(int number) const {
    return detail::narrowed<num_dims>(map_->coords(number));
  }
  /// The number of the next one towards `towards`, each -1, 0 or 1; may be `number` itself.
  [[nodiscard]] std::optional<int> neighbour(int number,
                                             const std::array<int, num_dims>& towards) const {
    const int found = map_->neighbour(number, detail::widened(towards, 0));
    return found < 0 ? std::nullopt : std::optional<int>(found);
  }

  /// For exchanges and fields.
  [[nodiscard]] const detail::subdomain_map& map() const noexcept { return *map_; }

 private:
  std::shared_ptr<detail::subdomain_map> map_;
};

/// The parts of a field, one for each subdomain of this rank, in memory that the ranks of a node
/// share; `make_field` makes it. It is what an exchange of subdomains takes for a field.
///
/// Threads: as `shared_field`.
template <trivially_exchangeable Value, field_layout Layout>
class shared_parts {
  static_assert(std::is_empty_v<Layout>, "make_field lays cells out densely; take right or left");

 public:
  static constexpr std::size_t num_dims = Layout::num_dims;

  shared_parts(std::shared_ptr<detail::grid> processes,
               std::vector<axes<num_dims>> boxes,
               const std::source_location& where)
      : boxes_(std::move(boxes)), memory_(std::move(processes), starts(boxes_).back(), {}, where) {
    const std::vector<std::size_t> at = starts(boxes_);
    for (std::size_t part = 0; part < boxes_.size(); ++part) {
      Value* const data = reinterpret_cast<Value*>(memory_.data() + at[part]);
      // By its owner: that is where its pages then are.
      std::uninitialized_value_construct_n(data, detail::num_cells(boxes_[part]));
      parts_.push_back(data);
    }
  }

  /// In the order of `subdomains::mine()`.
  [[nodiscard]] std::size_t num_parts() const noexcept { return parts_.size(); }
  [[nodiscard]] field_view<Value, num_dims> part(std::size_t number) const {
    const axes<num_dims>& box = boxes_[number];
    return {.data = parts_[number], .box = box, .strides = Layout().strides(box)};
  }
  /// What exchanges of this field are to be made with: rows may be longer than was asked for.
  [[nodiscard]] const std::vector<axes<num_dims>>& boxes() const noexcept { return boxes_; }
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for its parts
  operator std::span<Value* const>() const noexcept { return parts_; }

 private:
  /// Where in the memory each part begins; at last, where the memory ends. Units: bytes.
  static std::vector<std::size_t> starts(const std::vector<axes<num_dims>>& boxes) {
    constexpr std::size_t lines = 128;  // two cache lines: processors fetch them in pairs
    std::vector<std::size_t> at{0};
    for (const axes<num_dims>& each : boxes) {
      constexpr std::size_t most = std::numeric_limits<std::size_t>::max() - lines;
      const std::size_t bytes = detail::saturating_product(detail::num_cells(each), sizeof(Value));
      at.push_back(bytes > most - at.back() ? most
                                            : at.back() + (bytes + lines - 1) / lines * lines);
    }
    return at;
  }

  std::vector<axes<num_dims>> boxes_;
  detail::node_segment memory_;
  std::vector<Value*> parts_;
};

/// Makes a field of zeros in parts, one for each subdomain of this rank. Its memory is shared by
/// the ranks of a node, so that halos between subdomains of two ranks are one copy.
///
/// Rows are padded as by the `make_field` of a `cart`: make exchanges with `boxes()` of the field.
/// Cost:    one MPI window per field.
/// Threads: collective over the ranks of `among`, as is the field's end.
/// Errors:  `halo::error` on all ranks for boxes that are not one per subdomain (`bad_field`) or do
///          not fit (`bad_axis`, `narrow_inner`).
/// Example: tests/halo/subdomains_test.cpp: ranks_of_a_node_read_each_others_parts.
template <trivially_exchangeable Value,
          std::size_t num_dims,
          field_layout Layout = layout::right<num_dims>>
  requires(Layout::num_dims == num_dims)
[[nodiscard]] shared_parts<Value, Layout> make_field(
    const subdomains<num_dims>& among,
    std::type_identity_t<std::span<const axes<num_dims>>> boxes,
    const Layout& how = {},
    padding rows = padding::automatic,
    std::source_location where = std::source_location::current()) {
  std::vector<axes<num_dims>> made(boxes.begin(), boxes.end());
  std::vector<detail::shape> shapes;
  shapes.reserve(made.size());
  for (const axes<num_dims>& each : made) {
    shapes.push_back(detail::shape_of<Value>(each, how.strides(each)));
  }
  detail::check_boxes(among.map(), shapes, where);
  for (axes<num_dims>& each : made) {
    each = rows == padding::automatic ? without_aliasing<Value, Layout>(each, how) : each;
  }
  return {among.map().processes(), std::move(made), where};
}

namespace detail {

template <class Parts>
inline constexpr bool is_shared_parts = false;
template <class Value, class Layout>
inline constexpr bool is_shared_parts<shared_parts<Value, Layout>> = true;

}  // namespace detail

/// The argument of an exchange of subdomains for one field: pointers to its parts on this rank, or
/// a `shared_parts` of its own layout.
template <class Parts, class Value, class Layout>
concept parts_of =
    std::same_as<Parts, shared_parts<Value, Layout>> ||
    (std::convertible_to<const Parts&, std::span<Value* const>> && !detail::is_shared_parts<Parts>);

/// Fills the halos of fields that lie in several parts on each rank, one for each of its
/// subdomains.
///
/// After it each halo cell of each part equals the cell that it is a copy of, as after `exchange`.
/// Shape:   part n of a field belongs to subdomain `mine()[n]` and has the axes `boxes[n]`; for
///          fields of `make_field` those of its `boxes()`.
/// Cost:    copies within a rank. From other ranks of the node one copy out of fields of
///          `make_field`, two of others, without messages; one message per pair of other ranks.
///          Nothing is allocated after the first exchange of a number of fields. `packing`,
///          `directions`, `transport` and `executor` as in `exchange`.
/// Threads: construction, the first exchange of a number of fields, and the end are collective.
/// Errors:  `halo::error` as `exchange`, on all ranks where a plan is made; on one rank alone for
///          parts there that overlap in memory, halos included.
/// Example: tests/halo/subdomains_test.cpp: every_cell_is_right_whoever_owns_what.
template <trivially_exchangeable Value, field_layout Layout>
class subdomain_exchange {
 public:
  static constexpr std::size_t num_dims = Layout::num_dims;

  subdomain_exchange(const subdomains<num_dims>& among,
                     std::span<const axes<num_dims>> boxes,
                     const exchange_options& options = {},
                     const Layout& how = {},
                     std::source_location where = std::source_location::current())
      : among_(among), options_(options), where_(where) {
    for (const axes<num_dims>& each : boxes) {
      boxes_.push_back(detail::shape_of<Value>(each, how.strides(each)));
    }
    static_cast<void>(plan_for(1));
  }

  /// Exchanges fields, each given by its parts.
  template <parts_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  void operator()(const Fields&... fields) {
    start(fields...);
    wait();
  }
  template <parts_of<Value, Layout>... Fields>
    requires(sizeof...(Fields) > 0)
  void start(const Fields&... fields) {
    if (started_ != nullptr && started_->is_under_way()) {  // maybe of another number of fields
      refuse(errc::wrong_state, "a started exchange has not ended; call wait() first");
    }
    pointers_.clear();
    (append(fields), ...);
    detail::transfer_set& plan = plan_for(sizeof...(Fields));
    started_ = &plan;
    plan.start(pointers_);
  }
  /// True: all halos are filled. Does what can be done without waiting.
  [[nodiscard]] bool test() { return started_ == nullptr || started_->test(); }
  void wait() {
    if (started_ == nullptr) {
      refuse(errc::wrong_state, "wait() without start() before it");
    }
    started_->wait();
  }
  /// The transfers to and from each rank and their paths, for each number of fields.
  [[nodiscard]] std::string report() const {
    std::string text;
    for (const auto& each : plans_) {
      text += each == nullptr ? "" : each->report();
    }
    return text;
  }

 private:
  void append(std::span<Value* const> parts) {
    if (parts.size() != boxes_.size()) {
      refuse(errc::bad_field,
             std::to_string(parts.size()) + " parts passed, this rank has " +
                 std::to_string(boxes_.size()) + " subdomains");
    }
    for (Value* const each : parts) {
      pointers_.push_back(reinterpret_cast<std::byte*>(each));
    }
  }
  void append(const shared_parts<Value, Layout>& field) {
    for (std::size_t n = 0; n < field.num_parts() && n < boxes_.size(); ++n) {
      if (field.part(n).shape() != boxes_[n]) {
        refuse(errc::bad_field,
               "part " + std::to_string(n) +
                   " of the field has other axes than the exchange; make_field pads rows, so "
                   "make the exchange with field.boxes()");
      }
    }
    append(std::span<Value* const>(field));
  }
  [[noreturn]] void refuse(errc code, const std::string& why) const {
    throw error(code, why, std::nullopt, where_);
  }
  detail::transfer_set& plan_for(std::size_t num_fields) {
    if (plans_.size() <= num_fields) {
      plans_.resize(num_fields + 1);
    }
    if (plans_[num_fields] == nullptr) {
      std::vector<detail::shape> parts;
      for (std::size_t n = 0; n < num_fields; ++n) {
        parts.insert(parts.end(), boxes_.begin(), boxes_.end());
      }
      plans_[num_fields] = detail::halos_of(among_.map(), parts, num_fields, options_, where_);
    }
    return *plans_[num_fields];
  }

  subdomains<num_dims> among_;
  exchange_options options_;
  std::source_location where_;
  std::vector<detail::shape> boxes_;
  std::vector<std::unique_ptr<detail::transfer_set>> plans_;  // by number of fields
  std::vector<std::byte*> pointers_;
  detail::transfer_set* started_ = nullptr;
};

}  // namespace weft::halo

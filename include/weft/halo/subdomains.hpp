// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several subdomains per rank, on whichever ranks: for load balance, and for blocks that fit
// caches.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
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

namespace weft::halo {

/// How subdomains are arranged, and whose they are.
template <std::size_t num_dims>
struct subdomain_options {
  std::array<int, num_dims> dims{};  // subdomains along each dimension of the data; at least 1
  std::array<bool, num_dims> periodic{};
  /// The rank of each, the last dimension the fastest. Empty: as many in a row to each rank as
  /// there are for it, the first ranks one more.
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
  /// -1: nobody.
  [[nodiscard]] int neighbour(int number, const direction& towards) const;

 private:
  std::shared_ptr<grid> processes_;
  std::size_t num_dims_;
  std::array<int, max_dims> dims_;
  std::array<bool, max_dims> periodic_;
  std::vector<int> owners_;
  std::vector<int> mine_;
};

/// What an exchange of `num_fields` fields, each with `boxes.size()` parts on this rank, moves.
/// Errors: `halo::error` on all ranks for axes that do not fit (`bad_axis`, `narrow_inner`).
[[nodiscard]] std::unique_ptr<transfer_set> halos_of(const subdomain_map& among,
                                                     std::span<const shape> boxes,
                                                     std::size_t num_fields,
                                                     const exchange_options& options,
                                                     const std::source_location& where);

}  // namespace detail

/// A grid of subdomains, each of which belongs to some rank. Copies are the same subdomains.
///
/// Threads: construction and the end of the last copy are collective over the communicator.
/// Errors:  `halo::error` (`bad_grid`) on all ranks: dims below 1, owners that are not one rank per
///          subdomain, or not the same on all ranks.
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

  /// For the exchange.
  [[nodiscard]] const detail::subdomain_map& map() const noexcept { return *map_; }

 private:
  std::shared_ptr<detail::subdomain_map> map_;
};

/// What an exchange of subdomains takes for one field: pointers to its parts on this rank.
template <class Parts, class Value>
concept parts_of = std::convertible_to<const Parts&, std::span<Value* const>>;

/// Fills the halos of fields that lie in several parts on each rank, one for each of its
/// subdomains.
///
/// After it each halo cell of each part equals the cell that it is a copy of, as after `exchange`.
/// Shape:   part n of a field belongs to subdomain `mine()[n]` and has the axes `boxes[n]`.
/// Cost:    one message per pair of ranks, copies within a rank. Nothing is allocated after the
///          first exchange of a number of fields. All `packing` there is; `directions` and
///          `executor` as in `exchange`. Memory is not shared with other ranks of the node.
/// Threads: construction, and the first exchange of a number of fields, are collective.
/// Errors:  `halo::error` as `exchange`, on all ranks where a plan is made.
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
      : among_(among), options_(options) {
    for (const axes<num_dims>& each : boxes) {
      boxes_.push_back(detail::shape_of<Value>(each, how.strides(each)));
    }
    static_cast<void>(plan_for(1, where));
  }

  /// Exchanges fields, each given by its parts.
  template <parts_of<Value>... Fields>
    requires(sizeof...(Fields) > 0)
  void operator()(const Fields&... fields) {
    start(fields...);
    wait();
  }
  template <parts_of<Value>... Fields>
    requires(sizeof...(Fields) > 0)
  void start(const Fields&... fields) {
    if (started_ != nullptr && started_->is_under_way()) {  // maybe of another number of fields
      throw error(errc::wrong_state, "what was started is under way; wait() comes first");
    }
    pointers_.clear();
    (append(fields), ...);
    detail::transfer_set& plan = plan_for(sizeof...(Fields), std::source_location::current());
    plan.start(pointers_);
    started_ = &plan;
  }
  /// True: all halos are filled. Does what can be done without waiting.
  [[nodiscard]] bool test() { return started_ == nullptr || started_->test(); }
  void wait() {
    if (started_ == nullptr) {
      throw error(errc::wrong_state, "wait() without start() before it");
    }
    started_->wait();
  }

 private:
  void append(std::span<Value* const> parts) {
    if (parts.size() != boxes_.size()) {
      throw error(errc::bad_field,
                  std::to_string(parts.size()) + " parts passed, this rank has " +
                      std::to_string(boxes_.size()) + " subdomains");
    }
    for (Value* const each : parts) {
      pointers_.push_back(reinterpret_cast<std::byte*>(each));
    }
  }
  detail::transfer_set& plan_for(std::size_t num_fields, const std::source_location& where) {
    if (plans_.size() <= num_fields) {
      plans_.resize(num_fields + 1);
    }
    if (plans_[num_fields] == nullptr) {
      plans_[num_fields] = detail::halos_of(among_.map(), boxes_, num_fields, options_, where);
    }
    return *plans_[num_fields];
  }

  subdomains<num_dims> among_;
  exchange_options options_;
  std::vector<detail::shape> boxes_;
  std::vector<std::unique_ptr<detail::transfer_set>> plans_;  // by number of fields
  std::vector<std::byte*> pointers_;
  detail::transfer_set* started_ = nullptr;
};

}  // namespace weft::halo

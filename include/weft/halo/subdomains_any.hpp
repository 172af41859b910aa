// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of different types and shapes in one exchange of subdomains.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/exchange.hpp"
#include "weft/halo/exchange_any.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/subdomains.hpp"

namespace weft::halo {

/// An argument of `subdomain_exchange_any` for one field: a `shared_parts`, or a range of
/// `field_view`, one for each subdomain of this rank.
template <class Parts, std::size_t num_dims>
concept any_parts =
    any_fields<Parts, num_dims> || (detail::is_shared_parts<Parts> && Parts::num_dims == num_dims);

/// Fills the halos of any fields of subdomains together: each has its own type, layout, axes and
/// halo widths.
///
/// As `subdomain_exchange`, but the descriptors come with the fields, as in `exchange_any`. A new
/// list of descriptors is planned collectively, so it must be new on all ranks.
/// Cost:    as `subdomain_exchange`; one message per pair of ranks for all fields.
/// Example: tests/halo/subdomains_test.cpp: fields_of_two_types_travel_together.
template <std::size_t dims>
class subdomain_exchange_any {
 public:
  static constexpr std::size_t num_dims = dims;

  explicit subdomain_exchange_any(const subdomains<num_dims>& among,
                                  const exchange_options& options = {},
                                  std::source_location where = std::source_location::current())
      : among_(among), options_(options), where_(where) {}

  /// Exchanges fields, each given by its parts.
  template <any_parts<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  void operator()(const Fields&... fields) {
    start(fields...);
    wait();
  }
  template <any_parts<dims>... Fields>
    requires(sizeof...(Fields) > 0)
  void start(const Fields&... fields) {
    if (!plans_.empty() && plans_.front().made->is_under_way()) {
      refuse(errc::wrong_state, "a started exchange has not ended; call wait() first");
    }
    shapes_.clear();
    pointers_.clear();
    (append(fields), ...);
    plan_for(sizeof...(Fields)).start(pointers_);
  }
  /// True: all halos are filled. Does what can be done without waiting.
  [[nodiscard]] bool test() { return plans_.empty() || plans_.front().made->test(); }
  void wait() {
    if (plans_.empty()) {
      refuse(errc::wrong_state, "wait() without start() before it");
    }
    plans_.front().made->wait();
  }
  /// The transfers to and from each rank and their paths, for each list of fields.
  [[nodiscard]] std::string report() const {
    std::string text;
    for (const plan& each : plans_) {
      text += each.made->report();
    }
    return text;
  }

 private:
  struct plan {
    std::vector<detail::shape> shapes;
    std::unique_ptr<detail::transfer_set> made;
  };

  [[noreturn]] void refuse(errc code, const std::string& why) const {
    throw error(code, why, std::nullopt, where_);
  }
  template <class Parts>
  void append(const Parts& field) {
    std::size_t num_parts = 0;
    const auto add = [&](const auto& part) {
      const auto view = detail::view_of(part);
      shapes_.push_back(view.shape());
      pointers_.push_back(detail::bytes_of(view.data));
      ++num_parts;
    };
    if constexpr (detail::is_shared_parts<Parts>) {
      for (std::size_t n = 0; n < field.num_parts(); ++n) {
        add(field.part(n));
      }
    } else {
      std::ranges::for_each(field, add);
    }
    if (num_parts != among_.mine().size()) {
      refuse(errc::bad_field,
             std::to_string(num_parts) + " parts passed, this rank has " +
                 std::to_string(among_.mine().size()) + " subdomains");
    }
  }
  /// That used last is first.
  detail::transfer_set& plan_for(std::size_t num_fields) {
    const auto found = std::ranges::find(plans_, shapes_, &plan::shapes);
    if (found == plans_.end()) {
      auto made = detail::halos_of(among_.map(), shapes_, num_fields, options_, where_);
      plans_.insert(plans_.begin(), {shapes_, std::move(made)});
    } else {
      std::rotate(plans_.begin(), found, found + 1);
    }
    return *plans_.front().made;
  }

  subdomains<num_dims> among_;
  exchange_options options_;
  std::source_location where_;
  std::vector<plan> plans_;
  std::vector<detail::shape> shapes_;
  std::vector<std::byte*> pointers_;
};

}  // namespace weft::halo

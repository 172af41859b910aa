// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GHEX: a pattern for this rank's domain, made once, and its exchange of fields bound to it.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <ghex/communication_object.hpp>
#include <ghex/context.hpp>
#include <ghex/structured/pattern.hpp>
#include <ghex/structured/regular/domain_descriptor.hpp>
#include <ghex/structured/regular/field_descriptor.hpp>
#include <ghex/structured/regular/halo_generator.hpp>
#include <gridtools/common/layout_map.hpp>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

using three_dims = std::integral_constant<int, 3>;
using domain = ghex::structured::regular::domain_descriptor<int, three_dims>;
using halos = ghex::structured::regular::halo_generator<int, three_dims>;
using cell = std::array<int, 3>;
/// By decreasing strides: C's order is 0, 1, 2.
using c_order = gridtools::layout_map<0, 1, 2>;

cell cell_of(const cells_3d& numbers) {
  return {static_cast<int>(numbers[0]), static_cast<int>(numbers[1]), static_cast<int>(numbers[2])};
}

/// This rank's cells among those of the world.
domain domain_of(const problem& what, const place& where) {
  cell first{};
  cell last{};
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = where.coords[d] * static_cast<int>(what.size[d]);
    last[d] = first[d] + static_cast<int>(what.size[d]) - 1;
  }
  return {where.rank, first, last};
}

halos halos_of(const problem& what, const place& where) {
  const cell first{};
  cell last{};
  for (std::size_t d = 0; d < 3; ++d) {
    last[d] = where.dims[d] * static_cast<int>(what.size[d]) - 1;
  }
  std::array<int, 6> widths{};
  widths.fill(static_cast<int>(what.width));
  std::array<bool, 3> periodic{};
  periodic.fill(what.is_periodic);
  return {first, last, widths, periodic};
}

auto wrapped(const domain& on, const problem& what, const fields& all, double* data) {
  const auto width = static_cast<int>(what.width);
  return ghex::wrap_field<ghex::cpu, c_order>(
      on,
      data,
      cell{width, width, width},
      cell_of({what.length(0), what.length(1), all.row_length}));
}

auto pattern_of(ghex::context& on, const halos& around, const std::vector<domain>& domains) {
  return ghex::make_pattern<ghex::structured::grid>(on, around, domains);
}

using field = decltype(wrapped(
    std::declval<domain>(), std::declval<problem>(), std::declval<fields>(), nullptr));
using pattern = decltype(pattern_of(
    std::declval<ghex::context&>(), std::declval<halos>(), std::declval<std::vector<domain>>()));
using communication =
    decltype(ghex::make_communication_object<pattern>(std::declval<ghex::context&>()));
using bound_field = decltype(std::declval<pattern&>()(std::declval<field&>()));

class by_pattern final : public contestant {
 public:
  by_pattern(const problem& what, const place& where, const own_fields& on)
      : all_(on.all()),
        context_(where.comm, false),
        domains_{domain_of(what, where)},
        pattern_(pattern_of(context_, halos_of(what, where), domains_)),
        communication_(ghex::make_communication_object<pattern>(context_)) {
    fields_.reserve(all_.data.size());
    for (double* const each : all_.data) {
      fields_.push_back(wrapped(domains_.front(), what, all_, each));
      bound_.push_back(pattern_(fields_.back()));
    }
  }

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override { under_way_ = communication_.exchange(bound_.begin(), bound_.end()); }
  void finish() override { under_way_.wait(); }

 private:
  const fields& all_;
  ghex::context context_;
  std::vector<domain> domains_;
  pattern pattern_;
  communication communication_;
  std::vector<field> fields_;
  std::vector<bound_field> bound_;
  communication::handle_type under_way_;
};

std::unique_ptr<contestant> made(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<by_pattern>(what, where, on);
}

constexpr std::array entries{entry{.name = "ghex", .make = made}};

}  // namespace

std::span<const entry> by_ghex() { return entries; }

}  // namespace weft::lab::halo_bench

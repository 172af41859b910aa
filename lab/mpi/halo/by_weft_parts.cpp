// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft's more general interfaces on the same cells: fields in parts, one per rank; and blocks that
// a program registers one by one.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/halo.hpp"

#include "lab/mpi/halo/neighbours.hpp"
#include "lab/mpi/halo/problem.hpp"
#include "lab/mpi/halo/weft_cases.hpp"

namespace weft::lab::halo_bench {
namespace {

using shared_part = halo::shared_parts<double, c_order>;
using own_part = std::array<double*, 1>;
using made = std::unique_ptr<contestant>;

/// `subdomain_exchange`, with one subdomain per rank.
template <class Part>
class parted final : public contestant {
 public:
  parted(const halo::subdomains<3>& among, const halo::axes<3>& box, std::vector<Part> parts)
      : parts_(std::move(parts)), exchange_(among, std::vector{box}) {
    for (const Part& each : parts_) {
      all_.data.push_back(std::span<double* const>(each).front());
    }
    all_.row_length = box[2].length;
  }

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override {
    spread(parts_, [&](const auto&... each) { exchange_.start(each...); });
  }
  void finish() override { exchange_.wait(); }
  void progress() override { static_cast<void>(exchange_.test()); }
  [[nodiscard]] bool has_progress() const override { return true; }
  [[nodiscard]] std::string report() const override { return exchange_.report(); }

 private:
  std::vector<Part> parts_;
  fields all_;
  halo::subdomain_exchange<double, c_order> exchange_;
};

/// `blocks`: one for each field and direction.
class registered final : public contestant {
 public:
  registered(const problem& what, const place& where, const fields& all)
      : all_(all), moved_(halo::cart<3>::adopt(where.comm)) {
    const std::vector<neighbour> around = neighbours_of(what, where);
    for (double* const each : all.data) {
      const auto cells = halo::field(each, box_of(what));
      for (const neighbour& to : around) {
        moved_.send(cells, block_of(to.sent), to.rank);
      }
      // The ranks that send here go through the opposite directions in that order.
      for (std::size_t n = around.size(); n-- > 0;) {
        moved_.receive(cells, block_of(around[n].received), around[n].rank);
      }
    }
  }

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override { moved_.start(); }
  void finish() override { moved_.wait(); }
  void progress() override { static_cast<void>(moved_.test()); }
  [[nodiscard]] bool has_progress() const override { return true; }
  [[nodiscard]] std::string report() const override { return moved_.report(); }

 private:
  static halo::block<3> block_of(const box& cells) {
    return {.first = cells.first, .cells = cells.count};
  }

  const fields& all_;
  halo::blocks<3> moved_;
};

halo::subdomains<3> subdomains_of(const problem& what, const place& where) {
  const bool each = what.is_periodic;
  return halo::subdomains<3>(where.comm, {.dims = where.dims, .periodic = {each, each, each}});
}

made own_parts(const problem& what, const place& where, const own_fields& on) {
  std::vector<own_part> parts;
  parts.reserve(on.all().data.size());
  for (double* const each : on.all().data) {
    parts.push_back({each});
  }
  return std::make_unique<parted<own_part>>(
      subdomains_of(what, where), box_of(what), std::move(parts));
}

made shared_parts(const problem& what, const place& where, const own_fields& /*on*/) {
  const halo::subdomains<3> among = subdomains_of(what, where);
  std::vector<shared_part> parts;
  parts.reserve(static_cast<std::size_t>(what.num_fields));
  for (int n = 0; n < what.num_fields; ++n) {
    parts.push_back(halo::make_field<double>(among, std::vector{box_of(what)}));
  }
  const halo::axes<3> box = parts.front().boxes().front();
  return std::make_unique<parted<shared_part>>(among, box, std::move(parts));
}

made own_blocks(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<registered>(what, where, on.all());
}

constexpr std::array entries{
    entry{.name = "weft_subdomains", .make = shared_parts, .must_be_named = true},
    entry{.name = "weft_subdomains_own_memory", .make = own_parts},
    entry{.name = "weft_blocks_own_memory", .make = own_blocks},
};

}  // namespace

std::span<const entry> by_weft_parts() { return entries; }

}  // namespace weft::lab::halo_bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GCL as GridTools ships it: its uniform exchange, with addresses passed at each call.
#include <array>
#include <memory>
#include <span>

#include <gridtools/gcl/halo_exchange.hpp>
#include <mpi.h>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

/// GridTools orders dimensions by decreasing stride: C's order is 0, 1, 2.
using c_order = gridtools::layout_map<0, 1, 2>;
using pattern =
    gridtools::gcl::halo_exchange_dynamic_ut<c_order, c_order, double, gridtools::gcl::cpu>;

class gcl final : public contestant {
 public:
  gcl(const problem& what, const place& where, const own_fields& on)
      : all_(on.all()),
        exchange_(
            pattern::grid_type::period_type(what.is_periodic, what.is_periodic, what.is_periodic),
            where.comm) {
    add<0>(what);
    add<1>(what);
    add<2>(what);
    exchange_.setup(what.num_fields);
  }

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override {
    exchange_.pack(all_.data);
    exchange_.start_exchange();
  }
  void finish() override {
    exchange_.wait();
    exchange_.unpack(all_.data);
  }
  [[nodiscard]] bool has_steps() const override { return true; }
  void pack() override { exchange_.pack(all_.data); }
  void transfer() override { exchange_.exchange(); }
  void unpack() override { exchange_.unpack(all_.data); }

 private:
  template <int dim>
  void add(const problem& what) {
    const auto width = static_cast<int>(what.width);
    const auto size = static_cast<int>(what.size[dim]);
    exchange_.template add_halo<dim>(width, width, width, width + size - 1, size + 2 * width);
  }

  const fields& all_;
  pattern exchange_;
};

std::unique_ptr<contestant> made(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<gcl>(what, where, on);
}

constexpr std::array entries{entry{.name = "gcl_dynamic_ut", .make = made}};

}  // namespace

std::span<const entry> by_gcl() { return entries; }

}  // namespace weft::lab::halo_bench

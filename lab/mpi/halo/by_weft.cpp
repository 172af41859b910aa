// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft's exchanges: with shared memory or without, addresses passed at each call or bound once, and
// each packing by messages.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/halo.hpp"

#include "lab/mpi/halo/problem.hpp"
#include "lab/mpi/halo/weft_cases.hpp"

namespace weft::lab::halo_bench {
namespace {

using shared_field = halo::shared_field<double, c_order>;

halo::cart<3> grid_of(const problem& what, const place& where) {
  return halo::cart<3>::adopt(where.comm,
                              {.periodic = {what.is_periodic, what.is_periodic, what.is_periodic}});
}

/// Fields made by `make_field`.
class shared_fields {
 public:
  shared_fields(const halo::cart<3>& grid, const problem& what) {
    for (int n = 0; n < what.num_fields; ++n) {
      made_.push_back(halo::make_field<double>(grid, box_of(what)));
      all_.data.push_back(made_.back().data());
    }
    all_.row_length = box()[2].length;
  }
  [[nodiscard]] const fields& all() const noexcept { return all_; }
  [[nodiscard]] const halo::axes<3>& box() const { return made_.front().box(); }

 private:
  std::vector<shared_field> made_;
  fields all_;
};

/// The common part of all: a running exchange.
class exchanging : public contestant {
 public:
  void finish() override {
    under_way_->wait();  // NOLINT(bugprone-unchecked-optional-access): only after `start`
    under_way_.reset();
  }
  void progress() override {
    under_way_->progress();  // NOLINT(bugprone-unchecked-optional-access): as above
  }
  [[nodiscard]] bool has_progress() const override { return true; }

 protected:
  void begin(halo::pending<3>&& pending) { under_way_.emplace(std::move(pending)); }

 private:
  std::optional<halo::pending<3>> under_way_;
};

/// `exchange`: addresses are passed at the call.
class late : public exchanging {
 public:
  late(const halo::cart<3>& grid,
       const halo::axes<3>& box,
       const fields& all,
       const halo::exchange_options& options)
      : all_(all), exchange_(grid, box, options) {}

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override { begin(exchange_.start(all_.data)); }
  void exchange() override { exchange_(all_.data); }
  [[nodiscard]] std::string report() const override { return exchange_.report(); }
  [[nodiscard]] bool has_steps() const override { return true; }
  void pack() override { exchange_.pack(all_.data); }
  void transfer() override {
    exchange_.start();
    exchange_.wait();
  }
  void unpack() override { exchange_.unpack(all_.data); }

 private:
  const fields& all_;
  halo::exchange<double, c_order> exchange_;
};

template <class Bound>
class bound : public exchanging {
 public:
  bound(const fields& all, Bound exchange) : all_(all), exchange_(std::move(exchange)) {}

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override { begin(exchange_.start()); }
  void exchange() override { exchange_(); }
  [[nodiscard]] std::string report() const override { return exchange_.report(); }

 private:
  const fields& all_;
  Bound exchange_;
};

/// Owns its fields, and another contestant that exchanges them.
class with_shared_fields final : public contestant {
 public:
  with_shared_fields(std::unique_ptr<shared_fields> memory, std::unique_ptr<contestant> inner)
      : memory_(std::move(memory)), inner_(std::move(inner)) {}

  [[nodiscard]] const fields& cells() const override { return memory_->all(); }
  void start() override { inner_->start(); }
  void finish() override { inner_->finish(); }
  void progress() override { inner_->progress(); }
  [[nodiscard]] bool has_progress() const override { return inner_->has_progress(); }
  void exchange() override { inner_->exchange(); }
  [[nodiscard]] std::string report() const override { return inner_->report(); }
  [[nodiscard]] bool has_steps() const override { return inner_->has_steps(); }
  void pack() override { inner_->pack(); }
  void transfer() override { inner_->transfer(); }
  void unpack() override { inner_->unpack(); }

 private:
  std::unique_ptr<shared_fields> memory_;
  std::unique_ptr<contestant> inner_;
};

std::vector<halo::field_view<double, 3>> views_of(const problem& what, const fields& all) {
  std::vector<halo::field_view<double, 3>> made;
  made.reserve(all.data.size());
  for (double* const each : all.data) {
    made.push_back(halo::field(each, box_of(what)));
  }
  return made;
}

/// `exchange_any`: descriptors are passed at the call.
class any final : public exchanging {
 public:
  any(const halo::cart<3>& grid, const problem& what, const fields& all)
      : all_(all), views_(views_of(what, all)), exchange_(grid) {}

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override {
    begin(spread(views_, [&](const auto&... each) { return exchange_.start(each...); }));
  }
  void exchange() override {
    spread(views_, [&](const auto&... each) { exchange_(each...); });
  }
  [[nodiscard]] bool has_steps() const override { return true; }
  void pack() override {
    spread(views_, [&](const auto&... each) { exchange_.pack(each...); });
  }
  void transfer() override {
    exchange_.start();
    exchange_.wait();
  }
  void unpack() override {
    spread(views_, [&](const auto&... each) { exchange_.unpack(each...); });
  }

 private:
  const fields& all_;
  std::vector<halo::field_view<double, 3>> views_;
  halo::exchange_any<3> exchange_;
};

using made = std::unique_ptr<contestant>;

template <halo::packing how, halo::schedule when, halo::transport by>
made on_own(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<late>(
      grid_of(what, where),
      box_of(what),
      on.all(),
      halo::exchange_options{.packing = how, .schedule = when, .transport = by});
}

made own_bound(const problem& what, const place& where, const own_fields& on) {
  halo::exchange<double, c_order> exchange(grid_of(what, where), box_of(what));
  auto ready = spread(on.all().data, [&](auto*... each) { return exchange.bind(each...); });
  return std::make_unique<bound<decltype(ready)>>(on.all(), std::move(ready));
}

made any_late(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<any>(grid_of(what, where), what, on.all());
}

made any_bound(const problem& what, const place& where, const own_fields& on) {
  halo::exchange_any<3> exchange(grid_of(what, where));
  auto ready =
      spread(views_of(what, on.all()), [&](const auto&... each) { return exchange.bind(each...); });
  return std::make_unique<bound<decltype(ready)>>(on.all(), std::move(ready));
}

made shared_late(const problem& what, const place& where, const own_fields& /*on*/) {
  const halo::cart<3> grid = grid_of(what, where);
  auto memory = std::make_unique<shared_fields>(grid, what);
  auto inner = std::make_unique<late>(grid, memory->box(), memory->all(), halo::exchange_options{});
  return std::make_unique<with_shared_fields>(std::move(memory), std::move(inner));
}

/// Shows how much of weft's speed comes from the memory, and not from the exchange.
made shared_by_hand(const problem& what, const place& where, const own_fields& /*on*/) {
  auto memory = std::make_unique<shared_fields>(grid_of(what, where), what);
  auto inner = rows_by_hand(what, where, memory->all());
  return std::make_unique<with_shared_fields>(std::move(memory), std::move(inner));
}

made shared_bound(const problem& what, const place& where, const own_fields& /*on*/) {
  const halo::cart<3> grid = grid_of(what, where);
  auto memory = std::make_unique<shared_fields>(grid, what);
  halo::exchange<double, c_order> exchange(grid, memory->box());
  auto ready = spread(memory->all().data, [&](auto*... each) { return exchange.bind(each...); });
  auto inner = std::make_unique<bound<decltype(ready)>>(memory->all(), std::move(ready));
  return std::make_unique<with_shared_fields>(std::move(memory), std::move(inner));
}

using halo::packing;
using halo::schedule;
using halo::transport;

constexpr std::array entries{
    entry{.name = "by_hand_rows_make_field", .make = shared_by_hand},
    entry{.name = "weft_make_field", .make = shared_late},
    entry{.name = "weft_make_field_bound", .make = shared_bound},
    entry{.name = "weft_own_memory",
          .make = on_own<packing::automatic, schedule::automatic, transport::automatic>},
    entry{.name = "weft_own_memory_bound", .make = own_bound},
    entry{.name = "weft_exchange_any", .make = any_late},
    entry{.name = "weft_exchange_any_bound", .make = any_bound},
    entry{.name = "weft_messages",
          .make = on_own<packing::loops, schedule::automatic, transport::messages>},
    entry{.name = "weft_messages_bulk",
          .make = on_own<packing::loops, schedule::bulk, transport::messages>},
    entry{.name = "weft_messages_staged",
          .make = on_own<packing::loops, schedule::staged, transport::messages>},
    entry{.name = "weft_mpi_pack",
          .make = on_own<packing::mpi_pack, schedule::automatic, transport::messages>},
    entry{.name = "weft_mpi_datatype",
          .make = on_own<packing::mpi_datatype, schedule::automatic, transport::messages>},
    entry{.name = "weft_direct",
          .make = on_own<packing::direct, schedule::automatic, transport::messages>},
};

}  // namespace

std::span<const entry> by_weft() { return entries; }

}  // namespace weft::lab::halo_bench

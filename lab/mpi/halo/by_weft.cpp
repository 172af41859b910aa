// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft's ways: memory shared or not, addresses known late or early, and each packing by messages.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/halo.hpp"

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

using c_order = halo::layout::right<3>;

halo::axes<3> box_of(const problem& what) {
  const halo::axis along = halo::axis::inner(what.size).halo(what.width);
  return {along, along, along};
}

/// `exchange` on fields of the program's own.
class late final : public contestant {
 public:
  late(std::string name,
       const halo::cart<3>& grid,
       const problem& what,
       const own_fields& on,
       const halo::exchange_options& options)
      : name_(std::move(name)), all_(on.all()), exchange_(grid, box_of(what), options) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] const fields& cells() const override { return all_; }
  void exchange() override { exchange_(all_.data); }

 private:
  std::string name_;
  const fields& all_;
  halo::exchange<double, c_order> exchange_;
};

/// `exchange` on fields of `make_field`.
class shared final : public contestant {
 public:
  shared(const halo::cart<3>& grid, const problem& what)
      : made_(make(grid, what)), exchange_(grid, made_.front().box()) {
    for (const auto& each : made_) {
      all_.data.push_back(each.data());
      all_.row_length = each.box()[2].length;
    }
  }

  [[nodiscard]] std::string_view name() const override { return "weft_make_field"; }
  [[nodiscard]] const fields& cells() const override { return all_; }
  void exchange() override { exchange_(all_.data); }

 private:
  using field = halo::shared_field<double, c_order>;

  static std::vector<field> make(const halo::cart<3>& grid, const problem& what) {
    std::vector<field> made;
    made.reserve(static_cast<std::size_t>(what.num_fields));
    for (int n = 0; n < what.num_fields; ++n) {
      made.push_back(halo::make_field<double>(grid, box_of(what)));
    }
    return made;
  }

  std::vector<field> made_;
  fields all_;
  halo::exchange<double, c_order> exchange_;
};

/// `exchange_any` on up to three fields of the program's own.
class any final : public contestant {
 public:
  any(const halo::cart<3>& grid, const problem& what, const own_fields& on)
      : what_(what), all_(on.all()), exchange_(grid) {}

  [[nodiscard]] std::string_view name() const override { return "weft_exchange_any"; }
  [[nodiscard]] const fields& cells() const override { return all_; }
  void exchange() override {
    const auto view = [&](std::size_t n) { return halo::field(all_.data[n], box_of(what_)); };
    switch (all_.data.size()) {
      case 1:
        exchange_(view(0));
        break;
      case 2:
        exchange_(view(0), view(1));
        break;
      default:
        exchange_(view(0), view(1), view(2));
    }
  }

 private:
  problem what_;
  const fields& all_;
  halo::exchange_any<3> exchange_;
};

}  // namespace

std::vector<std::unique_ptr<contestant>> make_weft(const problem& what,
                                                   const place& where,
                                                   const own_fields& on) {
  const auto grid = halo::cart<3>::adopt(
      where.comm, {.periodic = {what.is_periodic, what.is_periodic, what.is_periodic}});
  const auto messages = [](halo::packing how, halo::schedule when) {
    return halo::exchange_options{
        .packing = how, .schedule = when, .transport = halo::transport::messages};
  };
  using halo::packing;
  using halo::schedule;
  std::vector<std::unique_ptr<contestant>> made;
  made.push_back(std::make_unique<shared>(grid, what));
  made.push_back(
      std::make_unique<late>("weft_own_memory", grid, what, on, halo::exchange_options{}));
  made.push_back(std::make_unique<any>(grid, what, on));
  made.push_back(std::make_unique<late>(
      "weft_messages", grid, what, on, messages(packing::loops, schedule::automatic)));
  made.push_back(std::make_unique<late>(
      "weft_messages_bulk", grid, what, on, messages(packing::loops, schedule::bulk)));
  made.push_back(std::make_unique<late>(
      "weft_messages_staged", grid, what, on, messages(packing::loops, schedule::staged)));
  made.push_back(std::make_unique<late>(
      "weft_mpi_pack", grid, what, on, messages(packing::mpi_pack, schedule::automatic)));
  made.push_back(std::make_unique<late>(
      "weft_mpi_datatype", grid, what, on, messages(packing::mpi_datatype, schedule::automatic)));
  made.push_back(std::make_unique<late>(
      "weft_direct", grid, what, on, messages(packing::direct, schedule::automatic)));
  return made;
}

}  // namespace weft::lab::halo_bench

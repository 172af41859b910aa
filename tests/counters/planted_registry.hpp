// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A registry with counters that a test moves.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

namespace weft::test {

/// /planted/total, a total of each worker; /planted/missing, which has no value.
class planted_registry {
 public:
  explicit planted_registry(unsigned num_workers = 1) {
    add_workers(num_workers);
    kept_.push_back(registry_.add(family("/planted/total")));
    kept_.push_back(registry_.add(family("/planted/missing")));
  }

  [[nodiscard]] counters::registry& all() { return registry_; }
  void count(std::int64_t amount, unsigned worker = 0) { *totals_.at(worker) += amount; }
  /// From one thread, as long as no other reads.
  void add_workers(unsigned num_workers) {
    for (unsigned i = 0; i < num_workers; ++i) {
      totals_.push_back(std::make_unique<std::atomic<std::int64_t>>(0));
    }
  }
  void remove_all() { kept_.clear(); }

 private:
  class planted_counter final : public counters::counter {
   public:
    explicit planted_counter(const std::atomic<std::int64_t>* total) : total_(total) {}
    counters::counter_value evaluate(counters::evaluation& /*now*/) override {
      if (total_ == nullptr) {
        return {.value = std::nullopt, .reason = "nothing to count"};
      }
      return {.value = *total_ - since_};
    }
    void reset(counters::evaluation& /*now*/) override {
      since_ = total_ == nullptr ? 0 : total_->load();
    }

   private:
    const std::atomic<std::int64_t>* total_;
    std::int64_t since_ = 0;
  };

  counters::counter_family family(const std::string& name) {
    const bool is_missing = name.ends_with("missing");
    return {.type = {.name = name, .unit = is_missing ? "ns" : "", .help = "What a test counts."},
            .instances = [this, name] { return instances(name); },
            .make =
                [this, is_missing](const counters::counter_name& which) {
                  const auto worker = std::get<std::uint32_t>(which.instance.back().index);
                  return std::make_unique<planted_counter>(is_missing ? nullptr
                                                                      : totals_.at(worker).get());
                }};
  }

  [[nodiscard]] std::vector<counters::counter_name> instances(const std::string& type) const {
    std::vector<counters::counter_name> names;
    for (std::uint32_t i = 0; i < totals_.size(); ++i) {
      counters::counter_name name = counters::parse_counter_name(type);
      name.instance = {{.name = "locality", .index = std::uint32_t{0}},
                       {.name = "worker-thread", .index = i}};
      names.push_back(std::move(name));
    }
    return names;
  }

  std::vector<std::unique_ptr<std::atomic<std::int64_t>>> totals_;
  counters::registry registry_;
  std::vector<counters::registration> kept_;
};

}  // namespace weft::test

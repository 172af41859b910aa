// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A family of counters whose instances and values a test sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

namespace weft_test {

/// Must outlive its registration. Threads: one at a time.
class fake_family {
 public:
  fake_family(std::string type, std::vector<std::string> all_instances)
      : instances(std::move(all_instances)), numbers(instances.size(), 0), type_(std::move(type)) {}

  std::vector<std::string> instances;  // "locality#0/total"
  std::vector<std::int64_t> numbers;   // their totals
  std::string listed_counter;          // of an open family
  std::string unit = "ns";
  weft::counters::counter_kind kind = weft::counters::counter_kind::total;
  std::function<void()> on_read = [] {};

  [[nodiscard]] weft::counters::counter_family family() {
    weft::counters::counter_family offered;
    offered.type = {.name = type_, .unit = unit, .help = "", .kind = kind};
    offered.instances = [this] { return names(); };
    offered.make = [this](const weft::counters::counter_name& name) {
      return std::make_unique<fake_counter>(*this, name);
    };
    return offered;
  }

 private:
  class fake_counter final : public weft::counters::counter {
   public:
    fake_counter(const fake_family& from, weft::counters::counter_name name)
        : from_(&from), name_(std::move(name)) {}
    weft::counters::counter_value evaluate(weft::counters::evaluation& /*now*/) override {
      return {.value = number() - base_};
    }
    void reset(weft::counters::evaluation& /*now*/) override {
      base_ = from_->kind == weft::counters::counter_kind::gauge ? 0 : number();
    }

   private:
    [[nodiscard]] std::int64_t number() const {
      from_->on_read();
      const auto names = from_->names();
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].instance == name_.instance) {
          return from_->numbers.at(i);
        }
      }
      return 0;
    }

    const fake_family* from_;
    weft::counters::counter_name name_;
    std::int64_t base_ = 0;
  };

  [[nodiscard]] std::vector<weft::counters::counter_name> names() const {
    std::vector<weft::counters::counter_name> all;
    for (const std::string& each : instances) {
      weft::counters::counter_name name = weft::counters::parse_counter_name(type_);
      name.instance = weft::counters::parse_counter_name("/o{" + each + "}/c").instance;
      if (!listed_counter.empty()) {
        name.counter = listed_counter;
      }
      all.push_back(name);
    }
    return all;
  }

  std::string type_;
};

}  // namespace weft_test

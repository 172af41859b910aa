// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters whose values are numbers of the program.
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_rows.hpp"
#include "counters/core/histograms.hpp"
#include "counters/families/exact_number.hpp"

namespace weft::counters {
namespace {

using number = counter_value::number;

/// The function of one registration. It is called once per evaluation, and by one thread at a time.
class number_source {
 public:
  explicit number_source(std::function<number()> read) : read_(std::move(read)) {}

  [[nodiscard]] std::shared_ptr<const number> read(evaluation& now) {
    return now.once<number>(this, [this] {
      const std::scoped_lock lock(mutex_);
      return std::make_shared<const number>(read_());
    });
  }

 private:
  std::mutex mutex_;
  std::function<number()> read_;
};

struct change_since {
  const number& base;

  counter_value operator()(std::int64_t now) const {
    const std::int64_t before = std::get<std::int64_t>(base);
    return now < before ? fell(std::to_string(before), std::to_string(now))
                        : counter_value{.value = now - before};
  }
  counter_value operator()(double now) const {
    const double before = std::get<double>(base);
    return now < before ? fell(std::to_string(before), std::to_string(now))
                        : detail::value_of(now - before);
  }
  counter_value operator()(const std::vector<std::int64_t>& now) const { return {.value = now}; }
  counter_value operator()(const histogram_value& now) const {
    const auto change = detail::histogram_change(std::get<histogram_value>(base), now);
    return change ? counter_value{.value = *change}
                  : counter_value{.value = std::nullopt,
                                  .reason =
                                      "a bucket holds less than at the last reset, though a "
                                      "histogram only grows"};
  }

  static counter_value fell(const std::string& before, const std::string& now) {
    return {.value = std::nullopt,
            .reason = "fell from " + before + " to " + now +
                      ", though a total only grows; register it as counter_kind::gauge"};
  }
};

class own_counter final : public counter {
 public:
  own_counter(std::shared_ptr<number_source> source, counter_kind kind)
      : source_(std::move(source)), kind_(kind) {}

  counter_value evaluate(evaluation& now) override {
    const auto read = at_pause_ != nullptr ? at_pause_ : source_->read(now);
    if (base_ != nullptr) {
      return std::visit(change_since{*base_}, *read);
    }
    const auto* const real = std::get_if<double>(read.get());
    return real != nullptr ? detail::value_of(*real) : counter_value{.value = *read};
  }

  void reset(evaluation& now) override {
    if (kind_ == counter_kind::total || kind_ == counter_kind::histogram) {
      base_ = source_->read(now);
      at_pause_ = nullptr;
    }
  }

  bool pause(evaluation& now) override {
    if (kind_ != counter_kind::total) {
      return false;
    }
    at_pause_ = source_->read(now);
    return true;
  }

  void resume(evaluation& now) override {
    if (at_pause_ == nullptr) {
      return;
    }
    const std::shared_ptr<const number> read = source_->read(now);
    base_ = std::make_shared<const number>(std::visit(
        [&](const auto& end) -> number {
          using value = std::remove_cvref_t<decltype(end)>;
          if constexpr (std::is_arithmetic_v<value>) {
            const value base = base_ != nullptr ? std::get<value>(*base_) : value{};
            return base + (end - std::get<value>(*at_pause_));
          } else {
            return end;
          }
        },
        *read));
    at_pause_ = nullptr;
  }

 private:
  std::shared_ptr<number_source> source_;
  counter_kind kind_;
  std::shared_ptr<const number> base_;      // null: counts from the beginning
  std::shared_ptr<const number> at_pause_;  // null: it is not paused
};

registration add_own(const counter_type& type, std::function<number()> read) {
  const auto source = std::make_shared<number_source>(std::move(read));
  counter_family family;
  family.type = type;
  family.instances = [type] { return std::vector{detail::total_of(type)}; };
  family.make = [source, kind = type.kind](const counter_name& name) {
    detail::refuse_parameters(name);
    return std::make_unique<own_counter>(source, kind);
  };
  return process_counters().add(std::move(family));
}

error wrong_kind(const counter_type& type, const std::string& what, const std::string& kinds) {
  return error("counter " + type.name + " is given a function that returns " + what +
               ", which does not fit its kind; set kind to " + kinds);
}

}  // namespace

std::int64_t detail::checked_number(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw error("the value " + std::to_string(number) +
                " is beyond 2^63 - 1, the largest a counter can have; return a double");
  }
  return static_cast<std::int64_t>(number);
}

registration detail::register_number(const counter_type& type, number_function read) {
  const bool is_array = std::holds_alternative<std::function<std::vector<std::int64_t>()>>(read);
  if (is_array && type.kind != counter_kind::array) {
    throw wrong_kind(type, "several numbers", "counter_kind::array");
  }
  if (!is_array && type.kind != counter_kind::total && type.kind != counter_kind::gauge) {
    throw wrong_kind(type, "a number", "counter_kind::total or counter_kind::gauge");
  }
  return std::visit(
      [&](auto& returns) {
        return add_own(type, [returns = std::move(returns)] { return number(returns()); });
      },
      read);
}

registration register_counter(const counter_type& type, const std::atomic<std::int64_t>* number) {
  return register_counter(type, [number] { return number->load(std::memory_order_relaxed); });
}

registration register_histogram(const counter_type& type, std::function<histogram_value()> read) {
  if (type.kind != counter_kind::histogram) {
    throw wrong_kind(type, "a histogram", "counter_kind::histogram");
  }
  return add_own(type, [read = std::move(read)] { return number(read()); });
}

}  // namespace weft::counters

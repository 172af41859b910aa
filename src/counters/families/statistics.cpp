// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// /statistics{BASE}/...: the distribution of a counter's values over time.
#include "counters/families/statistics.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/counter_group.hpp"
#include "counters/families/exact_number.hpp"
#include "counters/families/sample_store.hpp"

namespace weft::counters::detail {
namespace {

struct statistic_row {
  std::string_view name;
  statistic value;
  bool is_rolling;
  std::string_view help;
};

constexpr std::array rows = {
    statistic_row{"average", statistic::average, false, "Mean of all samples"},
    statistic_row{"stddev", statistic::stddev, false, "Standard deviation of all samples"},
    statistic_row{"median", statistic::median, false, "Median of all samples"},
    statistic_row{"min", statistic::min, false, "Smallest sample"},
    statistic_row{"max", statistic::max, false, "Largest sample"},
    statistic_row{"rolling_average", statistic::average, true, "Mean of the last samples"},
    statistic_row{
        "rolling_stddev", statistic::stddev, true, "Standard deviation of the last samples"},
    statistic_row{"rolling_median", statistic::median, true, "Median of the last samples"},
    statistic_row{"rolling_min", statistic::min, true, "Smallest of the last samples"},
    statistic_row{"rolling_max", statistic::max, true, "Largest of the last samples"},
};

struct statistic_parameters {
  statistic wanted;
  std::chrono::milliseconds interval;
  std::optional<std::size_t> window;
  bool resets_base;
};

/// Reads the parameters of a name one by one.
class parameter_reader {
 public:
  explicit parameter_reader(const counter_name& name)
      : name_(&name), values_(split_parameters(name.parameters)) {}

  /// Returns the next parameter, or `otherwise` if there are no more.
  std::uint64_t next(std::string_view what,
                     std::uint64_t otherwise,
                     std::uint64_t min,
                     std::uint64_t max) {
    if (next_ == values_.size()) {
      return otherwise;
    }
    const std::string& text = values_[next_++];
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number < min ||
        number > max) {
      throw error("counter " + to_string(*name_) + ": the " + std::string(what) + " \"" + text +
                  "\" is not a whole number from " + std::to_string(min) + " to " +
                  std::to_string(max) + "; leave it out for " + std::to_string(otherwise));
    }
    return number;
  }

  void end(std::string_view form) const {
    if (next_ < values_.size()) {
      throw error("counter " + to_string(*name_) + " has " + std::to_string(values_.size()) +
                  " parameters, but takes at most " + std::to_string(next_) + ": " +
                  std::string(form));
    }
  }

 private:
  const counter_name* name_;
  std::vector<std::string> values_;
  std::size_t next_ = 0;
};

statistic_parameters parameters_of(const counter_name& name, const statistic_row& row) {
  constexpr std::uint64_t day_ms = 86'400'000;
  parameter_reader reader(name);
  statistic_parameters parameters{
      .wanted = row.value, .interval = {}, .window = std::nullopt, .resets_base = false};
  parameters.interval = std::chrono::milliseconds(reader.next("interval in ms", 1000, 1, day_ms));
  if (row.is_rolling) {
    parameters.window = reader.next("number of samples", 10, 1, sample_store::max_kept);
  }
  parameters.resets_base = reader.next("reset flag", 0, 0, 1) == 1;
  reader.end(row.is_rolling ? "@interval_ms,samples,reset" : "@interval_ms,reset");
  return parameters;
}

class statistics_counter final : public counter {
 public:
  statistics_counter(const registry& from,
                     const counter_name& base,
                     statistic_parameters parameters,
                     evaluation& now)
      : base_(from, {base}, now),
        parameters_(parameters),
        schedule_(parameters.interval, now.time()),
        samples_(parameters.window) {}

  counter_value evaluate(evaluation& now) override {
    base_.refresh(now);
    if (base_.is_broken(0)) {
      return unavailable(base_.evaluate(0, now).reason);
    }
    if (samples_.is_empty()) {
      return unavailable(failure_.empty() ? "no sample has been taken yet; one is every " +
                                                std::to_string(parameters_.interval.count()) + " ms"
                                          : failure_);
    }
    return value_of(samples_.value_of(parameters_.wanted), samples_.sampled());
  }

  void reset(evaluation& now) override {
    base_.refresh(now);
    base_.reset(now);
    samples_.clear();
    failure_.clear();
    if (!parameters_.resets_base || base_.members().front().type.kind == counter_kind::gauge) {
      take_sample(now);
    }
  }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const override {
    return shorter_interval(parameters_.interval, base_.sampling_interval());
  }

  void sample(evaluation& now) override {
    base_.refresh(now);
    const auto slack = sampling_interval().value_or(std::chrono::nanoseconds(0)) / 2;
    base_.sample(now, slack);
    if (schedule_.is_due(now.time(), slack)) {
      take_sample(now);
    }
  }

 private:
  void take_sample(evaluation& now) {
    base_.prepare(now);
    const counter_value read = base_.evaluate(0, now);
    if (const auto number = number_in(read)) {
      samples_.add(*number, read.sampled);
    } else {
      failure_ = read.reason;
    }
    if (parameters_.resets_base) {
      base_.reset(now);
    }
  }

  counter_group base_;
  statistic_parameters parameters_;
  sampling_schedule schedule_;
  sample_store samples_;
  std::string failure_;  // why the last failed sample failed
};

counter_type type_of_base(const registry& from, const counter_name& name) {
  if (name.base.empty()) {
    throw error("counter " + to_string(name) +
                " needs a counter of which it is the statistic: " + "write /" + name.object +
                "{/threads{locality#0/total}/count/cumulative}/" + name.counter);
  }
  const counter_type type = from.type_of(name.base.front());
  if (type.kind == counter_kind::array || type.kind == counter_kind::histogram) {
    throw error("counter " + to_string(name) + " needs a counter whose value is one number; " +
                type.name + " has several");
  }
  return type;
}

counter_family family_of(const registry& from, const statistic_row& row) {
  counter_family family;
  const counter_name type{.object = "statistics", .counter = std::string(row.name)};
  family.type = {.name = type_name(type),
                 .unit = "",
                 .help = std::string(row.help) + " of a counter, one every @interval_ms[" +
                         (row.is_rolling ? ",samples" : "") + ",reset]; in its unit",
                 .kind = counter_kind::quotient};
  family.instances = [type] { return std::vector{type}; };
  family.make = [&from, &row](const counter_name& name) {
    type_of_base(from, name);
    evaluation now;
    return std::make_unique<statistics_counter>(
        from, name.base.front(), parameters_of(name, row), now);
  };
  family.type_of = [&from, type = family.type](const counter_name& name) {
    counter_type refined = type;
    if (!name.base.empty()) {
      refined.unit = type_of_base(from, name).unit;
    }
    return refined;
  };
  return family;
}

}  // namespace

std::vector<counter_family> statistics_families(const registry& from) {
  std::vector<counter_family> families;
  families.reserve(rows.size());
  for (const statistic_row& row : rows) {
    families.push_back(family_of(from, row));
  }
  return families;
}

}  // namespace weft::counters::detail

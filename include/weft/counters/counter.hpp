// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters: a type, of which there may be many instances, each read by the code that made it.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::counters {

/// How values follow each other.
enum class counter_kind : std::uint8_t {
  total,     // only grows; a reader is shown what was added since its last reset
  gauge,     // what is now; no reset changes it
  quotient,  // of totals since the last reset: an average, a rate, a share
  array,     // several numbers
  histogram  // how often values fell into which range, since the last reset
};

/// Name, unit, help text and kind of a type of counters.
struct counter_type {
  std::string name;  // "/threads/count/cumulative"
  std::string unit;  // "ns", "bytes", "0.01%"; empty for a plain count
  std::string help;  // a sentence
  counter_kind kind = counter_kind::total;
};

/// How often values fell into which range. Weights are estimates where values were sampled.
struct histogram_value {
  struct bucket {
    double upper;  // the range ends here, this end excluded; the first begins at 0
    double weight;

    bool operator==(const bucket&) const = default;
  };
  std::vector<bucket> buckets;  // in order; the first and the last one are not empty
  double sum = 0;               // of the values, in the counter's unit

  bool operator==(const histogram_value&) const = default;
};

/// How a value was estimated from some of the events.
struct sampling {
  double one_in = 1;              // mean number of events per sample
  std::uint64_t num_samples = 0;  // the value rests on
  double half_width = 0;          // of the 95 % confidence interval, in the counter's unit

  bool operator==(const sampling&) const = default;
};

/// The value that a counter read. A value that is not available is empty, never 0.
struct counter_value {
  using number = std::variant<std::int64_t, double, std::vector<std::int64_t>, histogram_value>;

  std::optional<number> value;
  std::string reason = {};                         // why there is no value
  std::optional<sampling> sampled = std::nullopt;  // none: exact
};

/// One moment at which counters are read together, and what was read once for all of them.
///
/// Threads: one thread at a time.
class evaluation {
 public:
  evaluation() : evaluation(std::chrono::steady_clock::now()) {}
  explicit evaluation(std::chrono::steady_clock::time_point time) : time_(time) {}
  evaluation(const evaluation&) = delete;
  evaluation& operator=(const evaluation&) = delete;

  [[nodiscard]] std::chrono::steady_clock::time_point time() const noexcept { return time_; }

  /// Returns what `read` returned at this evaluation's first call with `key`.
  template <class Snapshot, std::invocable Read>
  [[nodiscard]] std::shared_ptr<const Snapshot> once(const void* key, Read&& read) {
    for (const auto& [known, snapshot] : snapshots_) {
      if (known == key) {
        return std::static_pointer_cast<const Snapshot>(snapshot);
      }
    }
    std::shared_ptr<const Snapshot> fresh = read();
    snapshots_.emplace_back(key, fresh);
    return fresh;
  }

 private:
  std::chrono::steady_clock::time_point time_;
  std::vector<std::pair<const void*, std::shared_ptr<const void>>> snapshots_;
};

/// One instance of a counter for one session, with its own baseline.
///
/// A new instance counts from the beginning of the events that it counts. A session resets the
/// counters that it starts with, and does not reset those that appear later. An exception of
/// `evaluate` or `reset` is the reason why there is no value, until the next reset if `reset` threw
/// it.
/// Threads: one thread at a time; none of its calls may wait for a worker.
class counter {
 public:
  counter() = default;
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;
  virtual ~counter() = default;

  /// Starts what `evaluate` will wait for, such as an answer of another process. A session calls it
  /// for all its counters before it evaluates the first one.
  /// Errors: none; `evaluate` reports them.
  virtual void prepare(evaluation& /*now*/) {}
  [[nodiscard]] virtual counter_value evaluate(evaluation& now) = 0;
  /// Lets later values count from `now`.
  virtual void reset(evaluation& now) = 0;

  /// Excludes from later values everything counted until `resume`; false: this counter continues.
  virtual bool pause(evaluation& /*now*/) { return false; }
  virtual void resume(evaluation& /*now*/) {}

  /// How often `sample` wants to be called between evaluations, more than 0; none:
  /// never.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> sampling_interval() const {
    return std::nullopt;
  }
  virtual void sample(evaluation& /*now*/) {}
};

}  // namespace weft::counters

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of counters with its own baseline.
#include "weft/counters/session.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "base/nearest_name.hpp"
#include "counters/core/counter_group.hpp"
#include "counters/core/signals_blocked.hpp"
#include "counters/print/formats.hpp"

namespace weft::counters {

class session::state {
 public:
  state(const registry& from, const std::vector<counter_name>& patterns, evaluation& making)
      : counters_(from, patterns, making) {
    {
      evaluation now;  // a new evaluation, since making the counters took time
      start_ = now.time();
      counters_.reset(now);
    }  // which may wait for other processes
    sample_if_wanted();
  }

  static std::unique_ptr<state> make(const registry& from,
                                     const std::vector<counter_name>& patterns) {
    evaluation making;
    return std::make_unique<state>(from, patterns, making);
  }

  session_readings evaluate(after_reading then) {
    const std::scoped_lock lock(mutex_);
    refresh();
    evaluation now;
    session_readings readings = {.number = ++num_evaluations_,
                                 .since_start = now.time() - start_,
                                 .time = std::chrono::system_clock::now(),
                                 .values = {}};
    readings.values.reserve(counters_.members().size());
    counters_.prepare(now);
    for (std::size_t i = 0; i < counters_.members().size(); ++i) {
      counter_value value = counters_.evaluate(i, now);
      const detail::group_member& member = counters_.members()[i];
      readings.values.push_back({.name = member.text,
                                 .unit = member.type.unit,
                                 .kind = member.type.kind,
                                 .value = std::move(value),
                                 .includes_pauses = member.counts_on});
    }
    if (then == after_reading::reset) {
      reset_at(now);
    }
    return readings;
  }

  void reset() {
    const std::scoped_lock lock(mutex_);
    refresh();
    evaluation now;
    reset_at(now);
  }

  void stop() {
    const std::scoped_lock lock(mutex_);
    evaluation now;
    counters_.pause(now);
    is_stopped_ = true;
  }

  void start() {
    const std::scoped_lock lock(mutex_);
    evaluation now;
    counters_.resume(now);
    is_stopped_ = false;
  }

  std::vector<std::string> names() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> names;
    std::ranges::transform(
        counters_.members(), std::back_inserter(names), &detail::group_member::text);
    return names;
  }

 private:
  void reset_at(evaluation& now) {
    counters_.reset(now);
    if (is_stopped_) {
      counters_.pause(now);
    }
  }

  /// Takes longer than reading, so call it before the evaluation begins.
  void refresh() {
    evaluation now;
    const auto planned = counters_.next_sample();
    counters_.refresh(now);
    if (is_stopped_) {
      counters_.pause(now);  // pauses the counters that have just appeared
    }
    if (counters_.next_sample() != planned) {
      sample_if_wanted();
      is_replanned_ = true;
      sampler_wakes_.notify_one();
    }
  }

  void sample_if_wanted() {
    if (counters_.next_sample() && !sampler_.joinable()) {
      const detail::signals_blocked for_sampler;
      sampler_ = std::jthread([this](const std::stop_token& stop) { sample_until(stop); });
    }
  }

  void sample_until(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      is_replanned_ = false;
      const auto is_replanned = [this] { return is_replanned_; };
      if (const auto next = counters_.next_sample(); !next) {
        sampler_wakes_.wait(lock, stop, is_replanned);
      } else if (!sampler_wakes_.wait_until(lock, stop, *next, is_replanned) &&
                 !stop.stop_requested()) {
        evaluation now;
        counters_.sample(now);
      }
    }
  }

  mutable std::mutex mutex_;  // protects all members below except the thread
  std::chrono::steady_clock::time_point start_;
  detail::counter_group counters_;
  std::uint64_t num_evaluations_ = 0;
  bool is_stopped_ = false;
  bool is_replanned_ = false;
  std::condition_variable_any sampler_wakes_;
  // only if a counter is sampled; the last member, so that the thread ends first
  std::jthread sampler_;
};

namespace {

template <class Texts>
std::vector<counter_name> parsed(const Texts& texts) {
  std::vector<counter_name> names;
  std::ranges::transform(texts, std::back_inserter(names), [](std::string_view text) {
    return parse_counter_name(text);
  });
  return names;
}

}  // namespace

session::session(std::initializer_list<std::string_view> names)
    : state_(state::make(process_counters(), parsed(names))) {}

session::session(std::span<const std::string> names, registry& from)
    : state_(state::make(from, parsed(names))) {}

session::session(session&&) noexcept = default;
session& session::operator=(session&&) noexcept = default;
session::~session() = default;

session_readings session::evaluate(after_reading then) { return state_->evaluate(then); }
void session::reset() { state_->reset(); }
void session::stop() { state_->stop(); }
void session::start() { state_->start(); }
std::vector<std::string> session::names() const { return state_->names(); }

namespace {

const session_reading& find_reading(const session_readings& readings, std::string_view text) {
  const counter_name name = parse_counter_name(text);
  const std::string full = to_string(complete(name));
  std::vector<const session_reading*> meant;
  for (const session_reading& each : readings.values) {
    if (each.name == full || each.name == text) {
      return each;
    }
    if (matches(name, parse_counter_name(each.name))) {
      meant.push_back(&each);
    }
  }
  if (meant.size() == 1) {
    return *meant.front();
  }
  if (!meant.empty()) {
    throw error("counter name " + std::string(text) + " means " + std::to_string(meant.size()) +
                " counters of this session; write one of them, such as " + meant.front()->name);
  }
  const auto nearest = weft::detail::nearest_name(readings.values, full, &session_reading::name);
  throw error("the session has no counter " + std::string(text) +
              (nearest == readings.values.end() ? "; it has none"
                                                : "; did you mean " + nearest->name + "?"));
}

const counter_value::number& value_of(const session_reading& reading) {
  if (!reading.value.value) {
    throw error("counter " + reading.name + " has no value: " + reading.value.reason);
  }
  return *reading.value.value;
}

}  // namespace

std::string to_string(const session_reading& reading) {
  const counter_value& value = reading.value;
  if (!value.value) {
    return "unavailable (" + value.reason + ')';
  }
  std::string text = detail::plain_text(*value.value);
  text += reading.unit.empty() ? "" : ' ' + reading.unit;
  return value.sampled
             ? text + ' ' + detail::sampling_text(*value.sampled, *value.value, reading.unit)
             : text;
}

double session_readings::number_of(std::string_view name) const {
  const session_reading& reading = find_reading(*this, name);
  const counter_value::number& value = value_of(reading);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return *real;
  }
  throw error("the value of counter " + reading.name +
              " is not one number; take it from session_readings::values");
}

const histogram_value& session_readings::histogram_of(std::string_view name) const {
  const session_reading& reading = find_reading(*this, name);
  const auto* histogram = std::get_if<histogram_value>(&value_of(reading));
  if (histogram == nullptr) {
    throw error("the value of counter " + reading.name +
                " is no histogram; take it from session_readings::values");
  }
  return *histogram;
}

}  // namespace weft::counters

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading counters: a set of them with a baseline of its own.
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
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/counter_group.hpp"
#include "counters/signals_blocked.hpp"

namespace weft::counters {

class session::state {
 public:
  state(const registry& from, const std::vector<counter_name>& patterns, evaluation& making)
      : counters_(from, patterns, making) {
    evaluation now;  // making them took its time
    start_ = now.time();
    counters_.reset(now);
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
    for (std::size_t i = 0; i < counters_.members().size(); ++i) {
      counter_value value = counters_.evaluate(i, now);
      const detail::group_member& member = counters_.members()[i];
      readings.values.push_back({.name = member.text,
                                 .unit = member.type.unit,
                                 .kind = member.type.kind,
                                 .value = std::move(value)});
    }
    if (then == after_reading::reset) {
      counters_.reset(now);
    }
    return readings;
  }

  void reset() {
    const std::scoped_lock lock(mutex_);
    refresh();
    evaluation now;
    counters_.reset(now);
  }

  std::vector<std::string> names() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> names;
    std::ranges::transform(
        counters_.members(), std::back_inserter(names), &detail::group_member::text);
    return names;
  }

 private:
  /// Takes longer than reading, so it comes before the moment of an evaluation.
  void refresh() {
    evaluation now;
    const auto planned = counters_.next_sample();
    counters_.refresh(now);
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

  mutable std::mutex mutex_;  // of all below but the thread
  std::chrono::steady_clock::time_point start_;
  detail::counter_group counters_;
  std::uint64_t num_evaluations_ = 0;
  bool is_replanned_ = false;
  std::condition_variable_any sampler_wakes_;
  std::jthread sampler_;  // only if a counter wants to be sampled; the last, so that it ends first
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
std::vector<std::string> session::names() const { return state_->names(); }

}  // namespace weft::counters

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters that another rank reads, and sends here.
#include "distributed/calls/rank_counters.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/remote_error.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/progress.hpp"

#include "counters/core/localities.hpp"
#include "distributed/calls/counter_server.hpp"

namespace weft::distributed::detail {
namespace {

using counters::counter_name;
using counters::counter_value;
using counters::evaluation;
using std::chrono::steady_clock;

constexpr const char* job_has_ended = "the job has ended, so no other rank can be asked";
// A rank connects to another one with the first message, and may be busy with its own start.
constexpr std::chrono::seconds first_limit{60};

/// Errors: `weft::error` if the name begins with no number.
std::uint32_t rank_of(const counter_name& name) {
  const auto* const number =
      name.instance.empty() ? nullptr : std::get_if<std::uint32_t>(&name.instance.front().index);
  if (number == nullptr) {
    throw error(errc::bad_parameter,
                "counter " + to_string(name) + " names no single locality, such as locality#1");
  }
  return *number;
}

counter_value unavailable(std::string reason) {
  return {.value = std::nullopt, .reason = std::move(reason)};
}

/// Resets of one evaluation. They go to all ranks first; the end of the evaluation waits for them.
class sent_resets {
 public:
  explicit sent_resets(rank_counters& others) : others_(others.shared_from_this()) {}
  sent_resets(const sent_resets&) = delete;
  sent_resets& operator=(const sent_resets&) = delete;
  ~sent_resets() {
    for (auto& [asked, failure] : sent_) {
      try {
        *failure = others_->wait(asked) ? "" : others_->no_answer(asked);
      } catch (const std::exception& why) {
        *failure = why.what();
      }
    }
  }
  void add(asked_rank asked, std::shared_ptr<std::string> failure) const {
    sent_.emplace_back(std::move(asked), std::move(failure));
  }

 private:
  std::shared_ptr<rank_counters> others_;
  mutable std::vector<std::pair<asked_rank, std::shared_ptr<std::string>>> sent_;
};

/// A counter of another rank. Threads: as every counter.
class remote_counter final : public counters::counter {
 public:
  remote_counter(std::shared_ptr<rank_counters> others,
                 std::uint32_t rank,
                 const counter_answer& made)
      : others_(std::move(others)),
        rank_(rank),
        number_(made.number),
        sampling_interval_(made.sampling_interval_ns) {}
  ~remote_counter() override { tell(counter_action::destroy); }

  void prepare(evaluation& /*now*/) override {
    try {
      asked_ = others_->ask(rank_, request(counter_action::evaluate));
    } catch (const std::exception& why) {
      asked_.reset();
      failure_ = why.what();
    }
  }
  counter_value evaluate(evaluation& now) override {
    if (!reset_failure_->empty()) {
      return unavailable("its value at the last reset is not known: " + *reset_failure_);
    }
    if (!asked_) {
      prepare(now);
    }
    if (auto asked = std::exchange(asked_, std::nullopt)) {
      try {
        const std::optional<counter_answer> answer = others_->wait(*asked);
        if (answer && answer->value) {
          return *answer->value;
        }
        failure_ = others_->no_answer(*asked);
      } catch (const std::exception& why) {
        failure_ = why.what();
      }
    }
    return unavailable(failure_);
  }
  void reset(evaluation& now) override {
    try {
      now.once<sent_resets>(others_.get(),
                            [this] { return std::make_shared<const sent_resets>(*others_); })
          ->add(others_->ask(rank_, request(counter_action::reset)), reset_failure_);
    } catch (const std::exception& why) {
      *reset_failure_ = why.what();
    }
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const override {
    return sampling_interval_ ? std::optional(std::chrono::nanoseconds(*sampling_interval_))
                              : std::nullopt;
  }
  void sample(evaluation& /*now*/) override { tell(counter_action::sample); }

 private:
  [[nodiscard]] counter_request request(counter_action action) const {
    return {.action = action, .name = {}, .number = number_};
  }
  void tell(counter_action action) { others_->tell(rank_, request(action)); }

  std::shared_ptr<rank_counters> others_;
  const std::uint32_t rank_;
  const std::uint64_t number_;
  const std::optional<std::int64_t> sampling_interval_;
  std::optional<asked_rank> asked_;
  std::string failure_;
  std::shared_ptr<std::string> reset_failure_ = std::make_shared<std::string>();
};

}  // namespace

asked_rank rank_counters::ask(std::uint32_t rank,
                              counter_request request,
                              std::chrono::seconds limit) {
  const std::shared_lock lock(mutex_);
  if (has_left_ || home_ == nullptr) {
    throw error(errc::invalid_status, job_has_ended);
  }
  const auto to = static_cast<int>(rank);
  return {.rank = to,
          .answer = start_call<counter_target>(*home_, to, std::tuple(std::move(request))),
          .limit = limit,
          .deadline = steady_clock::now() + limit};
}

std::optional<counter_answer> rank_counters::wait(asked_rank& asked) {
  auto pause = std::chrono::microseconds(1);
  const std::shared_lock lock(mutex_);
  while (!asked.answer.is_ready()) {
    if (has_left_ || home_ == nullptr || steady_clock::now() > asked.deadline) {
      return std::nullopt;
    }
    if (!tasks::poll_progress(home_->home())) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(1000));
    }
  }
  return asked.answer.get();
}

std::string rank_counters::no_answer(const asked_rank& asked) const {
  return has_left_ ? job_has_ended
                   : "rank " + std::to_string(asked.rank) + " has not answered within " +
                         std::to_string(asked.limit.count()) + " s";
}

void rank_counters::tell(std::uint32_t rank, counter_request request) noexcept {
  try {
    static_cast<void>(ask(rank, std::move(request)));
  } catch (const std::exception&) {  // the job has ended, or there is no memory
    return;
  }
}

void rank_counters::leave() noexcept {
  has_left_ = true;
  const std::unique_lock lock(mutex_);
  home_ = nullptr;
}

std::vector<int> rank_counters::ranks_of(const counter_name& pattern) {
  if (counters::detail::is_of_other_locality(pattern)) {
    return {static_cast<int>(rank_of(pattern))};
  }
  const std::shared_lock lock(mutex_);
  std::vector<int> others;
  for (int rank = 0; home_ != nullptr && rank < home_->size(); ++rank) {
    if (rank != home_->rank()) {
      others.push_back(rank);
    }
  }
  return others;
}

std::vector<counter_name> rank_counters::names_in(asked_rank& asked, const std::string& pattern) {
  std::optional<counter_answer> answer = wait(asked);
  const std::lock_guard guard(known_mutex_);
  const auto [known, is_new] = known_.try_emplace({asked.rank, pattern});
  if (answer) {
    known->second = std::move(answer->names);
  } else if (is_new) {
    known_.erase(known);
    throw error(errc::no_state, no_answer(asked));
  }
  std::vector<counter_name> names;
  for (const std::string& text : known->second) {
    names.push_back(counters::parse_counter_name(text));
    if (!names.back().instance.empty()) {
      names.back().instance.front().index = static_cast<std::uint32_t>(asked.rank);
    }
  }
  return names;
}

bool rank_counters::is_known(int rank, const std::string& pattern) {
  const std::lock_guard guard(known_mutex_);
  return known_.contains({rank, pattern});
}

std::vector<counter_name> rank_counters::discover(const counter_name& pattern) {
  const std::vector<int> ranks = ranks_of(pattern);
  const std::string text = to_string(pattern);
  std::vector<asked_rank> all;
  all.reserve(ranks.size());
  for (const int each : ranks) {
    all.push_back(ask(static_cast<std::uint32_t>(each),
                      {.action = counter_action::discover, .name = text},
                      is_known(each, text) ? usual_limit : first_limit));
  }
  std::vector<counter_name> names;
  for (asked_rank& each : all) {
    try {
      std::ranges::move(names_in(each, text), std::back_inserter(names));
    } catch (const remote_origin&) {  // that rank has no such counter
      if (counters::detail::is_of_other_locality(pattern)) {
        throw;
      }
    }
  }
  return names;
}

counter_answer rank_counters::answer_to(counter_action action, const counter_name& name) {
  asked_rank asked = ask(rank_of(name), {.action = action, .name = to_string(name)}, first_limit);
  std::optional<counter_answer> answer = wait(asked);
  return answer ? *std::move(answer) : throw error(errc::no_state, no_answer(asked));
}

counters::counter_type rank_counters::type_of(const counter_name& name) {
  return answer_to(counter_action::describe, name).type;
}

std::unique_ptr<counters::counter> rank_counters::make(const counter_name& name) {
  return std::make_unique<remote_counter>(
      shared_from_this(), rank_of(name), answer_to(counter_action::make, name));
}

job_counters::job_counters(engine& home) : others_(std::make_shared<rank_counters>(home)) {
  counters::detail::set_other_localities(counters::process_counters(), others_);
}

job_counters::~job_counters() {
  counters::detail::set_other_localities(counters::process_counters(), nullptr);
  others_->leave();
}

}  // namespace weft::distributed::detail

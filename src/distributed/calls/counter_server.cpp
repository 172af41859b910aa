// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of this process, as other ranks ask for them.
#include "distributed/calls/counter_server.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/tasks/runtime_types.hpp"

#include "counters/core/localities.hpp"
#include "counters/core/signals_blocked.hpp"

namespace weft::distributed::detail {
namespace {

counters::counter_name own_name(const std::string& text) {
  return counters::detail::at_own_locality(counters::parse_counter_name(text));
}

std::vector<std::string> texts_of(const std::vector<counters::counter_name>& names) {
  std::vector<std::string> texts;
  std::ranges::transform(names, std::back_inserter(texts), counters::to_string);
  return texts;
}

}  // namespace

counter_server::~counter_server() = default;

void counter_server::take(tasks::work_item& item) {
  {
    const std::lock_guard guard(mutex_);
    if (!thread_.joinable()) {
      const counters::detail::signals_blocked of_the_thread;
      thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    }
    waiting_.push_back(&item);
  }
  wakes_.notify_one();
}

void counter_server::serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wakes_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    const auto items = std::exchange(waiting_, {});
    lock.unlock();
    now_ = std::make_unique<counters::evaluation>();
    for (tasks::work_item* const each : items) {
      each->run(*each);
    }
    now_.reset();
    lock.lock();
  }
}

counter_answer counter_server::answer(const counter_request& request) {
  const counters::registry& all = counters::process_counters();
  counter_answer answer;
  switch (request.action) {
    case counter_action::discover:
      answer.names = texts_of(all.discover(own_name(request.name)));
      return answer;
    case counter_action::describe:
      answer.type = all.type_of(own_name(request.name));
      return answer;
    case counter_action::make: {
      auto made = all.make(own_name(request.name));
      if (const auto interval = made->sampling_interval()) {
        answer.sampling_interval_ns = interval->count();
      }
      answer.number = ++num_made_;
      made_.emplace(answer.number, std::move(made));
      return answer;
    }
    case counter_action::destroy:
      made_.erase(request.number);
      return answer;
    default:
      break;
  }
  const auto found = made_.find(request.number);
  if (found == made_.end()) {
    throw error(errc::bad_parameter, "this rank has not made the counter that is to be read");
  }
  if (request.action == counter_action::evaluate) {
    found->second->prepare(*now_);
    answer.value = found->second->evaluate(*now_);
  } else if (request.action == counter_action::reset) {
    found->second->reset(*now_);
  } else {
    found->second->sample(*now_);
  }
  return answer;
}

counter_answer counter_target::call(engine& home, counter_request&& request) {
  return home.tables().counters->answer(request);
}

void counter_target::start(engine& home, tasks::work_item& item) noexcept try {
  home.tables().counters->take(item);
} catch (const std::exception& why) {
  home.abort_job("the counters of rank " + std::to_string(home.rank()) +
                 " cannot be read for another rank: " + why.what());
}

}  // namespace weft::distributed::detail

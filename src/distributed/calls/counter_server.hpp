// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads this rank's counters for other ranks, on a thread of its own, so that no request waits for a
// worker.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::distributed::detail {

enum class counter_action : std::uint8_t {
  discover,
  describe,
  make,
  evaluate,
  reset,
  sample,
  destroy
};

/// Names in requests and answers belong to the rank that answers, whatever their localities.
struct counter_request {
  counter_action action = counter_action::discover;
  std::string name;          // discover, describe, make
  std::uint64_t number = 0;  // of a counter that was made
};

struct counter_answer {
  static constexpr bool is_service = true;           // see detail/call.hpp
  std::vector<std::string> names;                    // discover
  counters::counter_type type;                       // describe
  std::uint64_t number = 0;                          // make
  std::optional<std::int64_t> sampling_interval_ns;  // make
  std::optional<counters::counter_value> value;      // evaluate
};

/// Threads: `take` from any; everything else on the server's own thread.
class counter_server {
 public:
  counter_server() = default;
  counter_server(const counter_server&) = delete;
  counter_server& operator=(const counter_server&) = delete;
  ~counter_server();

  /// Runs a request's work item on the server's thread, after all that came before.
  /// Errors:  std::bad_alloc; std::system_error if the thread cannot be started.
  void take(tasks::work_item& item);
  /// Errors:  `weft::error` for a name that means nothing.
  [[nodiscard]] counter_answer answer(const counter_request& request);

 private:
  void serve(const std::stop_token& stop);

  std::mutex mutex_;  // protects `waiting_` and `thread_`
  std::condition_variable_any wakes_;
  std::deque<tasks::work_item*> waiting_;
  // Counters that are read in one go are evaluated at one moment.
  std::unique_ptr<counters::evaluation> now_;
  std::map<std::uint64_t, std::unique_ptr<counters::counter>> made_;
  std::uint64_t num_made_ = 0;
  std::jthread thread_;  // from the first request on; the last member, so that it ends first
};

/// What `remote_call` needs to know of a request.
struct counter_target {
  using arguments = std::tuple<counter_request>;
  using result = counter_answer;
  static counter_answer call(engine& home, counter_request&& request);
  static void start(engine& home, tasks::work_item& item) noexcept;
};

}  // namespace weft::distributed::detail

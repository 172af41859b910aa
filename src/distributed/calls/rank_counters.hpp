// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters of the other ranks of a job, for sessions of this one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/tasks/future.hpp"

#include "counters/core/localities.hpp"
#include "distributed/calls/counter_server.hpp"

namespace weft::distributed::detail {

/// A request that was sent to a rank.
struct asked_rank {
  int rank = 0;
  future<counter_answer> answer;
  std::chrono::seconds limit{0};
  std::chrono::steady_clock::time_point deadline;
};

/// Waits for answers as OS threads do, since a session holds locks of the OS meanwhile.
///
/// Threads: every member from any thread.
class rank_counters final : public counters::detail::other_localities,
                            public std::enable_shared_from_this<rank_counters> {
 public:
  explicit rank_counters(engine& home) : home_(&home) {}

  [[nodiscard]] std::vector<counters::counter_name> discover(
      const counters::counter_name& pattern) override;
  [[nodiscard]] counters::counter_type type_of(const counters::counter_name& name) override;
  [[nodiscard]] std::unique_ptr<counters::counter> make(
      const counters::counter_name& name) override;

  /// Errors:  `weft::error` if there is no such rank, or no job any more.
  [[nodiscard]] asked_rank ask(std::uint32_t rank,
                               counter_request request,
                               std::chrono::seconds limit = usual_limit);
  /// Returns nothing if the rank does not answer in time, or the job has ended.
  /// Errors:  what the rank throws.
  [[nodiscard]] std::optional<counter_answer> wait(asked_rank& asked);
  /// Says why `wait` returned nothing.
  [[nodiscard]] std::string no_answer(const asked_rank& asked) const;
  /// Sends a request whose answer nobody needs, and never waits; does nothing once the job has ended.
  void tell(std::uint32_t rank, counter_request request) noexcept;

  /// Asks no rank any more, and returns when nobody waits for one.
  void leave() noexcept;

 private:
  [[nodiscard]] bool is_known(int rank, const std::string& pattern);
  [[nodiscard]] std::vector<int> ranks_of(const counters::counter_name& pattern);
  [[nodiscard]] std::vector<counters::counter_name> names_in(asked_rank& asked,
                                                             const std::string& pattern);
  [[nodiscard]] counter_answer answer_to(counter_action action, const counters::counter_name& name);

  static constexpr std::chrono::seconds usual_limit{2};

  std::atomic<bool> has_left_{false};  // ends all waits
  std::shared_mutex mutex_;            // protects `home_`
  engine* home_;
  std::mutex known_mutex_;  // protects `known_`
  // What each rank answered last to each pattern; for ranks that do not answer in time.
  std::map<std::pair<int, std::string>, std::vector<std::string>> known_;
};

/// While it lives, names of counters with another rank's locality mean that rank's counters.
class job_counters {
 public:
  explicit job_counters(engine& home);
  job_counters(const job_counters&) = delete;
  job_counters& operator=(const job_counters&) = delete;
  ~job_counters();

 private:
  std::shared_ptr<rank_counters> others_;
};

}  // namespace weft::distributed::detail

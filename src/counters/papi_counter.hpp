// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter of a PAPI event: on all threads of the process, or on a worker's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/papi_machine.hpp"

namespace weft::counters::detail {

/// Begins when first evaluated or reset. A thread counts from the first reading that finds it: one
/// that begins and ends between two readings is missed.
class papi_counter final : public counter {
 public:
  /// Without `worker` counts on all threads.
  papi_counter(std::shared_ptr<papi_machine> machine,
               std::string event,
               std::optional<counter_name> worker);

  [[nodiscard]] counter_value evaluate(evaluation& now) override;
  void reset(evaluation& now) override;

 private:
  struct counted_thread {
    int thread_id;
    std::shared_ptr<papi_set> set;
    std::int64_t base = 0;
    std::int64_t last = 0;
  };
  void follow_threads();
  void add_thread(int thread_id);
  [[nodiscard]] std::vector<int> wanted_threads() const;
  /// Reads all threads into `last`; one that has ended keeps what it had.
  bool read_all();

  std::shared_ptr<papi_machine> machine_;  // outlives the sets below
  std::string event_;
  std::optional<counter_name> worker_;

  bool is_proven_ = false;
  int code_ = 0;
  std::string reason_;  // why it is unavailable for good
  std::vector<counted_thread> threads_;
};

}  // namespace weft::counters::detail

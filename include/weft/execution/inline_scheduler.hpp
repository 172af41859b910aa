// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler that schedules nothing: work runs where it is started.
#pragma once

#include <tuple>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"

namespace weft::execution {

class inline_scheduler;

namespace detail {

struct [[nodiscard]] inline_sender {
  using tag_type = schedule_t;
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t()>;
  template <class Receiver>
  constexpr auto connect(Receiver to) const noexcept {
    return just_operation<Receiver, set_value_t>(static_cast<Receiver&&>(to), std::tuple<>());
  }
  [[nodiscard]] constexpr completes_where_started get_env() const noexcept { return {}; }
};

}  // namespace detail

/// Runs work where it is started.
class inline_scheduler {
 public:
  using scheduler_concept = scheduler_tag;
  [[nodiscard]] constexpr detail::inline_sender schedule() const noexcept { return {}; }
  [[nodiscard]] static constexpr forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) noexcept {
    return forward_progress_guarantee::weakly_parallel;
  }
  friend constexpr bool operator==(inline_scheduler, inline_scheduler) noexcept = default;
};

}  // namespace weft::execution

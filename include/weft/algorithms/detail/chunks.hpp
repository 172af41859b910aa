// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over indices, in chunks that whoever is free takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/algorithms/detail/ordered_claims.hpp"
#include "weft/algorithms/detail/prologue.hpp"
#include "weft/algorithms/detail/shares.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft::algorithms::detail {

/// How what a beginning left is cut.
struct chunk_plan {
  std::size_t max_shares = 1;
  chunk_claims::rule rule;
};

/// Whether the caller chose chunks, so that nothing is measured first.
template <class How>
inline constexpr bool has_own_chunks =
    How::template has<static_chunk_size> || How::template has<dynamic_chunk_size> ||
    How::template has<guided_chunk_size>;

[[nodiscard]] inline std::size_t ceil_div(std::size_t n, std::size_t by) noexcept {
  return n / by + (n % by != 0 ? 1 : 0);
}

template <class How>
[[nodiscard]] chunk_plan plan_chunks(const How& how,
                                     const loop_shape& shape,
                                     const beginning& so_far) {
  const std::size_t rest = shape.n - so_far.done;
  const std::size_t shares = num_shares(how);
  chunk_plan plan{.max_shares = shares, .rule = {.multiple_of = shape.multiple_of}};
  if constexpr (How::template has<static_chunk_size>) {
    const std::size_t size = how.template get<static_chunk_size>().size;
    plan.rule.min_size = size != 0 ? size : std::max<std::size_t>(1, ceil_div(rest, 4 * shares));
  } else if constexpr (How::template has<dynamic_chunk_size>) {
    plan.rule.min_size = std::max<std::size_t>(1, how.template get<dynamic_chunk_size>().size);
  } else if constexpr (How::template has<guided_chunk_size>) {
    plan.rule.min_size = std::max<std::size_t>(1, how.template get<guided_chunk_size>().min_size);
    plan.rule.divisor = shares;
  } else {
    const wake_costs& limits = machine_wake_costs();
    plan.rule.min_size = elements_in(limits.chunk, so_far.ticks_per_element, rest);
    plan.rule.divisor = 2 * shares;
  }
  if constexpr (How::template has<max_num_chunks>) {
    const std::size_t count = how.template get<max_num_chunks>().count;
    if (count != 0) {
      plan.rule.min_size = std::max(plan.rule.min_size, ceil_div(rest, count));
    }
  }
  plan.max_shares = std::min(shares, ceil_div(rest, plan.rule.min_size));
  return plan;
}

/// Calls `body(first, last)` for chunks of [done, n) by all that come.
template <class How, class Body>
void share_chunks(const How& how, const loop_shape& shape, const beginning& so_far, Body& body) {
  const chunk_plan plan = plan_chunks(how, shape, so_far);
  chunk_claims claims(so_far.done, shape.n, plan.rule);
  region(how, plan.max_shares, [&claims, &body](std::size_t /*share*/) {
    while (const std::optional<tile> mine = claims.claim()) {
      try {
        body(mine->first, mine->last);
      } catch (...) {
        claims.stop();
        throw;
      }
    }
  });
}

template <class How, class Body>
[[gnu::noinline]] void for_long_chunks(const How& how,
                                       const loop_shape& shape,
                                       cost_record& costs,
                                       Body& body) {
  if (shape.n == 0) {
    return;
  }
  beginning so_far;
  if constexpr (!has_own_chunks<How>) {
    loops_until_timed = 8;
    so_far = run_beginning(shape, costs, body);
    if (so_far.done == shape.n) {
      return;
    }
  }
  share_chunks(how, shape, so_far, body);
}

/// Calls `body(first, last)` over disjoint chunks that cover [0, n), in any order, on any worker.
///
/// The caller begins alone and wakes others only when it knows that this pays. A loop that is known
/// to be short is `body(0, n)`, with neither clock nor atomic read-modify-write.
template <class How, class Body>
[[gnu::always_inline]] inline void for_chunks(const How& how,
                                              loop_shape shape,
                                              cost_record& costs,
                                              Body&& body) {
  if constexpr (!How::is_parallel) {
    body(std::size_t{0}, shape.n);
  } else {
    if (!has_own_chunks<How> && costs.is_short(shape.n)) [[likely]] {
      body(std::size_t{0}, shape.n);
    } else {
      for_long_chunks(how, shape, costs, body);
    }
  }
}

template <class How, class Body>
[[gnu::noinline]] std::size_t run_long_front(const loop_shape& shape,
                                             cost_record& costs,
                                             Body& body) {
  if (shape.n == 0) {
    return 0;
  }
  loops_until_timed = 8;
  return run_beginning(shape, costs, body).done;
}

/// Runs `body(first, last)` over blocks from the front on the caller, in order, until it is known
/// that others should help, and returns where; n: all is done.
template <class How, class Body>
[[gnu::always_inline]] inline std::size_t run_front(const How& /*how*/,
                                                    loop_shape shape,
                                                    cost_record& costs,
                                                    Body&& body) {
  if constexpr (!How::is_parallel) {
    body(std::size_t{0}, shape.n);
    return shape.n;
  } else if constexpr (has_own_chunks<How>) {
    return 0;
  } else {
    if (costs.is_short(shape.n)) [[likely]] {
      body(std::size_t{0}, shape.n);
      return shape.n;
    }
    return run_long_front<How>(shape, costs, body);
  }
}

}  // namespace weft::algorithms::detail

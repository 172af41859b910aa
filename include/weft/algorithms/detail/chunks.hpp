// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over indices, in chunks that whoever is free takes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/algorithms/detail/ordered_claims.hpp"
#include "weft/algorithms/detail/prologue.hpp"
#include "weft/algorithms/detail/shares.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/tasks/detail/self.hpp"
#include "weft/tasks/detail/worker.hpp"

namespace weft::algorithms::detail {

/// How what a beginning left is cut.
struct chunk_plan {
  std::size_t first = 0;       // done is all before
  std::size_t n = 0;           // of the whole loop
  std::size_t num_cores = 1;   // that there are
  std::size_t max_shares = 1;  // that there is work for
  std::size_t num_bytes = 0;   // that the whole loop moves; 0: not known
  chunk_claims::rule rule;
};

using kept_auto_chunk_size = kept<persistent_auto_chunk_size>;

/// Whether the caller chose how large chunks are, so that nothing is measured first.
template <class How>
inline constexpr bool has_own_chunks =
    How::template has<static_chunk_size> || How::template has<dynamic_chunk_size> ||
    How::template has<guided_chunk_size>;

template <class How>
inline constexpr bool has_kept_chunks = How::template has<kept_auto_chunk_size>;

/// Whether a short loop may run without any of what follows.
template <class How>
inline constexpr bool may_be_short = !has_own_chunks<How> && !has_kept_chunks<How> &&
                                     !How::template has<collect_chunking_parameters>;

/// Whether the caller begins alone to measure.
template <class How>
[[nodiscard]] bool must_measure(const How& how) noexcept {
  if constexpr (has_own_chunks<How>) {
    return false;
  } else if constexpr (has_kept_chunks<How>) {
    return how.template get<kept_auto_chunk_size>().object->size.load(std::memory_order_relaxed) ==
           0;
  } else {
    return true;
  }
}

[[nodiscard]] inline std::size_t ceil_div(std::size_t n, std::size_t by) noexcept {
  return n / by + (n % by != 0 ? 1 : 0);
}

/// The chunks that the policy asks for in so many words.
template <class How>
[[nodiscard]] chunk_claims::rule chosen_rule(const How& how, std::size_t rest, std::size_t shares) {
  if constexpr (How::template has<static_chunk_size>) {
    constexpr std::size_t chunks_per_share = 4;
    const std::size_t size = how.template get<static_chunk_size>().size;
    return {.min_size = size != 0 ? size : ceil_div(rest, chunks_per_share * shares)};
  } else if constexpr (How::template has<dynamic_chunk_size>) {
    return {.min_size = how.template get<dynamic_chunk_size>().size};
  } else {
    return {.min_size = how.template get<guided_chunk_size>().min_size, .divisor = shares};
  }
}

/// The chunks that follow from what elements took.
template <class How>
[[nodiscard]] chunk_claims::rule measured_rule(const How& how,
                                               std::size_t rest,
                                               std::size_t shares,
                                               float ns_per_element,
                                               float least_ns = chunk_ns) {
  constexpr std::size_t chunks_per_share = 2;
  if constexpr (How::template has<auto_chunk_size>) {
    const auto time = how.template get<auto_chunk_size>().time;
    return {.min_size = elements_in(static_cast<float>(time.count()), ns_per_element, rest)};
  } else if constexpr (has_kept_chunks<How>) {
    const persistent_auto_chunk_size& kept_size = *how.template get<kept_auto_chunk_size>().object;
    std::size_t size = kept_size.size.load(std::memory_order_relaxed);
    if (size == 0) {
      size = elements_in(static_cast<float>(kept_size.time.count()), ns_per_element, rest);
      kept_size.size.store(size, std::memory_order_relaxed);
    }
    return {.min_size = size};
  } else {
    return {.min_size = elements_in(least_ns, ns_per_element, rest),
            .divisor = chunks_per_share * shares};
  }
}

template <class How>
[[nodiscard]] chunk_plan plan_chunks(const How& how,
                                     const loop_shape& shape,
                                     const beginning& so_far,
                                     float least_ns = chunk_ns) {
  const std::size_t rest = shape.n - so_far.done;
  const std::size_t shares = num_shares(how);
  chunk_plan plan{.first = so_far.done,
                  .n = shape.n,
                  .num_cores = shares,
                  .max_shares = shares,
                  .num_bytes = shape.n * shape.bytes_per_element,
                  .rule = {}};
  if constexpr (has_own_chunks<How>) {
    plan.rule = chosen_rule(how, rest, shares);
  } else {
    plan.rule = measured_rule(how, rest, shares, so_far.ns_per_element, least_ns);
  }
  std::size_t least = 1;
  if constexpr (How::template has<max_num_chunks>) {
    const std::size_t count = how.template get<max_num_chunks>().count;
    least = count == 0 ? 1 : ceil_div(rest, count);
  }
  plan.rule.multiple_of = shape.multiple_of;
  const std::size_t wanted = std::max({plan.rule.min_size, least, std::size_t{1}});
  plan.rule.min_size = round_up(std::min(wanted, rest), shape.multiple_of);
  plan.max_shares = std::min(shares, ceil_div(rest, plan.rule.min_size));
  return plan;
}

/// Tells the policy's owner what was chosen, if it wants to know.
template <class How>
void report(const How& how, const chunking_parameters& chosen) noexcept {
  if constexpr (How::template has<collect_chunking_parameters>) {
    *how.template get<collect_chunking_parameters>().into = chosen;
  }
}

template <class How>
void report_alone(const How& how, std::size_t n) noexcept {
  report(how, {.num_elements = n, .num_cores = 1, .num_chunks = 1, .chunk_size = 0});
}

/// The part that a share begins with: the caller's is the first; a worker has the same one whenever
/// it is a guest, and finds there what it wrote the last time.
[[nodiscard]] inline std::size_t part_of(std::size_t share, std::size_t num_parts) noexcept {
  if (share == 0 || num_parts == 1) {
    return 0;
  }
  const tasks::detail::worker* const w = tasks::detail::self();
  return 1 + (w != nullptr ? w->index : share - 1) % (num_parts - 1);
}

/// Calls `visit(chunk)` for the chunks of `claims` by all that come; one that returns false is the
/// last.
template <class How, class Claims, class Visit>
void share_claims(
    const How& how, const chunk_plan& plan, cost_record& costs, Claims& claims, Visit& visit) {
  loop_facts facts{.num_elements = plan.n - plan.first};
  const auto share = [&claims, &facts, &costs, &visit](std::size_t index) {
    const std::size_t part = part_of(index, claims.num_parts());
    std::size_t num_chunks = 0;
    std::size_t num_elements = 0;
    const tick_watch watch;
    try {
      while (const std::optional<tile> mine = claims.claim(part)) {
        ++num_chunks;
        num_elements += mine->last - mine->first;
        if (!visit(*mine)) {
          claims.stop();
        }
      }
    } catch (...) {
      claims.stop();
      throw;
    }
    facts.num_chunks.fetch_add(num_chunks, std::memory_order_relaxed);
    if (index == 0 && num_elements != 0) {
      costs.note_shared(num_elements, watch.elapsed_ns(ns_per_tick()));
    }
  };
  const std::size_t first_size = claims.size_of_first();
  region(how, plan.max_shares, share, &facts);
  report(how,
         {.num_elements = plan.n,
          .num_cores = plan.num_cores,
          .num_chunks = facts.num_chunks.load(std::memory_order_relaxed),
          .chunk_size = first_size});
}

/// The same for chunks of [plan.first, plan.n), taken from the front.
template <class How, class Visit>
void share_in_order(const How& how, const chunk_plan& plan, cost_record& costs, Visit& visit) {
  chunk_claims claims(plan.first, plan.n, plan.rule);
  share_claims(how, plan, costs, claims, visit);
}

/// Which way the calling thread's loop in any order goes through its parts: not as the last one,
/// unless it moves so much (`num_bytes`) that no cache holds any of it by then.
///
/// Not inlined: compilers keep the addresses of thread-local variables, and a task may go on on
/// another thread behind a loop.
[[nodiscard]] [[gnu::noinline]] inline sweep take_next_sweep(std::size_t num_bytes) noexcept {
  static constinit thread_local sweep next = sweep::forwards;
  constexpr std::size_t most_bytes_swept_back = std::size_t{32} << 20U;
  const sweep way = num_bytes <= most_bytes_swept_back ? next : sweep::forwards;
  next = way == sweep::forwards ? sweep::backwards : sweep::forwards;
  return way;
}

/// The same in any order: where nobody chose how chunks are, everybody has a part.
template <class How, class Visit>
void share_chunks(const How& how, const chunk_plan& plan, cost_record& costs, Visit& visit) {
  if constexpr (has_own_chunks<How> || How::template has<max_num_chunks>) {
    share_in_order(how, plan, costs, visit);
  } else {
    parted_claims claims(
        plan.first, plan.n, plan.rule, plan.max_shares, take_next_sweep(plan.num_bytes));
    share_claims(how, plan, costs, claims, visit);
  }
}

/// Whether others are there for `rest_ns` of work, and may be expected to come in time.
template <class How>
[[nodiscard]] bool would_help(const How& how, float rest_ns) {
  return num_shares(how) > 1 && pays_to_share(is_anyone_awake(how.executor()), rest_ns);
}

/// Whether others help with all of a call over `n` elements, by what such calls took before; with
/// the first ones they do.
template <class How>
[[nodiscard]] bool pays_to_share_all(const How& how, const cost_record& costs, std::size_t n) {
  if constexpr (How::is_parallel) {
    const float expected_ns = costs.ns_per_element() * static_cast<float>(n);
    return expected_ns >= worthwhile_ns && would_help(how, expected_ns);
  } else {
    return false;
  }
}

/// Notes how long its life was, as that of a call over `n` elements by one worker or by several.
class cost_note {
 public:
  cost_note(cost_record& costs, std::size_t n, bool is_shared = false) noexcept
      : costs_(costs), n_(n), is_shared_(is_shared) {}
  cost_note(const cost_note&) = delete;
  cost_note& operator=(const cost_note&) = delete;
  ~cost_note() {
    const float elapsed_ns = watch_.elapsed_ns(ns_per_tick());
    is_shared_ ? costs_.note_shared(n_, elapsed_ns) : costs_.note(n_, elapsed_ns);
  }

 private:
  cost_record& costs_;
  std::size_t n_;
  bool is_shared_;
  tick_watch watch_;
};

/// The caller's own beginning, if the policy wants one; with the report if that was all.
template <class How, class Body>
[[nodiscard]] beginning begin_loop(const How& how,
                                   const loop_shape& shape,
                                   cost_record& costs,
                                   Body& body,
                                   const loop_limits& limits = {}) {
  if (shape.n == 0) {
    report_alone(how, 0);
    return {};
  }
  if (!must_measure(how)) {
    return {};
  }
  beginning so_far = run_beginning(shape, costs, body, limits);
  const std::size_t rest = shape.n - so_far.done;
  if (rest != 0 && !would_help(how, so_far.ns_per_element * static_cast<float>(rest))) {
    const tick_watch watch;
    const std::size_t count = run_block(body, so_far.done, shape.n) - so_far.done;
    const float elapsed_ns = watch.elapsed_ns(ns_per_tick());
    costs.note(std::max<std::size_t>(count, 1), elapsed_ns);
    note_alone(shape.n, elapsed_ns);
    so_far.done = shape.n;
  }
  if (so_far.done == shape.n) {
    report_alone(how, shape.n);
  }
  return so_far;
}

/// Whether enough is known to cut a loop into chunks at once: others are awake, and there is work
/// for them even if it takes half as long as it did.
template <class How>
[[nodiscard]] bool may_begin_together(const How& how,
                                      const loop_shape& shape,
                                      const cost_record& costs) {
  const float expected_ns = costs.ns_per_element() * static_cast<float>(shape.n);
  return expected_ns >= 2 * unordered_limits.worthwhile_ns &&
         expected_ns < std::numeric_limits<float>::max() && num_shares(how) > 1 &&
         is_anyone_awake(how.executor());
}

/// As begin_loop, for chunks that may be done in any order however many there are.
template <class How, class Body>
[[nodiscard]] beginning begin_unordered_loop(const How& how,
                                             const loop_shape& shape,
                                             cost_record& costs,
                                             Body& body) {
  if constexpr (may_be_short<How>) {
    if (may_begin_together(how, shape, costs)) {
      let_go_untimed(untimed_ns);
      return {.done = 0, .ns_per_element = costs.ns_per_element()};
    }
  }
  return begin_loop(how, shape, costs, body, unordered_limits);
}

template <class How, class Body>
[[gnu::noinline]] void for_long_chunks(const How& how,
                                       loop_shape shape,
                                       cost_record& costs,
                                       const handed_body<Body> body) {
  const beginning so_far = begin_unordered_loop(how, shape, costs, body);
  if (so_far.done != shape.n) {
    const auto visit = [&body](const tile& chunk) {
      static_cast<void>(body(chunk.first, chunk.last));
      return true;
    };
    const chunk_plan plan = plan_chunks(how, shape, so_far, unordered_limits.chunk_ns);
    share_chunks(how, plan, costs, visit);
  }
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
    if (may_be_short<How> && costs.is_short(shape.n, unordered_limits.short_ns)) [[likely]] {
      body(std::size_t{0}, shape.n);
    } else {
      for_long_chunks(how, shape, costs, handed_body<std::remove_reference_t<Body>>(body));
    }
  }
}

template <class How, class Body>
[[gnu::noinline]] std::size_t run_long_front(const How& how,
                                             loop_shape shape,
                                             cost_record& costs,
                                             const handed_body<Body> body) {
  return begin_loop(how, shape, costs, body).done;
}

/// Runs `body(first, last)` over blocks from the front on the caller, in order, until it is known
/// that others should help, and returns where; n: all is done.
template <class How, class Body>
[[gnu::always_inline]] inline std::size_t run_front(const How& how,
                                                    loop_shape shape,
                                                    cost_record& costs,
                                                    Body&& body) {
  if constexpr (!How::is_parallel) {
    body(std::size_t{0}, shape.n);
    return shape.n;
  } else {
    if (may_be_short<How> && costs.is_short(shape.n)) [[likely]] {
      body(std::size_t{0}, shape.n);
      return shape.n;
    }
    return run_long_front(how, shape, costs, handed_body<std::remove_reference_t<Body>>(body));
  }
}

}  // namespace weft::algorithms::detail

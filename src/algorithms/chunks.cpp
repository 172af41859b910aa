// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts parallel loops, cuts them into chunks and shares the chunks, for all policies and bodies.
#include "weft/algorithms/detail/loops/chunks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/crew.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/search_claims.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/base/profile.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::algorithms::detail {

bool must_measure(const loop_policy& how) noexcept {
  if (how.choice == chunk_choice::kept) {
    return !how.kept->size().has_value();
  }
  return !how.has_own_chunks();
}

chunk_claims::rule chosen_rule(const loop_policy& how, std::size_t rest, std::size_t shares) {
  constexpr std::size_t chunks_per_share = 4;
  switch (how.choice) {
    case chunk_choice::guided:
      return {.min_size = how.chunk_size.value_or(1), .divisor = shares};
    case chunk_choice::fixed:
      return {.min_size = how.chunk_size.value_or(0) != 0
                              ? *how.chunk_size
                              : ceil_div(rest, chunks_per_share * shares)};
    default:
      return {.min_size = how.chunk_size.value_or(1)};
  }
}

chunk_claims::rule measured_rule(const loop_policy& how,
                                 std::size_t rest,
                                 std::size_t shares,
                                 float ns_per_element,
                                 float least_ns) {
  constexpr std::size_t chunks_per_share = 2;
  if (how.choice == chunk_choice::in_time) {
    return {.min_size = elements_in(how.chunk_ns, ns_per_element, rest)};
  }
  if (how.choice == chunk_choice::kept) {
    std::optional<std::size_t> size = how.kept->size();
    if (!size) {
      size = elements_in(how.chunk_ns, ns_per_element, rest);
      how.kept->keep(*size);
    }
    return {.min_size = *size};
  }
  return {.min_size = elements_in(least_ns, ns_per_element, rest),
          .divisor = chunks_per_share * shares};
}

std::size_t least_for(const std::optional<std::size_t>& most_chunks, std::size_t n) noexcept {
  const std::size_t num_chunks = std::max<std::size_t>(most_chunks.value_or(n), 1);
  return std::max<std::size_t>(ceil_div(n, num_chunks), 1);
}

namespace {

/// Returns how many of `shares` workers a loop can keep busy. By the machine profile, memory is read
/// at most as fast as a few workers read it that do nothing else. Workers beyond that would wait.
///
/// A policy that names a number of cores or the chunks decides itself.
[[nodiscard]] std::size_t useful_shares(const loop_policy& how,
                                        const loop_shape& shape,
                                        const beginning& so_far,
                                        std::size_t shares) {
  static const std::optional<double>& workers = base::profile().memory_workers;
  static const std::optional<double>& worker_gb_per_s = base::profile().worker_gb_per_s;
  static const std::optional<double>& cache_bytes = base::profile().cache_bytes;
  const auto num_bytes = static_cast<double>(shape.n * shape.bytes_per_element);
  if (!workers || !worker_gb_per_s || !cache_bytes || how.most_cores ||
      how.choice != chunk_choice::measured ||
      !(so_far.alone_ns > 0 && so_far.alone_ns < std::numeric_limits<float>::max()) ||
      num_bytes <= *cache_bytes) {
    return shares;
  }
  const double fastest = *worker_gb_per_s;  // bytes per nanosecond
  const double rate =
      std::min(static_cast<double>(shape.bytes_per_element) / so_far.alone_ns, fastest);
  constexpr double no_worker = 0.05;  // rates are not known better than that
  const double useful = *workers * fastest / rate - no_worker;
  return useful < static_cast<double>(shares) ? static_cast<std::size_t>(std::ceil(useful))
                                              : shares;
}

}  // namespace

chunk_plan plan_chunks(const loop_policy& how,
                       const loop_shape& shape,
                       const beginning& so_far,
                       float least_ns) {
  const std::size_t rest = shape.n - so_far.done;
  const std::size_t shares = useful_shares(how, shape, so_far, num_shares(how));
  chunk_plan plan{.first = so_far.done,
                  .n = shape.n,
                  .num_cores = shares,
                  .max_shares = shares,
                  .num_bytes = shape.n * shape.bytes_per_element,
                  .rule = how.has_own_chunks()
                              ? chosen_rule(how, rest, shares)
                              : measured_rule(how, rest, shares, so_far.ns_per_element, least_ns)};
  const std::size_t least = least_for(how.most_chunks, rest);
  plan.rule.multiple_of = shape.multiple_of;
  const std::size_t wanted = std::max(plan.rule.min_size, least);
  plan.rule.min_size = round_up(std::min(wanted, rest), shape.multiple_of);
  plan.max_shares = std::min(shares, ceil_div(rest, plan.rule.min_size));
  return plan;
}

void report_alone(const loop_policy& how, std::size_t n) noexcept {
  report(how, {.num_elements = n, .num_cores = 1, .num_chunks = 1, .chunk_size = {}});
}

std::size_t part_of(std::size_t share, std::size_t num_parts) noexcept {
  if (share == 0 || num_parts == 1) {
    return 0;
  }
  return 1 + tasks::worker_index(share - 1) % (num_parts - 1);
}

cost_note::~cost_note() {
  const float elapsed_ns = watch_.elapsed_ns(ns_per_tick());
  is_shared_ ? costs_.note_shared(n_, elapsed_ns) : costs_.note(n_, elapsed_ns);
}

namespace {

template <class Claims>
void share_any_claims(const loop_policy& how,
                      const chunk_plan& plan,
                      cost_record& costs,
                      Claims& claims,
                      const chunk_visit& visit) {
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

/// Returns the direction of the calling thread's next loop in any order: the opposite of its
/// previous one. Data that the previous loop left in a cache is then read first. A loop that moves
/// more bytes (`num_bytes`) than caches hold always goes forwards.
///
/// Not inlined: compilers keep the addresses of thread-local variables, but a task may resume on
/// another thread after a loop.
[[nodiscard]] [[gnu::noinline]] sweep take_next_sweep(std::size_t num_bytes) noexcept {
  static constinit thread_local sweep next = sweep::forwards;
  constexpr std::size_t most_bytes_swept_back = std::size_t{32} << 20U;
  const sweep way = num_bytes <= most_bytes_swept_back ? next : sweep::forwards;
  next = way == sweep::forwards ? sweep::backwards : sweep::forwards;
  return way;
}

}  // namespace

void share_claims(const loop_policy& how,
                  const chunk_plan& plan,
                  cost_record& costs,
                  search_claims& claims,
                  const chunk_visit& visit) {
  share_any_claims(how, plan, costs, claims, visit);
}

void share_claims(const loop_policy& how,
                  const chunk_plan& plan,
                  cost_record& costs,
                  parted_claims& claims,
                  const chunk_visit& visit) {
  share_any_claims(how, plan, costs, claims, visit);
}

void share_in_order(const loop_policy& how,
                    const chunk_plan& plan,
                    cost_record& costs,
                    const chunk_visit& visit) {
  chunk_claims claims(plan.first, plan.n, plan.rule);
  share_any_claims(how, plan, costs, claims, visit);
}

void share_chunks(const loop_policy& how,
                  const chunk_plan& plan,
                  cost_record& costs,
                  const chunk_visit& visit) {
  if (how.has_own_chunks() || how.most_chunks) {
    share_in_order(how, plan, costs, visit);
  } else {
    parted_claims claims(
        plan.first, plan.n, plan.rule, plan.max_shares, take_next_sweep(plan.num_bytes));
    share_any_claims(how, plan, costs, claims, visit);
  }
}

bool pays_to_share_all(const loop_policy& how, const cost_record& costs, std::size_t n) {
  constexpr float likely_ns = 4;  // assumed for an element that was never timed
  const float known_ns = costs.ns_per_element();
  const float each_ns = known_ns < std::numeric_limits<float>::max() ? known_ns : likely_ns;
  const float expected_ns = each_ns * static_cast<float>(n);
  return how.calls != nullptr && expected_ns >= worthwhile_ns && would_help(how, expected_ns);
}

beginning begin_loop(const loop_policy& how,
                     const loop_shape& shape,
                     cost_record& costs,
                     const loop_body& body,
                     const loop_limits& limits) {
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
    const std::size_t count = body(so_far.done, shape.n) - so_far.done;
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

bool may_begin_together(const loop_policy& how, const loop_shape& shape, const cost_record& costs) {
  const float expected_ns = costs.ns_per_element() * static_cast<float>(shape.n);
  return expected_ns >= 2 * unordered_limits.worthwhile_ns &&
         expected_ns < std::numeric_limits<float>::max() && are_workers_awake(how);
}

beginning begin_unordered_loop(const loop_policy& how,
                               const loop_shape& shape,
                               cost_record& costs,
                               const loop_body& body) {
  if (how.may_be_short() && may_begin_together(how, shape, costs)) {
    let_go_untimed(untimed_ns);
    return {.done = 0,
            .ns_per_element = costs.ns_per_element(),
            .alone_ns = costs.shared_ns_per_element()};
  }
  return begin_loop(how, shape, costs, body, unordered_limits);
}

void for_long_chunks(const loop_policy& how,
                     const loop_shape& shape,
                     cost_record& costs,
                     const loop_body& body) {
  const beginning so_far = begin_unordered_loop(how, shape, costs, body);
  if (so_far.done != shape.n) {
    const auto visit = [&body](const tile& chunk) {
      static_cast<void>(body(chunk.first, chunk.last));
      return true;
    };
    share_chunks(
        how, plan_chunks(how, shape, so_far, unordered_limits.chunk_ns), costs, chunk_visit(visit));
  }
}

}  // namespace weft::algorithms::detail

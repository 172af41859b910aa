// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over indices, in chunks that free workers take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/search_claims.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"

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

/// Whether the policy says something of how large chunks are, or how many.
template <class How>
inline constexpr bool chooses_chunks =
    has_own_chunks<How> || has_kept_chunks<How> || How::template has<auto_chunk_size> ||
    How::template has<max_num_chunks>;

/// Whether the caller begins alone to measure.
[[nodiscard]] bool must_measure(const loop_policy& how) noexcept;

[[nodiscard]] inline std::size_t ceil_div(std::size_t n, std::size_t by) noexcept {
  return n / by + (n % by != 0 ? 1 : 0);
}

/// The chunks that the policy explicitly requests.
[[nodiscard]] chunk_claims::rule chosen_rule(const loop_policy& how,
                                             std::size_t rest,
                                             std::size_t shares);

/// The chunks that follow from what elements took.
[[nodiscard]] chunk_claims::rule measured_rule(const loop_policy& how,
                                               std::size_t rest,
                                               std::size_t shares,
                                               float ns_per_element,
                                               float least_ns = chunk_ns);

[[nodiscard]] chunk_plan plan_chunks(const loop_policy& how,
                                     const loop_shape& shape,
                                     const beginning& so_far,
                                     float least_ns = chunk_ns);

/// The least chunk size, at least 1, with which `n` elements make at most `most_chunks` chunks.
[[nodiscard]] std::size_t least_for(const std::optional<std::size_t>& most_chunks,
                                    std::size_t n) noexcept;

/// Says that the caller did all of a loop over `n` elements.
void report_alone(const loop_policy& how, std::size_t n) noexcept;

/// The part with which a share begins. The calling thread begins with part 0. A worker gets the
/// same part in every call, so its data may still be in its caches.
[[nodiscard]] std::size_t part_of(std::size_t share, std::size_t num_parts) noexcept;

/// The body for a chunk, without its type: whether to continue with other chunks. Refers to it.
class chunk_visit {
 public:
  template <class Visit>
    requires(!std::is_same_v<std::remove_const_t<Visit>, chunk_visit>)
  explicit chunk_visit(Visit& visit) noexcept
      : visit_(const_cast<void*>(static_cast<const void*>(std::addressof(visit)))),
        call_([](void* object, const tile& chunk) -> bool {
          return (*static_cast<Visit*>(object))(chunk);
        }) {}

  bool operator()(const tile& chunk) const { return call_(visit_, chunk); }

 private:
  void* visit_;
  bool (*call_)(void* visit, const tile& chunk);
};

/// Calls `visit(chunk)` for the chunks of `claims` on all workers that help. A call that returns
/// false is the last.
void share_claims(const loop_policy& how,
                  const chunk_plan& plan,
                  cost_record& costs,
                  search_claims& claims,
                  const chunk_visit& visit);
void share_claims(const loop_policy& how,
                  const chunk_plan& plan,
                  cost_record& costs,
                  parted_claims& claims,
                  const chunk_visit& visit);

/// The same for chunks of [plan.first, plan.n), taken from the front.
void share_in_order(const loop_policy& how,
                    const chunk_plan& plan,
                    cost_record& costs,
                    const chunk_visit& visit);

/// The same in any order: if the policy does not set the chunks, every worker has a part.
void share_chunks(const loop_policy& how,
                  const chunk_plan& plan,
                  cost_record& costs,
                  const chunk_visit& visit);

/// Whether others help with all of a call over `n` elements, by what such calls took before; with
/// the first ones they do.
[[nodiscard]] bool pays_to_share_all(const loop_policy& how,
                                     const cost_record& costs,
                                     std::size_t n);

/// Notes how long its life was, as that of a call over `n` elements by one worker or by several.
class cost_note {
 public:
  cost_note(cost_record& costs, std::size_t n, bool is_shared = false) noexcept
      : costs_(costs), n_(n), is_shared_(is_shared) {}
  cost_note(const cost_note&) = delete;
  cost_note& operator=(const cost_note&) = delete;
  ~cost_note();

 private:
  cost_record& costs_;
  std::size_t n_;
  bool is_shared_;
  tick_watch watch_;
};

/// The caller's own beginning, if the policy wants one; with the report if that was all.
[[nodiscard]] beginning begin_loop(const loop_policy& how,
                                   const loop_shape& shape,
                                   cost_record& costs,
                                   const loop_body& body,
                                   const loop_limits& limits = {});

/// Whether a loop can be cut into chunks at once. True if other workers are awake, and the loop
/// pays for sharing even if it takes half the estimated time.
[[nodiscard]] bool may_begin_together(const loop_policy& how,
                                      const loop_shape& shape,
                                      const cost_record& costs);

/// As begin_loop, for chunks that may be done in any order however many there are.
[[nodiscard]] beginning begin_unordered_loop(const loop_policy& how,
                                             const loop_shape& shape,
                                             cost_record& costs,
                                             const loop_body& body);

/// As `for_chunks`, for a loop that is not known to be short.
void for_long_chunks(const loop_policy& how,
                     const loop_shape& shape,
                     cost_record& costs,
                     const loop_body& body);

template <class How, class Body>
[[gnu::noinline]] void for_long_chunks_of(const How& how,
                                          const loop_shape& shape,
                                          cost_record& costs,
                                          const handed_body<Body> body) {
  for_long_chunks(how, shape, costs, loop_body(body));
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
      for_long_chunks_of(how, shape, costs, handed_body<std::remove_reference_t<Body>>(body));
    }
  }
}

template <class How, class Body>
[[gnu::noinline]] std::size_t run_long_front(const How& how,
                                             loop_shape shape,
                                             cost_record& costs,
                                             const handed_body<Body> body) {
  return begin_loop(how, shape, costs, loop_body(body)).done;
}

/// Runs `body(first, last)` over blocks on the calling thread, in order from the front, until other
/// workers should help. Returns the position where it stopped; n if all is done.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of forward iterators. A free worker walks to the end of the next chunk, passes the rest of
// the range on, and then works on its chunk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft::algorithms::detail {

/// Iterators of which at least one is not random-access, which reading does not change, and through
/// which several threads may write. Elements of vector<bool> share their bytes.
template <class How, class... It>
inline constexpr bool is_walked =
    How::is_parallel && !(indexed_iterator<It> && ...) && (std::forward_iterator<It> && ...) &&
    !(std::is_rvalue_reference_v<std::iter_reference_t<It>> || ...) &&
    !(std::is_same_v<std::iter_reference_t<It>, std::vector<bool>::reference> || ...);

/// The same place in several ranges.
template <class... It>
class joint_position {
 public:
  explicit joint_position(It... each) : all_(std::move(each)...) {}

  template <class Visit>
  [[gnu::always_inline]] decltype(auto) visit(Visit& f) const {
    return std::apply([&f](auto&... each) -> decltype(auto) { return f(each...); }, all_);
  }
  [[gnu::always_inline]] void step() {
    std::apply([](auto&... each) { (static_cast<void>(++each), ...); }, all_);
  }
  template <std::size_t i>
  [[nodiscard]] const auto& get() const {
    return std::get<i>(all_);
  }
  [[nodiscard]] const auto& first() const { return get<0>(); }

 private:
  std::tuple<It...> all_;
};

/// From a place on, until the first iterator is at its end or this many elements are done.
template <class First, class... It>
class walk {
 public:
  using position = joint_position<First, It...>;
  static constexpr std::size_t unknown = SIZE_MAX;

  walk(First first, First last, It... others)
      : at_(std::move(first), std::move(others)...), last_(std::move(last)), has_last_(true) {}
  walk(First first, std::size_t n, It... others)
      : at_(std::move(first), std::move(others)...), left_(n) {}

  [[nodiscard]] bool is_at_end() const { return left_ == 0 || (has_last_ && at_.first() == last_); }
  [[nodiscard]] std::size_t limit(std::size_t n) const noexcept { return std::min(n, left_); }
  /// `unknown` if only walking would tell.
  [[nodiscard]] std::size_t num_left() const noexcept { return left_; }
  [[nodiscard]] const position& at() const noexcept { return at_; }

  /// Walks to the end, if that is not known yet, and back.
  void count_left() {
    if (has_last_) {
      left_ = static_cast<std::size_t>(std::distance(at_.first(), last_));
      has_last_ = false;
    }
  }

  /// Calls `f(iterators...)` for the next `n` places at most, and returns for how many; at one for
  /// which it returns false it stays.
  template <class F>
  [[gnu::always_inline]] std::size_t run(std::size_t n, F&& f) {
    n = limit(n);
    std::size_t done = 0;
    position here = at_;  // nobody else sees it, so it stays in registers
    if (has_last_) {
      for (const First last = last_; done != n && !(here.first() == last) && go_on(here, f);
           ++done) {
        here.step();
      }
    } else {
      for (; done != n && go_on(here, f); ++done) {
        here.step();
      }
      left_ -= done;
    }
    at_ = std::move(here);
    return done;
  }
  /// As `run` for `n` existing places, but stays at the last one. To step to the next element, an
  /// iterator may read that element (as std::views::filter does), which may be another worker's.
  template <class F>
  [[gnu::always_inline]] std::size_t run_to_last(std::size_t n, F&& f) {
    std::size_t done = 0;
    position here = at_;
    while (done != n && go_on(here, f)) {
      ++done;
      if (done != n) {
        here.step();
      }
    }
    at_ = std::move(here);
    return done;
  }
  /// Passes the next `n` places at most, and returns how many there were.
  std::size_t skip(std::size_t n) {
    return run(n, [](const auto&... /*each*/) {});
  }

 private:
  template <class F>
  [[gnu::always_inline]] static bool go_on(const position& here, F& f) {
    if constexpr (std::is_void_v<decltype(here.visit(f))>) {
      here.visit(f);
      return true;
    } else {
      return here.visit(f);
    }
  }

  position at_;
  First last_{};  // if it has one; else `left_` tells
  bool has_last_ = false;
  std::size_t left_ = unknown;
};

template <class First, class... It>
walk(First, First, It...) -> walk<First, It...>;
template <class First, class... It>
walk(First, std::size_t, It...) -> walk<First, It...>;

/// A piece of a walk.
template <class Walk>
struct walked_chunk {
  Walk places;
  std::size_t size;
  std::size_t index;

  /// Calls `f(iterators...)` at each of its places, and returns for how many; at one for which it
  /// returns false it stays.
  template <class F>
  [[gnu::always_inline]] std::size_t run(F&& f) {
    return places.run_to_last(size, f);
  }
};

/// The size of walked chunks.
struct walk_rule {
  std::size_t size = 1;     // of the first
  std::size_t divisor = 0;  // a chunk holds what was handed out so far over this, if that is more
};

/// The unclaimed rest of a walk.
///
/// Threads: any; the claiming thread walks, and others wait for it. Steps may suspend, as any user
///          code.
template <class Walk>
class shared_walk {
 public:
  shared_walk(const Walk& rest, walk_rule rule, std::size_t done)
      : rest_(rest), rule_(rule), num_done_before_(done), num_handed_out_(done) {}

  [[nodiscard]] std::optional<walked_chunk<Walk>> claim() {
    const std::scoped_lock guard(lock_);
    if (is_stopped_ || rest_.is_at_end()) {
      return std::nullopt;
    }
    const std::size_t wanted =
        rule_.divisor == 0 ? rule_.size : std::max(rule_.size, num_handed_out_ / rule_.divisor);
    walked_chunk<Walk> mine{.places = rest_, .size = 0, .index = num_chunks_};
    mine.size = rest_.skip(wanted);
    if (num_chunks_++ == 0) {
      first_size_ = mine.size;
    }
    num_handed_out_ += mine.size;
    return mine;
  }
  void stop() {
    const std::scoped_lock guard(lock_);
    is_stopped_ = true;
  }

  // For the caller, when no worker claims any more.
  [[nodiscard]] const Walk& rest() const noexcept { return rest_; }
  [[nodiscard]] std::size_t num_done_before() const noexcept { return num_done_before_; }
  [[nodiscard]] std::size_t num_handed_out() const noexcept { return num_handed_out_; }
  [[nodiscard]] std::optional<std::size_t> first_size() const noexcept { return first_size_; }

 private:
  mutex lock_;
  Walk rest_;
  walk_rule rule_;
  std::size_t num_done_before_;  // by the caller, alone
  std::size_t num_handed_out_;
  std::size_t num_chunks_ = 0;
  std::optional<std::size_t> first_size_;
  bool is_stopped_ = false;
};

/// The chunks that the policy asks for, or those that follow from what elements took.
template <class How, class Walk>
[[nodiscard]] walk_rule rule_of_walk(const How& how,
                                     Walk& rest,
                                     std::size_t shares,
                                     float ns_per_element) {
  constexpr std::size_t whole = SIZE_MAX;
  constexpr std::size_t chunks_per_share = 16;
  std::optional<std::size_t> most_chunks;
  if constexpr (How::template has<max_num_chunks>) {
    most_chunks = how.template get<max_num_chunks>().count;
  }
  bool wants_count = most_chunks.has_value();
  if constexpr (How::template has<static_chunk_size>) {
    wants_count |= how.template get<static_chunk_size>().size.value_or(0) == 0;
  }
  if (wants_count) {
    rest.count_left();
  }
  chunk_claims::rule chosen;
  if constexpr (has_own_chunks<How>) {
    chosen = chosen_rule(how, rest.num_left(), shares);
  } else {
    chosen = measured_rule(how, whole, shares, ns_per_element);
  }
  return {.size = std::max(chosen.min_size, least_for(most_chunks, rest.num_left())),
          .divisor = chosen.divisor == 0 ? 0 : chunks_per_share * shares};
}

/// Where the caller's own part of a walk ended.
struct walk_beginning {
  std::size_t done = 0;
  float ns_per_element = 0;
  bool is_over = false;  // at the end, or where the body did not want to go on
};

/// How often an element is worked on where several do it, of a walk in which one does so once.
[[nodiscard]] constexpr float once_each(std::size_t /*shares*/) noexcept { return 1; }

/// Whether several workers, which walk one at a time and work at once, would finish sooner than
/// one. It walks over a few elements and compares the cost of a step with that of an element.
template <class Walk>
[[nodiscard]] bool pays_to_share_walk(Walk ahead,
                                      std::size_t shares,
                                      float ns_per_element,
                                      float times_each) {
  constexpr float gain = 1.25F;
  const tick_watch watch;
  const std::size_t count = ahead.skip(elements_in(sure_ns / 2, ns_per_element, SIZE_MAX));
  const float step_ns = watch.elapsed_ns(ns_per_tick()) / static_cast<float>(count);
  const float work_ns = step_ns + times_each * ns_per_element;
  return gain * std::max(step_ns, work_ns / static_cast<float>(shares)) < ns_per_element;
}

/// Runs `body` on the calling thread, over blocks each as long as all before, until the end or
/// until other workers should help. It expects that as much work follows as was done so far.
template <auto times_each, class How, class Walk, class Body>
[[gnu::noinline]] walk_beginning begin_long_walk(
    const How& how, Walk& all, cost_record& costs, std::size_t done, Body& body) {
  let_go_untimed(untimed_ns);
  const float estimate = costs.ns_per_element();
  const bool is_known = estimate < std::numeric_limits<float>::max();
  walk_beginning so_far{.done = done};
  if (is_known && estimate > worthwhile_ns && !all.is_at_end() && would_help(how, estimate)) {
    costs.fade();
    so_far.ns_per_element = estimate;
    return so_far;
  }
  std::size_t block = is_known ? elements_in(sure_ns / 2, estimate, all.limit(SIZE_MAX)) : 1;
  float timed_ns = 0;
  std::size_t timed = 0;
  for (;;) {
    const tick_watch watch;
    const std::size_t wanted = all.limit(block);
    const std::size_t count = body(all, wanted);
    const float elapsed_ns = watch.elapsed_ns(ns_per_tick());
    so_far.done += count;
    so_far.ns_per_element = elapsed_ns / static_cast<float>(std::max<std::size_t>(count, 1));
    timed += count;
    timed_ns += elapsed_ns;
    if (count != wanted || all.is_at_end()) {
      costs.note(std::max<std::size_t>(timed, 1), timed_ns);
      note_alone(so_far.done, timed_ns);
      so_far.is_over = true;
      return so_far;
    }
    block = std::max<std::size_t>(timed, 2);
    // The last question counts the wake that follows.
    if (const std::size_t shares = num_shares(how);
        timed_ns >= worthwhile_ns &&
        pays_to_share_walk(all, shares, so_far.ns_per_element, times_each(shares)) &&
        would_help(how, timed_ns)) {
      costs.note(timed, timed_ns);
      return so_far;
    }
  }
}

/// The caller's own part of a walk, if the policy wants one: `body(walk, n)` does up to `n` places
/// and returns how many. `times_each(shares)`: how often each is done where several do it.
template <auto times_each = once_each, class How, class Walk, class Body>
[[gnu::always_inline]] inline walk_beginning begin_walk(const How& how,
                                                        Walk& all,
                                                        cost_record& costs,
                                                        Body&& body) {
  std::size_t done = 0;
  if (all.is_at_end() || !must_measure(how)) {
    return {.is_over = all.is_at_end()};
  }
  if (may_be_short<How> && may_go_untimed()) {
    const float estimate = costs.ns_per_element();
    const std::size_t wanted = all.limit(elements_in(cost_record::short_ns, estimate, SIZE_MAX));
    done = body(all, wanted);
    count_untimed(estimate * static_cast<float>(done) + cost_record::call_ns);
    if (done != wanted || all.is_at_end()) {
      return {.done = done, .is_over = true};
    }
  }
  return begin_long_walk<times_each>(how, all, costs, done, body);
}

/// Calls `visit(chunk)` for chunks of what is left of a walk, by all that come; one that returns
/// false is the last. `shares`: how many come at most.
template <class How, class Walk, class Visit>
void share_walk(
    const How& how, std::size_t shares, shared_walk<Walk>& all, cost_record& costs, Visit& visit) {
  loop_facts facts;
  const auto share = [&](std::size_t index) {
    std::size_t num_chunks = 0;
    std::size_t num_elements = 0;
    const tick_watch watch;
    try {
      while (std::optional<walked_chunk<Walk>> mine = all.claim()) {
        ++num_chunks;
        num_elements += mine->size;
        if (!visit(*mine)) {
          all.stop();
        }
      }
    } catch (...) {
      all.stop();
      throw;
    }
    facts.num_chunks.fetch_add(num_chunks, std::memory_order_relaxed);
    if (index == 0) {  // the caller's own, and nothing is left to be claimed
      facts.num_elements = all.num_handed_out() - all.num_done_before();
      if (num_elements != 0) {
        costs.note(num_elements, watch.elapsed_ns(ns_per_tick()));
      }
    }
  };
  region(how, shares, share, &facts);
  report(how,
         {.num_elements = all.num_handed_out(),
          .num_cores = shares,
          .num_chunks = facts.num_chunks.load(std::memory_order_relaxed),
          .chunk_size = all.first_size()});
}

}  // namespace weft::algorithms::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over forward iterators: an action for each element, a search, a reduction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft::algorithms::detail {

/// The rest of a walk, for all workers.
template <class How, class Walk>
[[nodiscard]] shared_walk<Walk> rest_of_walk(const How& how,
                                             Walk& all,
                                             const walk_beginning& so_far,
                                             std::size_t least_size = 1) {
  walk_rule rule = rule_of_walk(how, all, num_shares(how), so_far.ns_per_element);
  rule.size = std::max(rule.size, least_size);
  return shared_walk<Walk>(all, rule, so_far.done);
}

/// Calls `f(iterators...)` at every place, by all that come; returns the end.
template <class How, class Walk, class F>
Walk for_walk(const How& how, Walk all, F&& f) {
  static constinit cost_record costs;
  const auto some = [&f](Walk& walked, std::size_t n) { return walked.run(n, f); };
  const walk_beginning so_far = begin_walk(how, all, costs, some);
  if (so_far.is_over) {
    report_alone(how, so_far.done);
    return all;
  }
  shared_walk<Walk> rest = rest_of_walk(how, all, so_far);
  const auto visit = [&f](walked_chunk<Walk>& chunk) {
    chunk.run(f);
    return true;
  };
  share_walk(how, num_shares(how), rest, costs, visit);
  return rest.rest();
}

/// The first place at which `passes(iterators...)`, or the end.
template <class How, class Walk, class Predicate>
Walk find_in_walk(const How& how, Walk all, Predicate&& passes) {
  static constinit cost_record costs;
  const auto goes_on = [&passes](const auto&... each) {
    return !static_cast<bool>(passes(each...));
  };
  const auto some = [&goes_on](Walk& walked, std::size_t n) { return walked.run(n, goes_on); };
  const walk_beginning so_far = begin_walk(how, all, costs, some);
  if (so_far.is_over) {
    report_alone(how, so_far.done);
    return all;
  }
  shared_walk<Walk> rest = rest_of_walk(how, all, so_far);
  mutex lock;
  std::optional<walked_chunk<Walk>> best;
  const auto visit = [&](walked_chunk<Walk>& chunk) {
    if (chunk.run(goes_on) == chunk.size) {
      return true;
    }
    const std::scoped_lock guard(lock);
    if (!best || chunk.index < best->index) {
      best.emplace(std::move(chunk));
    }
    return false;
  };
  share_walk(how, num_shares(how), rest, costs, visit);
  return best ? std::move(best->places) : rest.rest();
}

/// Values of chunks that become known in any order, joined as soon as neighbours are there.
///
/// There are never more of them than shares and one: something unknown lies between any two.
/// Threads: any.
template <class T>
class ordered_join {
 public:
  explicit ordered_join(std::size_t shares) noexcept
      // NOLINTNEXTLINE(modernize-avoid-c-arrays): made without throwing
      : size_(shares + 1), runs_(new(std::nothrow) std::optional<run>[shares + 1]) {}

  /// Whether there was memory.
  explicit operator bool() const noexcept { return runs_ != nullptr; }

  template <class Join>
  void add(std::size_t index, T&& value, Join&& join) {
    std::optional<run> mine(run{index, index + 1, std::move(value)});  // T need not be assignable
    while (std::optional<run> other = neighbour_or_keep(*mine)) {
      const bool is_before = other->last == mine->first;
      run& left = is_before ? *other : *mine;
      run& right = is_before ? *mine : *other;
      run both{left.first, right.last, join(std::move(left.value), std::move(right.value))};
      mine.emplace(std::move(both));
    }
  }

  /// The value when all chunks are there; none: there was no chunk.
  [[nodiscard]] std::optional<T> result() {
    for (std::size_t i = 0; i < size_; ++i) {
      if (runs_[i]) {
        return std::optional<T>(std::move(runs_[i]->value));
      }
    }
    return std::nullopt;
  }

 private:
  struct run {
    std::size_t first;  // chunks [first, last)
    std::size_t last;
    T value;
  };

  /// Takes out what lies next to `mine`; if nothing does, `mine` is put in.
  std::optional<run> neighbour_or_keep(run& mine) {
    const std::scoped_lock guard(lock_);
    std::size_t free = size_;
    for (std::size_t i = 0; i < size_; ++i) {
      if (!runs_[i]) {
        free = i;
      } else if (runs_[i]->last == mine.first || runs_[i]->first == mine.last) {
        std::optional<run> found(std::move(runs_[i]));
        runs_[i].reset();
        return found;
      }
    }
    runs_[free].emplace(std::move(mine));
    return std::nullopt;
  }

  std::size_t size_;
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): made without throwing
  std::unique_ptr<std::optional<run>[]> runs_;
  mutex lock_;
};

/// `init op operand(iterators...) op ...` for all places, regrouped but in order. No operand need
/// be convertible to `T`.
template <class T, class How, class Walk, class Op, class Operand>
T reduce_walk(const How& how, Walk all, T init, Op& op, Operand&& operand) {
  static constinit cost_record costs;
  const auto join = [&op](auto&& a, auto&& b) {
    return static_cast<T>(op(std::forward<decltype(a)>(a), std::forward<decltype(b)>(b)));
  };
  T total = std::move(init);
  const auto add = [&](Walk& walked, std::size_t n) {
    T sum = std::move(total);  // which no element can be
    const std::size_t done =
        walked.run(n, [&](const auto&... each) { sum = join(std::move(sum), operand(each...)); });
    total = std::move(sum);
    return done;
  };
  const walk_beginning so_far = begin_walk(how, all, costs, add);
  if (so_far.is_over) {
    report_alone(how, so_far.done);
    return total;
  }
  const std::size_t shares = num_shares(how);  // asked once: a runtime may be resized meanwhile
  ordered_join<T> values(shares);
  if (!values) {
    report_alone(how, so_far.done + add(all, Walk::unknown));
    return total;
  }
  shared_walk<Walk> rest = rest_of_walk(how, all, so_far, 2);
  std::optional<Walk> last_one;  // a chunk of one element is the last, and no T by itself
  const auto visit = [&](walked_chunk<Walk>& chunk) {
    if (chunk.size == 1) {
      last_one.emplace(std::move(chunk.places));
      return true;
    }
    const typename Walk::position first = chunk.places.at();
    chunk.places.skip(1);
    const auto value_at = [&operand](const auto&... each) -> decltype(auto) {
      return operand(each...);
    };
    T sum = join(first.visit(value_at), chunk.places.at().visit(value_at));
    chunk.places.skip(1);
    chunk.places.run(chunk.size - 2,
                     [&](const auto&... each) { sum = join(std::move(sum), operand(each...)); });
    values.add(chunk.index, std::move(sum), join);
    return true;
  };
  share_walk(how, shares, rest, costs, visit);
  if (std::optional<T> sum = values.result()) {
    total = join(std::move(total), *std::move(sum));
  }
  if (last_one) {
    add(*last_one, 1);
  }
  return total;
}

/// Joins the values of chunks from the front on. Values arrive in any order; each is joined as soon
/// as all before it are joined.
///
/// After a join that threw, nothing is joined, because the join may have moved from its values. If
/// there was no memory for a value, joining stops in front of that value.
///
/// Threads: `add` by any.
template <class T>
class front_join {
 public:
  explicit front_join(T&& before) : total_(std::move(before)) {}

  /// Whether the value was joined or waits to be; else it is lost.
  template <class Join>
  bool add(std::size_t index, T&& value, Join&& join) {
    const std::scoped_lock guard(lock_);
    if (is_broken_) {
      return true;
    }
    if (index != num_joined_) {
      return keep(index, std::move(value));
    }
    append(std::move(value), join);
    while (!waiting_.empty() && waiting_.front()->index == num_joined_) {
      append(std::move(waiting_.front()->value), join);
      std::pop_heap(waiting_.begin(), waiting_.end(), comes_later);
      waiting_.pop_back();
    }
    return true;
  }

  // When no worker adds any more.
  /// Chunks from the front on that `result` is of: all but for lost ones and those behind.
  [[nodiscard]] std::size_t num_joined() const noexcept { return num_joined_; }
  [[nodiscard]] bool has_lost() const noexcept { return has_lost_; }
  [[nodiscard]] T result() && {
    return *std::move(total_);  // NOLINT(bugprone-unchecked-optional-access): never empty
  }

 private:
  struct numbered {
    std::size_t index;
    T value;
  };
  static bool comes_later(const std::unique_ptr<numbered>& a, const std::unique_ptr<numbered>& b) {
    return a->index > b->index;
  }

  template <class Join>
  void append(T&& value, Join& join) {
    is_broken_ = true;  // until it has ended well
    T both = join(*std::move(total_), std::move(value));
    total_.emplace(std::move(both));  // T need not be assignable
    ++num_joined_;
    is_broken_ = false;
  }
  [[nodiscard]] bool keep(std::size_t index, T&& value) {
    std::unique_ptr<numbered> kept(new (std::nothrow) numbered{index, std::move(value)});
    if (kept == nullptr || !make_room()) {
      has_lost_ = true;
      return false;
    }
    waiting_.push_back(std::move(kept));
    std::push_heap(waiting_.begin(), waiting_.end(), comes_later);
    return true;
  }
  /// For one more.
  [[nodiscard]] bool make_room() {
    if (waiting_.size() == waiting_.capacity()) {
      try {
        waiting_.reserve(2 * waiting_.size() + 1);
      } catch (const std::bad_alloc&) {
        return false;
      }
    }
    return true;
  }

  mutex lock_;
  std::size_t num_joined_ = 0;
  bool is_broken_ = false;
  bool has_lost_ = false;
  std::optional<T> total_;
  // A heap, the least index first. Not a std::map: its header is expensive to compile, and all
  // algorithms include this one.
  std::vector<std::unique_ptr<numbered>> waiting_;
};

/// Elements of a walked chunk where the grouping depends on their number alone.
inline constexpr std::size_t fixed_walked_chunk = 2048;

/// The operations of a reduction: the value of two or more places, and of one place and the value
/// before.
template <class T, class Op, class Operand>
struct place_sums {
  Op& op;
  Operand& operand;

  template <class A, class B>
  T operator()(A&& a, B&& b) const {
    return static_cast<T>(op(std::forward<A>(a), std::forward<B>(b)));
  }
  /// The next `n` places, at least two: the operand of one need not be convertible to T.
  template <class Walk>
  [[nodiscard]] T of(Walk& walked, std::size_t n) const {
    const auto at_place = [this](const auto&... each) -> decltype(auto) {
      return operand(each...);
    };
    const typename Walk::position first = walked.at();
    walked.skip(1);
    T sum = (*this)(first.visit(at_place), walked.at().visit(at_place));
    walked.skip(1);
    walked.run(n - 2,
               [&](const auto&... each) { sum = (*this)(std::move(sum), operand(each...)); });
    return sum;
  }
  /// `total` and the next `n` places.
  template <class Walk>
  [[nodiscard]] T onto(T&& total, Walk& walked, std::size_t n) const {
    return n == 1 ? behind(std::move(total), walked) : (*this)(std::move(total), of(walked, n));
  }
  /// The only place, behind `total`.
  template <class Walk>
  [[nodiscard]] T behind(T&& total, Walk& walked) const {
    const auto join = [&](const auto&... each) {
      return (*this)(std::move(total), operand(each...));
    };
    return walked.at().visit(join);
  }
};

/// Reduces the fixed chunks of `all` behind `total` on all workers that help. If there is no memory
/// for a chunk, the calling thread alone reduces the chunks from that one on.
template <class T, class How, class Walk, class Sums>
T reduce_fixed_chunks_by_all(const How& how, Walk all, T total, const Sums& sums) {
  static constinit cost_record costs;
  shared_walk<Walk> rest(all, {.size = fixed_walked_chunk}, 0);
  front_join<T> joined(std::move(total));
  std::optional<Walk> last_one;
  const auto visit = [&](walked_chunk<Walk>& chunk) {
    if (chunk.size == 1) {
      last_one.emplace(std::move(chunk.places));
      return true;
    }
    return joined.add(chunk.index, sums.of(chunk.places, chunk.size), sums);
  };
  share_walk(how, num_shares(how), rest, costs, visit);
  const bool has_lost = joined.has_lost();
  const std::size_t num_joined = joined.num_joined();
  T sum = std::move(joined).result();
  if (has_lost) {
    for (std::size_t i = 0; i < num_joined; ++i) {
      all.skip(fixed_walked_chunk);
    }
    while (!all.is_at_end()) {
      Walk chunk = all;
      const std::size_t size = all.skip(fixed_walked_chunk);
      sum = sums.onto(std::move(sum), chunk, size);
    }
    return sum;
  }
  return last_one ? sums.behind(std::move(sum), *last_one) : std::move(sum);
}

/// As reduce_walk, in chunks of one size for any workers and any policy, joined from the front.
template <class T, class How, class Walk, class Op, class Operand>
T reduce_walk_in_fixed_chunks(const How& how, Walk all, T init, Op& op, Operand&& operand) {
  const place_sums<T, Op, std::remove_reference_t<Operand>> sums{op, operand};
  T total = std::move(init);
  const tick_watch watch;
  [[maybe_unused]] float next_ask_ns = 0;  // an answer no is a loss noted, of all that there was
  while (!all.is_at_end()) {
    Walk chunk = all;
    const tick_watch chunk_watch;
    const std::size_t size = all.skip(fixed_walked_chunk);
    [[maybe_unused]] const float step_ns = chunk_watch.elapsed_ns(ns_per_tick());
    total = sums.onto(std::move(total), chunk, size);
    if constexpr (How::is_parallel) {
      // Expects that as much work follows as was done so far; its steps are serial.
      const float elapsed_ns = watch.elapsed_ns(ns_per_tick());
      if (elapsed_ns >= next_ask_ns && 4 * step_ns < chunk_watch.elapsed_ns(ns_per_tick()) &&
          !all.is_at_end()) {
        next_ask_ns = 2 * elapsed_ns;
        if (would_help(how, elapsed_ns)) {
          return reduce_fixed_chunks_by_all(how, std::move(all), std::move(total), sums);
        }
      }
    }
  }
  return total;
}

/// As the policy wants it grouped.
template <class T, class How, class Walk, class Op, class Operand>
T reduce_any_walk(const How& how, Walk all, T init, Op& op, Operand&& operand) {
  if constexpr (How::is_deterministic) {
    return reduce_walk_in_fixed_chunks(how, std::move(all), std::move(init), op, operand);
  } else {
    return reduce_walk(how, std::move(all), std::move(init), op, operand);
  }
}

/// At how many places `passes(iterators...)`.
template <class How, class Walk, class Predicate>
std::size_t count_in_walk(const How& how, Walk all, Predicate&& passes) {
  const auto one_or_none = [&passes](const auto&... each) -> std::size_t {
    return static_cast<bool>(passes(each...)) ? 1 : 0;
  };
  std::plus<> add;
  return reduce_walk<std::size_t>(how, std::move(all), 0, add, one_or_none);
}

}  // namespace weft::algorithms::detail

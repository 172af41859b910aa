// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What algorithms do with ranges that can only be walked: something for each element, a search, a
// value of all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "weft/algorithms/detail/chunks.hpp"
#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/algorithms/detail/shares.hpp"
#include "weft/algorithms/detail/walk.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft::algorithms::detail {

/// What the caller left of a walk, for all.
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
    chunk.places.run(chunk.size, f);
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
    if (chunk.places.run(chunk.size, goes_on) == chunk.size) {
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

  /// What is left when all are there; none: there was nothing.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of one unit of an API, for every approach that has it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/approaches/operations.hpp"
#include "lab/harness/keep.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/bodies/micro_bodies.hpp"
#include "lab/tasks/bodies/runtime_concepts.hpp"

namespace weft::lab::approaches::bodies {

/// `enter(body)` runs `body` on a thread of the approach's pool, and waits for it. `in_bulk(count,
/// f)` calls f(0), ..., f(count - 1) from there, each in its own chunk.
template <class Approach>
concept has_bulk = requires(void (*call)(), void (*indexed)(std::size_t)) {
  Approach::enter(call);
  Approach::in_bulk(std::size_t{}, indexed);
};

/// `spread(count, f)` does the same as many small tasks, in the approach's own way.
template <class Approach>
concept has_tasks = requires(void (*call)(), void (*indexed)(std::size_t)) {
  Approach::enter(call);
  Approach::spread(std::size_t{}, indexed);
};

/// `value_of(f)` makes the approach's scheduler call `f` on its pool, waits, and returns the
/// result.
template <class Approach>
concept has_scheduler = requires(std::uint64_t (*call)()) {
  { Approach::value_of(call) } -> std::same_as<std::uint64_t>;
};

/// `promise` is the object that makes a future ready.
template <class Approach>
concept has_promises = tasks::has_joins<Approach> && requires(typename Approach::promise one) {
  one.set_value(std::uint64_t{});
  { one.get_future().get() } -> std::same_as<std::uint64_t>;
};

/// `for_each(first, last, f)` is a parallel loop over elements.
template <class Approach>
concept has_loops = requires(std::uint32_t* elements, void (*visit)(std::uint32_t&)) {
  Approach::for_each(elements, elements, visit);
};

/// Joins a thousand futures at a time.
template <tasks::has_joins Approach>
std::uint64_t when_all(const request& what) {
  constexpr std::uint64_t futures_joined = 1000;
  std::uint64_t sum = 0;
  Approach::enter([&] {
    for (std::uint64_t first = 0; first < what.size; first += futures_joined) {
      const std::uint64_t last = std::min(what.size, first + futures_joined);
      std::vector<decltype(Approach::async([] { return std::uint64_t{0}; }))> parts;
      parts.reserve(last - first);
      for (std::uint64_t i = first; i < last; ++i) {
        parts.push_back(Approach::async([i] { return i; }));
      }
      for (auto& ready : Approach::when_all(std::move(parts)).get()) {
        sum += ready.get();
      }
    }
  });
  return sum;
}

/// Input that `make` creates and `use` consumes, both on a thread of the approach's pool.
template <class Approach, class Make, class Use>
class made_before final : public prepared_units {
 public:
  made_before(Make make, Use use) : make_(std::move(make)), use_(std::move(use)) {}

  void prepare() override {
    Approach::enter([this] { input_ = make_(); });
  }
  std::uint64_t use() override {
    std::uint64_t sum = 0;
    Approach::enter([this, &sum] { sum = use_(input_); });
    return sum;
  }

 private:
  Make make_;
  Use use_;
  std::invoke_result_t<Make&> input_;
};

template <class Approach, class Make, class Use>
std::unique_ptr<prepared_units> prepared(Make make, Use use) {
  return std::make_unique<made_before<Approach, Make, Use>>(std::move(make), std::move(use));
}

/// Joins futures that are not ready, and keeps their promises.
template <has_promises Approach>
std::unique_ptr<prepared_units> when_all_join(const request& what) {
  using promise = typename Approach::promise;
  struct input {
    std::vector<promise> promises;
    std::vector<decltype(std::declval<promise&>().get_future())> futures;
  };
  return prepared<Approach>(
      [size = what.size] {
        input made;
        made.promises = std::vector<promise>(size);
        made.futures.reserve(size);
        for (promise& each : made.promises) {
          made.futures.push_back(each.get_future());
        }
        return made;
      },
      [](input& made) {
        auto joint = Approach::when_all(std::move(made.futures));
        for (std::size_t i = 0; i < made.promises.size(); ++i) {
          made.promises[i].set_value(i);
        }
        std::uint64_t sum = 0;
        for (auto& ready : joint.get()) {
          sum += ready.get();
        }
        return sum;
      });
}

template <has_scheduler Approach>
std::uint64_t schedule_then_wait(const request& what) {
  std::uint64_t sum = 0;
  Approach::enter([&what, &sum] {
    for (std::uint64_t i = 0; i < what.size; ++i) {
      sum += Approach::value_of([i] { return i; });
    }
  });
  return sum;
}

/// The answer is wrong if a body ran on the thread that waits for it.
template <has_scheduler Approach>
std::uint64_t schedule_from_outside(const request& what) {
  const std::thread::id outside = std::this_thread::get_id();
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < what.size; ++i) {
    sum += Approach::value_of([i, outside, much = what.size * what.size] {
      return std::this_thread::get_id() != outside ? i : much;
    });
  }
  return sum;
}

template <has_scheduler Approach>
std::uint64_t depth_reached(std::uint64_t depth) {
  return depth == 0
             ? 0
             : 1 + Approach::value_of([depth] { return depth_reached<Approach>(depth - 1); });
}

template <has_scheduler Approach>
std::uint64_t nested_wait(const request& what) {
  std::uint64_t depth = 0;
  Approach::enter([&what, &depth] { depth = depth_reached<Approach>(what.size); });
  return depth;
}

template <has_bulk Approach>
std::uint64_t bulk_chunk(const request& what) {
  std::vector<std::uint64_t> seen(what.size);
  Approach::enter([&] { Approach::in_bulk(what.size, [&seen](std::size_t i) { seen[i] = i; }); });
  std::uint64_t sum = 0;
  for (const std::uint64_t each : seen) {
    sum += each;
  }
  return sum;
}

template <has_tasks Approach>
std::uint64_t grain(const request& what) {
  std::vector<std::uint64_t> done(what.size);
  Approach::enter([&] {
    Approach::spread(what.size, [&done, steps = what.option](std::size_t i) {
      done[i] = tasks::busy_work(i, steps);
    });
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t each : done) {
    sum += each;
  }
  return sum;
}

/// The least work that differs from none: each call touches every element once.
template <has_loops Approach>
std::uint64_t for_each_empty(const request& what) {
  std::vector<std::uint32_t> elements(for_each_elements);
  Approach::enter([&] {
    for (std::uint64_t call = 0; call < what.size; ++call) {
      Approach::for_each(elements.data(),
                         elements.data() + elements.size(),
                         [](std::uint32_t& visits) { ++visits; });
      clobber();  // otherwise the compiler could skip the visits of a call
    }
  });
  std::uint64_t sum = 0;
  for (const std::uint32_t each : elements) {
    sum += each;
  }
  return sum;
}

/// The rows of an approach's table that its concepts allow.
template <class Approach>
void offer_units(operations& rows) {
  if constexpr (tasks::has_futures<Approach>) {
    rows.async_get = tasks::bodies::async_get<Approach>;
  }
  if constexpr (tasks::has_continuations<Approach>) {
    rows.then_chain = tasks::bodies::then_chain<Approach>;
  }
  if constexpr (tasks::has_joins<Approach>) {
    rows.when_all = when_all<Approach>;
  }
  if constexpr (has_promises<Approach>) {
    rows.when_all_join = when_all_join<Approach>;
  }
  if constexpr (has_bulk<Approach>) {
    rows.bulk_chunk = bulk_chunk<Approach>;
  }
  if constexpr (has_tasks<Approach>) {
    rows.grain = grain<Approach>;
  }
  if constexpr (has_loops<Approach>) {
    rows.for_each_empty = for_each_empty<Approach>;
  }
}

}  // namespace weft::lab::approaches::bodies

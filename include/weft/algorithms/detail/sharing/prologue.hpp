// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller begins alone, with an eye on the clock, until it knows whether others are worth
// waking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/sharing/cost_record.hpp"

namespace weft::algorithms::detail {

/// The least estimated work for which workers are woken.
inline constexpr float sure_ns = 1000;        // work to have seen before its rate is believed
inline constexpr float worthwhile_ns = 4000;  // work to be left for a second worker to pay
inline constexpr float chunk_ns = 2750;       // work that a chunk holds at least

/// From when on a loop is worth the help of others.
struct loop_limits {
  float short_ns = cost_record::short_ns;       // shorter ones are the caller's
  float worthwhile_ns = detail::worthwhile_ns;  // as above
  float chunk_ns = detail::chunk_ns;            // as above
};
/// For loops in any order. Each worker gets its former part, so less work pays; and other workers
/// soon make up for half a chunk.
inline constexpr loop_limits unordered_limits{
    .short_ns = 5000, .worthwhile_ns = 3000, .chunk_ns = 1300};

/// Whether to share `rest_ns` of work: always with workers that are awake, otherwise if waking one
/// pays.
///
/// Waking a sleeping worker costs more than feeding one that is searching. Little work stays with
/// the calling thread, unless calls are so frequent that the worker would not have gone to sleep
/// again. Each time that a woken worker slept again before the next call, the threshold doubles.
[[nodiscard]] bool pays_to_share(bool is_anyone_awake, float rest_ns) noexcept;

/// Where the caller's own beginning ended.
struct beginning {
  std::size_t done = 0;      // n: there is nothing left
  float ns_per_element = 0;  // of what it did last, or the estimate
  float alone_ns = 0;  // that an element takes while no other worker is in the way; 0: unknown
};

[[nodiscard]] inline std::size_t round_up(std::size_t n, std::size_t multiple) noexcept {
  return multiple <= 1 ? n : (n + multiple - 1) / multiple * multiple;
}

/// How many elements take `time_ns`: at least 1, at most `n`.
[[nodiscard]] inline std::size_t elements_in(float time_ns,
                                             float ns_per_element,
                                             std::size_t n) noexcept {
  const float count = time_ns / std::max(ns_per_element, 1e-6F);
  return count < static_cast<float>(n) ? std::max<std::size_t>(1, static_cast<std::size_t>(count))
                                       : n;
}

/// Calls `body(first, last)`, which may return where it stopped; else that is `last`.
template <class Body>
[[gnu::always_inline]] inline std::size_t run_block(Body& body,
                                                    std::size_t first,
                                                    std::size_t last) {
  if constexpr (std::is_void_v<decltype(body(first, last))>) {
    body(first, last);
    return last;
  } else {
    return body(first, last);
  }
}

/// A body of a loop without its type. Refers to it.
class loop_body {
 public:
  template <class Body>
    requires(!std::is_same_v<std::remove_const_t<Body>, loop_body>)
  explicit loop_body(Body& body) noexcept
      : body_(const_cast<void*>(static_cast<const void*>(std::addressof(body)))),
        call_([](void* object, std::size_t first, std::size_t last) {
          return run_block(*static_cast<Body*>(object), first, last);
        }) {}

  std::size_t operator()(std::size_t first, std::size_t last) const {
    return call_(body_, first, last);
  }

 private:
  void* body_;
  std::size_t (*call_)(void* body, std::size_t first, std::size_t last);
};

/// Bodies of which a copy is as good as the original.
template <class Body>
inline constexpr bool is_handed_by_value =
    std::is_trivially_copyable_v<std::remove_const_t<Body>> && sizeof(Body) <= 128 &&
    std::is_invocable_v<const Body&, std::size_t, std::size_t>;

/// A body as functions that are not inlined get it: by value if that will do. Nobody has the
/// address of the original then, and what it holds stays in registers where it is inlined.
///
/// Aligned to a cache line, wherever it is linked: short loops with several branches run 1.5x
/// slower when their branches share a cache line.
template <class Body>
class handed_body {
 public:
  explicit handed_body(Body& body) noexcept : body_(body) {}
  [[gnu::noinline, gnu::aligned(64)]] decltype(auto) operator()(std::size_t first,
                                                                std::size_t last) const {
    return body_(first, last);
  }

 private:
  std::conditional_t<is_handed_by_value<Body>, const std::remove_const_t<Body>, Body&> body_;
};

/// Counts a loop over `n` elements that took `elapsed_ns` on the caller, unless it was very short.
void note_alone(std::size_t n, float elapsed_ns) noexcept;

/// Runs `body(first, last)` over growing blocks from the front until it is known that others should
/// help, or nothing is left. A body that returns where it stopped, and not `last`, ends the loop:
/// then `done` is n.
[[nodiscard]] beginning run_beginning(const loop_shape& shape,
                                      cost_record& costs,
                                      const loop_body& body,
                                      const loop_limits& limits);

}  // namespace weft::algorithms::detail

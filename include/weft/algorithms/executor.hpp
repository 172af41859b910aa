// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a parallel algorithm finds workers.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/execution/executor_concept.hpp"

namespace weft {

class runtime;

namespace algorithms {

namespace detail {
class crew;
}

/// An offer to take part in a call; an executor calls it once, from any thread, or drops it.
///
/// It owns its memory, so it may be called after the algorithm has ended, and then does nothing.
class guest {
 public:
  guest(detail::crew& host, std::size_t share) noexcept : host_(&host), share_(share) {}
  guest(guest&& other) noexcept
      : host_(std::exchange(other.host_, nullptr)), share_(other.share_) {}
  guest(const guest& other) noexcept;
  guest& operator=(const guest&) = delete;
  guest& operator=(guest&&) = delete;
  ~guest();

  void operator()() noexcept;

 private:
  detail::crew* host_;
  std::size_t share_;
};

/// The workers of the calling task's runtime; of the default one on a thread that is not a worker.
struct default_executor {};

/// Up to `max_workers` workers of a runtime, or all. The runtime must outlive the calls.
class runtime_executor {
 public:
  explicit runtime_executor(runtime& home, std::optional<std::size_t> max_workers = {}) noexcept
      : home_(&home), max_workers_(max_workers) {}
  [[nodiscard]] runtime& home() const noexcept { return *home_; }
  /// None: all.
  [[nodiscard]] std::optional<std::size_t> max_workers() const noexcept { return max_workers_; }

 private:
  runtime* home_;
  std::optional<std::size_t> max_workers_;
};

/// An executor of a runtime's workers: `home()` is that runtime, or null for the caller's.
template <class E>
concept runtime_backed_executor = execution::executor<E> && requires(const E& e) {
  { e.home() } -> std::same_as<runtime*>;
};

}  // namespace algorithms

/// The argument of `policy.on`: a runtime, a part of its workers, or any type with `num_workers()`
/// and `execute(callable)`.
template <class E>
concept algorithm_executor = std::same_as<std::remove_cvref_t<E>, runtime> ||
                             std::same_as<std::remove_cvref_t<E>, algorithms::default_executor> ||
                             std::same_as<std::remove_cvref_t<E>, algorithms::runtime_executor> ||
                             execution::executor<std::remove_cvref_t<E>>;

/// Up to `max_workers` of the workers of `home`, or all, the caller's own thread among them, for
/// `policy.on`.
[[nodiscard]] inline algorithms::runtime_executor workers_of(
    runtime& home, std::optional<std::size_t> max_workers = {}) noexcept {
  return algorithms::runtime_executor(home, max_workers);
}

}  // namespace weft

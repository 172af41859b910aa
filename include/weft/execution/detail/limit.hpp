// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts calls in flight, and blocks callers that would exceed the limit.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft::execution::detail {

class permit;

/// Threads: any.
class limit : public std::enable_shared_from_this<limit> {
 public:
  /// Errors: `weft::error` unless `resume_at` < `most`.
  limit(std::size_t resume_at, std::size_t most);

  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::size_t in_flight() const;
  /// Waits while there are as many as there may be: until no more than `resume_at` are left.
  [[nodiscard]] permit acquire();
  [[nodiscard]] std::optional<permit> try_acquire();
  void wait_until_idle();

 private:
  friend class permit;
  void release() noexcept;

  const std::size_t resume_at_;
  const std::size_t most_;
  mutable mutex mutex_;
  condition_variable changed_;
  std::size_t in_flight_ = 0;
  bool is_full_ = false;  // until no more than `resume_at_` are left
};

/// One of those in flight, as long as it lives.
class permit {
 public:
  permit(permit&& other) noexcept = default;
  permit& operator=(permit&&) = delete;
  permit(const permit&) = delete;
  permit& operator=(const permit&) = delete;
  ~permit() {
    if (from_ != nullptr) {
      from_->release();
    }
  }

 private:
  friend class limit;
  explicit permit(std::shared_ptr<limit> from) noexcept : from_(std::move(from)) {}
  std::shared_ptr<limit> from_;
};

/// A call that is in flight from its making to its end.
template <class F>
class limited_call {
 public:
  template <class G>
  limited_call(permit held, G&& call) : held_(std::move(held)), call_(std::forward<G>(call)) {}

  template <class... Args>
    requires std::invocable<F, Args...>
  decltype(auto) operator()(Args&&... args) {
    const permit ends_with_this_call(std::move(held_));
    return std::invoke(std::move(call_), std::forward<Args>(args)...);
  }

 private:
  permit held_;
  [[no_unique_address]] F call_;
};

}  // namespace weft::execution::detail

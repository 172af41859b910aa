// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tasks wait while as many as allowed are in flight.
#include "weft/execution/detail/limit.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

#include "weft/base/error.hpp"

namespace weft::execution::detail {

limit::limit(std::size_t resume_at, std::size_t most) : resume_at_(resume_at), most_(most) {
  if (most == 0 || resume_at >= most) {
    throw error("limiting_executor(" + std::to_string(resume_at) + ", " + std::to_string(most) +
                "): the upper threshold is 1 at least, and above the lower one");
  }
}

std::size_t limit::in_flight() const {
  const std::scoped_lock guard(mutex_);
  return in_flight_;
}

permit limit::acquire() {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [this] { return !is_full_; });
  ++in_flight_;
  is_full_ = in_flight_ == most_;
  return permit(shared_from_this());
}

std::optional<permit> limit::try_acquire() {
  const std::scoped_lock guard(mutex_);
  if (is_full_) {
    return std::nullopt;
  }
  ++in_flight_;
  is_full_ = in_flight_ == most_;
  return permit(shared_from_this());
}

void limit::release() noexcept {
  const std::scoped_lock guard(mutex_);
  --in_flight_;
  if (in_flight_ <= resume_at_) {
    is_full_ = false;
    changed_.notify_all();
  }
}

void limit::wait_until_idle() {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [this] { return in_flight_ == 0; });
}

}  // namespace weft::execution::detail

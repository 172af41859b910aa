// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owns a policy, and reports decisions.
#include "weft/policies/policy.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "weft/counters/policy_counts.hpp"
#include "weft/counters/trace.hpp"
#include "weft/tasks/runtime_knobs.hpp"

#include "policies/periodic.hpp"

namespace weft::policies {

policy::policy(std::shared_ptr<detail::periodic> body) noexcept : body_(std::move(body)) {}
policy::policy(policy&& other) noexcept = default;

policy& policy::operator=(policy&& other) noexcept {
  end();
  body_ = std::move(other.body_);
  return *this;
}

policy::~policy() { end(); }

void policy::end() noexcept {
  if (body_ != nullptr) {
    detail::stop(body_);
  }
}

bool policy::is_running() const noexcept { return body_ != nullptr && detail::is_started(*body_); }

std::exception_ptr policy::failure() const noexcept {
  return body_ != nullptr ? detail::failure_of(*body_) : nullptr;
}

bool are_on() { return tasks::are_policies_on(); }

void note_decision(std::string_view policy, double before, double after) noexcept {
  counters::process_policies().num_decisions.fetch_add(1, std::memory_order_relaxed);
  constexpr std::size_t longest_name = 64;
  std::array<char, 128> text{};
  const std::size_t length = policy.copy(text.data(), longest_name);
  std::snprintf(text.data() + length, text.size() - length, ": %g -> %g", before, after);
  counters::trace_decision(text.data());
}

}  // namespace weft::policies

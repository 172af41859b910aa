// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes a runtime that may have ended, and reads whether policies act.
#include "weft/tasks/runtime_knobs.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "weft/base/error.hpp"
#include "weft/base/options.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime/policy_switch.hpp"
#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/runtime_gate.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft::tasks {

using std::chrono::microseconds;

weak_runtime::weak_runtime(runtime& of) : gate_(detail::runtime_access::of(of).gate()) {}

const std::string& weak_runtime::name() const noexcept { return gate_->name(); }

std::optional<int> weak_runtime::num_workers() const {
  std::optional<int> result;
  gate_->call([&](detail::scheduler& home) { result = static_cast<int>(home.num_workers()); });
  return result;
}

std::optional<int> weak_runtime::most_workers() const {
  std::optional<int> result;
  gate_->call([&](detail::scheduler& home) { result = home.num_asked(); });
  return result;
}

std::optional<worker_change> weak_runtime::use_workers(int wanted) const {
  std::optional<worker_change> result;
  gate_->call([&](detail::scheduler& home) { result = home.use_workers(wanted); });
  return result;
}

std::optional<microseconds> weak_runtime::longest_search() const {
  std::optional<microseconds> result;
  gate_->call([&](detail::scheduler& home) { result = microseconds(home.longest_search()); });
  return result;
}

bool weak_runtime::set_longest_search(microseconds longest) const {
  constexpr microseconds least(1);  // a worker that never searches would find nothing
  constexpr microseconds most = std::chrono::seconds(1);
  if (longest < least || longest > most) {
    throw error("a worker cannot search for " + std::to_string(longest.count()) +
                " us before it parks; give 1 to 1000000 us");
  }
  return gate_->call([&](detail::scheduler& home) {
    home.set_longest_search(static_cast<std::uint32_t>(longest.count()));
  });
}

namespace detail {
namespace {

enum class policy_state : std::uint8_t { unknown, on, off };
std::atomic<policy_state> policies{policy_state::unknown};  // relaxed: it orders nothing

}  // namespace

void register_policy_option(base::option_registry& registry) {
  registry.add({.name = "policies",
                .environment = "WEFT_POLICIES",
                .help = "Whether adaptive policies act. With off they change nothing, and tuners "
                        "keep their present values.",
                .default_text = "on"},
               base::yes_or_no());
}

void set_policies(const base::option_registry& registry) {
  const bool is_on = registry.value<bool>("policies").value_or(true);
  policies.store(is_on ? policy_state::on : policy_state::off, std::memory_order_relaxed);
}

}  // namespace detail

bool are_policies_on() {
  using detail::policies;
  using detail::policy_state;
  using enum policy_state;
  policy_state known = policies.load(std::memory_order_relaxed);
  if (known == unknown) {
    base::option_registry registry;
    detail::register_policy_option(registry);
    registry.read_environment(base::process_environment, base::bad_variable::is_ignored);
    const bool is_on = registry.value<bool>("policies").value_or(true);
    // an option of the program that was read meanwhile wins
    policies.compare_exchange_strong(known, is_on ? on : off, std::memory_order_relaxed);
  }
  return policies.load(std::memory_order_relaxed) == on;
}

}  // namespace weft::tasks

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies that call a function of the user.
#include "weft/policies/every.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/policies/policy.hpp"
#include "weft/policies/readings.hpp"
#include "weft/policies/when.hpp"

#include "policies/counter_reader.hpp"
#include "policies/named_policy.hpp"
#include "policies/periodic.hpp"

namespace weft::policies {

policy detail::named_policy(std::string name,
                            std::chrono::nanoseconds period,
                            const std::vector<std::string>& counters,
                            std::function<void(const readings&)> f) {
  if (period <= std::chrono::nanoseconds(0)) {
    throw error("policy " + name + " cannot be called every " + std::to_string(period.count()) +
                " ns; give a period of more than 0, for example 100ms");
  }
  constexpr std::chrono::hours longest(24 * 365);  // a sum with the present time fits
  auto body = std::make_shared<periodic>();
  body->period = std::min<std::chrono::nanoseconds>(period, longest);
  body->name = std::move(name);
  // Shared, because std::function copies.
  auto reader = std::make_shared<counter_reader>(counters);
  body->step = [reader = std::move(reader), f = std::move(f)] { f(reader->read()); };
  body->next = std::chrono::steady_clock::now() + body->period;
  start(body);
  return policy(std::move(body));
}

policy every(std::chrono::nanoseconds period,
             const std::vector<std::string>& counters,
             std::function<void(const readings&)> f) {
  return detail::named_policy("every", period, counters, std::move(f));
}

policy when(const when_options& options,
            std::function<bool(const readings&)> condition,
            std::function<void(const readings&)> f) {
  if (options.num_periods == 0) {
    throw error("a condition cannot hold for 0 periods; give 1 or more");
  }
  auto step = [condition = std::move(condition),
               f = std::move(f),
               num_periods = options.num_periods,
               num_held = std::uint64_t{0}](const readings& now) mutable {
    if (!condition(now)) {
      num_held = 0;
      return;
    }
    ++num_held;
    if (num_held == num_periods) {
      f(now);
    }
  };
  return detail::named_policy("when", options.period, options.counters, std::move(step));
}

}  // namespace weft::policies

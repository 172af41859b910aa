// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of /policies/*.
#include "counters/families/policies.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/policy_counts.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_rows.hpp"

namespace weft::counters {

policy_counts& process_policies() noexcept {
  static constinit policy_counts counts;  // needs no destructor: threads may outlive statics
  return counts;
}

namespace detail {
namespace {

struct policy_row {
  std::string_view name;
  std::string_view unit;
  counter_kind kind;
  std::atomic<std::int64_t> policy_counts::* member;
  std::string_view help;
};

// clang-format off
constexpr std::array policy_rows = {
policy_row{"/policies/count/calls", "", counter_kind::total, &policy_counts::num_calls,
  "Calls of the functions of policies, the policies of weft included."},
policy_row{"/policies/count/decisions", "", counter_kind::total, &policy_counts::num_decisions,
  "Changes that policies made, for example of the number of workers in use or of a tuner's value."},
};
// clang-format on

class policy_counter final : public counter {
 public:
  explicit policy_counter(const policy_row& row) : row_(row) {}

  [[nodiscard]] counter_value evaluate(evaluation& /*now*/) override {
    return {.value = read() - since_};
  }
  void reset(evaluation& /*now*/) override { since_ = read(); }

 private:
  [[nodiscard]] std::int64_t read() const {
    return (process_policies().*row_.member).load(std::memory_order_relaxed);
  }

  const policy_row& row_;
  std::int64_t since_ = 0;
};

}  // namespace

std::vector<counter_family> policy_families() {
  std::vector<counter_family> families;
  for (const policy_row& row : policy_rows) {
    counter_family& added = families.emplace_back();
    added.type = type_of_row(row);
    added.instances = [type = added.type] { return std::vector{total_of(type)}; };
    added.make = [&row](const counter_name& name) {
      refuse_parameters(name);
      return std::make_unique<policy_counter>(row);
    };
  }
  return families;
}

}  // namespace detail
}  // namespace weft::counters

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that loops try.
#include "weft/policies/tuned.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/policies/policy.hpp"
#include "weft/policies/tuner.hpp"
#include "weft/policies/tuner_report.hpp"
#include "weft/tasks/runtime_knobs.hpp"

namespace weft::policies {
namespace {

std::vector<std::size_t> worker_numbers(std::size_t most) {
  std::vector<std::size_t> numbers;
  for (std::size_t power = 1; power < most; power *= 2) {
    numbers.push_back(power);
    if (power > 1 && power + power / 2 < most) {
      numbers.push_back(power + power / 2);
    }
  }
  numbers.push_back(most);
  return numbers;
}

/// Also those that another policy has taken out of use for a while.
std::size_t most_workers(runtime& of) {
  return static_cast<std::size_t>(tasks::weak_runtime(of).most_workers().value_or(1));
}

}  // namespace

tuned_workers::tuned_workers(std::string name, runtime& of, const tuner_options& options)
    : tuner(std::move(name), worker_numbers(most_workers(of)), most_workers(of), options) {}

chunk_by_duration::chunk_by_duration(std::string name,
                                     std::chrono::nanoseconds wanted,
                                     std::size_t first_size)
    : name_(std::move(name)),
      wanted_ns_(static_cast<double>(wanted.count())),
      is_on_(are_on()),
      size_(first_size) {
  if (wanted.count() <= 0 || first_size == 0) {
    throw error("a chunk of " + std::to_string(first_size) + " elements that takes " +
                std::to_string(wanted.count()) + " ns: both must be more than 0");
  }
}

void chunk_by_duration::note(std::size_t num_elements,
                             std::chrono::nanoseconds elapsed,
                             std::size_t num_workers) noexcept {
  const double work_ns = static_cast<double>(elapsed.count()) * static_cast<double>(num_workers);
  if (!is_on_ || num_elements == 0 || work_ns <= 0) {
    return;
  }
  constexpr double largest = 1U << 30U;
  const double exact = wanted_ns_ * static_cast<double>(num_elements) / work_ns;
  const auto next =
      static_cast<std::size_t>(std::exp2(std::round(std::log2(std::clamp(exact, 1.0, largest)))));
  const std::size_t before = size();
  // A size within a factor of two is as good, so noise does not change it.
  if (exact >= static_cast<double>(before) / 2 && exact <= static_cast<double>(before) * 2) {
    proposed_.store(0, std::memory_order_relaxed);
  } else if (const std::size_t proposed = proposed_.exchange(next, std::memory_order_relaxed);
             proposed == 0 || (proposed > before) != (next > before)) {
    // a single call may have been disturbed: the next one must want the same direction
  } else {
    proposed_.store(0, std::memory_order_relaxed);
    size_.store(next, std::memory_order_relaxed);
    note_decision(name_, static_cast<double>(before), static_cast<double>(next));
  }
}

}  // namespace weft::policies

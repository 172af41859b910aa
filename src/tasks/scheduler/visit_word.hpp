// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of all visits to a runtime, in one word.
#pragma once

#include <bit>
#include <cstdint>

namespace weft::tasks::detail {

/// Holds which places are taken, how many visits there are, how many of them are idle, and whether
/// a wake was deferred because of them. A visit therefore begins and ends with one atomic
/// operation.
struct visit_word {
  static constexpr unsigned most_places = 48;

  std::uint64_t bits = 0;

  /// Returns the bit of place `index`, set while the place is taken.
  static constexpr std::uint64_t place(unsigned index) noexcept {
    return std::uint64_t{1} << index;
  }
  /// Returns what a visit in place `index` adds when it begins, and subtracts when it ends.
  static constexpr std::uint64_t visit_in(unsigned index) noexcept {
    return one_visit + place(index);
  }
  static constexpr unsigned count_bits = 6;
  static constexpr std::uint64_t one_visit = std::uint64_t{1} << most_places;
  /// Added for a visiting thread that finds no task.
  static constexpr std::uint64_t one_idle = one_visit << count_bits;
  /// Set if a worker was not woken because there were enough visitors.
  static constexpr std::uint64_t is_wake_deferred = one_idle << count_bits;

  [[nodiscard]] constexpr unsigned num_visiting() const noexcept {
    return static_cast<unsigned>(bits / one_visit) & most_counted;
  }
  /// The number of visits that may start a task.
  [[nodiscard]] constexpr unsigned num_active() const noexcept {
    return num_visiting() - (static_cast<unsigned>(bits / one_idle) & most_counted);
  }
  [[nodiscard]] constexpr bool has_deferred_wake() const noexcept {
    return (bits & is_wake_deferred) != 0;
  }
  /// The index of the first free place.
  [[nodiscard]] constexpr unsigned free_place() const noexcept {
    return static_cast<unsigned>(std::countr_one(bits % one_visit));
  }

 private:
  static constexpr unsigned most_counted = (1U << count_bits) - 1;
};

static_assert(visit_word::is_wake_deferred > visit_word::one_idle);
static_assert(visit_word::most_places < (1U << visit_word::count_bits));

}  // namespace weft::tasks::detail

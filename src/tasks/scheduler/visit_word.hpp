// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that is known of the threads that visit a runtime, in one word.
#pragma once

#include <bit>
#include <cstdint>

namespace weft::tasks::detail {

/// Which places are taken, how many those are, how many of their threads are idle, and whether a
/// wake was put off because of them: so that a visit begins, and ends, with one atomic operation.
struct visit_word {
  static constexpr unsigned most_places = 48;

  std::uint64_t bits = 0;

  /// Of place `index`, while it is taken.
  static constexpr std::uint64_t place(unsigned index) noexcept {
    return std::uint64_t{1} << index;
  }
  /// What a visit in place `index` adds when it begins, and takes away when it ends.
  static constexpr std::uint64_t visit_in(unsigned index) noexcept {
    return one_visit + place(index);
  }
  static constexpr unsigned count_bits = 6;
  static constexpr std::uint64_t one_visit = std::uint64_t{1} << most_places;
  /// Of a thread that visits, but finds nothing to do.
  static constexpr std::uint64_t one_idle = one_visit << count_bits;
  /// A worker was not woken, since visitors were enough.
  static constexpr std::uint64_t is_wake_deferred = one_idle << count_bits;

  [[nodiscard]] constexpr unsigned num_visiting() const noexcept {
    return static_cast<unsigned>(bits / one_visit) & most_counted;
  }
  /// Those that may start something.
  [[nodiscard]] constexpr unsigned num_active() const noexcept {
    return num_visiting() - (static_cast<unsigned>(bits / one_idle) & most_counted);
  }
  [[nodiscard]] constexpr bool has_deferred_wake() const noexcept {
    return (bits & is_wake_deferred) != 0;
  }
  /// The first place that is free.
  [[nodiscard]] constexpr unsigned free_place() const noexcept {
    return static_cast<unsigned>(std::countr_one(bits % one_visit));
  }

 private:
  static constexpr unsigned most_counted = (1U << count_bits) - 1;
};

static_assert(visit_word::is_wake_deferred > visit_word::one_idle);
static_assert(visit_word::most_places < (1U << visit_word::count_bits));

}  // namespace weft::tasks::detail

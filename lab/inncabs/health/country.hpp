// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The villages of problem health, their hospitals and patients, and the effect of one step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

#include "lab/inncabs/health/health.hpp"

namespace weft::lab::inncabs::health {

struct patient {
  std::uint32_t id;
  std::uint32_t random_state;
  std::uint32_t steps_left = 0;
  std::uint32_t num_check_ins = 0;
};

/// The next pseudo-random number in [0, 1].
///
/// Park and Miller's generator by Schrage's method, combined with a mask so that 0 may be a seed.
/// The state is the deviate multiplied by the modulus, modulo 2^32. The published results depend on
/// every bit of it.
/// Source: Park and Miller, "Random Number Generators: Good Ones Are Hard to Find", CACM 31, 1988.
float next_random(std::uint32_t& state);

/// All villages, numbered level by level: the children of v are v * cities + 1 and the following.
///
/// Threads: in one step, `treat(v)` before `admit(v)`, and `admit(v)` after both `treat` and
///          `take_referred` of all children of v. Calls for different villages may run at the same
///          time, except calls of `take_referred(v)`, which the caller must serialise.
class country {
 public:
  static constexpr std::size_t capital = 0;

  explicit country(const input& from);

  [[nodiscard]] std::size_t num_villages() const noexcept { return villages_.size(); }
  /// Villages with children have the lowest numbers.
  [[nodiscard]] std::size_t num_parents() const noexcept { return num_parents_; }
  /// Shape: `village` is not the capital.
  [[nodiscard]] std::size_t parent(std::size_t village) const noexcept {
    return (village - 1) / rules_.cities;
  }
  [[nodiscard]] std::size_t num_children(std::size_t village) const noexcept {
    return village < num_parents_ ? rules_.cities : 0;
  }
  [[nodiscard]] auto children(std::size_t village) const noexcept {
    const std::size_t first = village * rules_.cities + 1;
    return std::views::iota(first, first + num_children(village));
  }

  /// First half of a step: patients recover, are assessed, or move from the waiting room to free
  /// personnel. Returns the patients that the parent's hospital must take.
  [[nodiscard]] std::vector<patient> treat(std::size_t village);

  void take_referred(std::size_t village, const std::vector<patient>& patients);

  /// Second half of a step: referred patients check in, the smallest id first, so that the order of
  /// their arrival does not matter. Then inhabitants fall ill.
  void admit(std::size_t village);

  [[nodiscard]] result count() const;

 private:
  struct town {
    std::uint32_t num_free_personnel = 0;
    std::vector<patient> healthy;
    std::vector<patient> waiting;
    std::vector<patient> in_assessment;
    std::vector<patient> inside;
    std::vector<patient> referred;
  };

  [[nodiscard]] static std::uint32_t num_personnel(std::uint32_t level) noexcept {
    return std::uint32_t{1} << level;
  }
  [[nodiscard]] std::uint32_t num_patients(std::uint32_t level) const noexcept {
    return num_personnel(level) * rules_.patients_per_personnel;
  }

  void make_room();
  void settle(std::size_t number, std::uint32_t level, std::uint32_t& next_id);
  void check_in(town& where, patient who) const;
  void start_assessment(town& where, patient who) const;
  void release_recovered(town& where) const;
  void assess(town& where, bool is_capital, std::vector<patient>& leaving) const;
  void call_waiting(town& where) const;

  input rules_;
  std::vector<town> villages_;
  std::size_t num_parents_ = 0;
};

}  // namespace weft::lab::inncabs::health

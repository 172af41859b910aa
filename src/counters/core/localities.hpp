// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processes of a job, called localities in the names of counters, and how their counters are
// read from here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// The counters of the other localities. A reading may wait for another process, but has a time
/// limit.
///
/// Threads: every member from any thread.
class other_localities {
 public:
  other_localities() = default;
  other_localities(const other_localities&) = delete;
  other_localities& operator=(const other_localities&) = delete;
  virtual ~other_localities() = default;

  /// The counters of other localities that `pattern` means; its instance begins with a locality.
  /// Errors:  `weft::error` if it names one locality, which has no such counter, and if a locality
  ///          does not answer.
  [[nodiscard]] virtual std::vector<counter_name> discover(const counter_name& pattern) = 0;
  /// Errors:  `weft::error` if there is no such counter.
  [[nodiscard]] virtual counter_type type_of(const counter_name& name) = 0;
  [[nodiscard]] virtual std::unique_ptr<counter> make(const counter_name& name) = 0;
};

/// The number of this process in its job; 0 unless `set_own_locality` was called.
/// Threads: any.
[[nodiscard]] std::uint32_t own_locality() noexcept;
void set_own_locality(std::uint32_t number) noexcept;

/// The first part of each instance that belongs to this process.
[[nodiscard]] instance_part own_locality_part();

/// Lets names of other localities mean their counters; null: they mean nothing.
void set_other_localities(registry& in, std::shared_ptr<other_localities> others);

/// True if the instance of `name` begins with the number of another locality.
[[nodiscard]] bool is_of_other_locality(const counter_name& name);
/// True if `pattern` means counters of other localities, perhaps among others.
[[nodiscard]] bool means_others(const counter_name& pattern);
/// True if `name`, its base or an operand has a locality in its instance, or a `*` for it.
[[nodiscard]] bool has_locality(const counter_name& name);
/// Returns `name` with this locality in place of the ones that `has_locality` finds.
[[nodiscard]] counter_name at_own_locality(counter_name name);

}  // namespace weft::counters::detail

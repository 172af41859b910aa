// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All counters there are: who offers them, how they are found, how one is made for a session.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

namespace weft::counters {

/// A counter type with all its instances.
struct counter_family {
  counter_type type;
  /// The instances there are now. A type that refines others, as /statistics does, has one without
  /// instance; see `expand`.
  std::function<std::vector<counter_name>()> instances;
  /// One of them. Errors: `weft::error` for parameters that it does not take.
  std::function<std::unique_ptr<counter>(const counter_name&)> make;
  /// True: `type.name` ends in "/*", and `make` decides which names it has: /perf{...}/EVENT.
  bool is_open = false;
};

class registry;

/// Keeps counters registered while it lives.
///
/// Afterwards sessions that hold them read `unavailable`; the destructor waits for a reading that
/// is under way.
class registration {
 public:
  registration() = default;
  registration(registration&&) noexcept = default;
  registration& operator=(registration&&) noexcept = default;
  ~registration() = default;

 private:
  friend class registry;
  explicit registration(std::shared_ptr<void> keeper) noexcept : keeper_(std::move(keeper)) {}
  std::shared_ptr<void> keeper_;
};

/// Finds counters by name.
///
/// Threads: every member from any thread; none waits for a worker.
/// Example: tests/counters/registry_test.cpp: what_is_registered_can_be_found.
class registry {
 public:
  registry();
  ~registry();
  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;

  /// Errors: `weft::error` if the type's name is no counter name or is registered already.
  [[nodiscard]] registration add(counter_family family);

  /// All types, by name.
  [[nodiscard]] std::vector<counter_type> types() const;
  /// The type of a counter. Errors: `weft::error` with the nearest type's name.
  [[nodiscard]] counter_type type_of(const counter_name& name) const;
  /// The counters that `pattern` means; see `expand`, also for errors.
  [[nodiscard]] std::vector<counter_name> discover(const counter_name& pattern) const;
  /// Makes a counter for a session. Errors: `weft::error` with the nearest name.
  [[nodiscard]] std::unique_ptr<counter> make(const counter_name& name) const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// The registry of this process; it outlives every thread. Has what the process, the machine and
/// refined counters offer; runtimes add theirs.
[[nodiscard]] registry& process_counters();

/// Names of the counters of this process that `pattern` means, such as "/threads*/time/*".
///
/// Errors:  `weft::error` if it means none, with the nearest name.
/// Example: examples/list_counters.cpp
[[nodiscard]] std::vector<std::string> discover(std::string_view pattern);

/// Registers a counter `{locality#0/total}` of this process whose value `read` returns.
///
/// Shape:   `type.kind` total: `read` returns what never goes down; gauge: anything. array:
///          the form with several numbers.
/// Threads: `read` is called from whatever thread evaluates, one call at a time.
/// Errors:  `weft::error` as registry::add. What `read` throws makes the value unavailable, with
///          its message as the reason.
/// Example: examples/own_counter.cpp
[[nodiscard]] registration register_counter(const counter_type& type, std::function<double()> read);
[[nodiscard]] registration register_counter(const counter_type& type,
                                            std::function<std::vector<std::int64_t>()> read);
/// The same for a number that the program keeps anyway. `*number` must outlive the registration.
[[nodiscard]] registration register_counter(const counter_type& type,
                                            const std::atomic<std::int64_t>* number);
/// The same for a histogram: `read` returns all that was recorded so far.
[[nodiscard]] registration register_histogram(const counter_type& type,
                                              std::function<histogram_value()> read);

}  // namespace weft::counters

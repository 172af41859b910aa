// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All counters: who offers them, how to find them, and how a session makes one.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

namespace weft::counters {

class registry;

/// A counter type with all its instances.
struct counter_family {
  counter_type type;
  /// The instances there are now. A type that refines others, as /statistics does, has one without
  /// instance; see `expand`.
  std::function<std::vector<counter_name>()> instances;
  /// One of them, which counts from the beginning. It is destroyed whenever its session is, be
  /// that after the registration.
  /// Errors:  `weft::error` for parameters that it does not take.
  std::function<std::unique_ptr<counter>(const counter_name&)> make;
  /// True: `type.name` ends in "/*", and `make` decides which names it has: /perf{...}/EVENT.
  bool is_open = false;
  /// Unit, help and kind of one of them, where they are not those of `type`: /statistics{BASE}/max.
  std::function<counter_type(const counter_name&)> type_of = {};
};

namespace detail {
class family_list;
class other_localities;
void set_other_localities(registry& in, std::shared_ptr<other_localities> others);
}  // namespace detail

/// Keeps counters registered while it lives.
///
/// Afterwards sessions that hold them read `unavailable`; the destructor waits for a reading that
/// is under way, so a reading must not destroy its own.
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
/// Threads: every member from any thread; none waits for a worker. `discover`, `type_of` and `make`
///          wait for the answer of another process if a name has its locality.
/// Example: tests/counters/registry_test.cpp: what_is_registered_can_be_found.
class registry {
 public:
  registry();
  ~registry();
  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;

  /// Errors: `weft::error` if the type's name is no counter name or is registered already.
  [[nodiscard]] registration add(counter_family family);

  /// Grows whenever a family comes or goes.
  [[nodiscard]] std::uint64_t generation() const noexcept;
  /// All types, by name.
  [[nodiscard]] std::vector<counter_type> types() const;
  /// The type of a counter. Errors: `weft::error` with the nearest type's name.
  [[nodiscard]] counter_type type_of(const counter_name& name) const;
  /// The counters that `pattern` means; see `expand`, also for errors. A `worker-thread#3` without
  /// pool is in the pool `default`, if no counter is named so. A name without wildcard that an open
  /// family takes means itself, listed or not.
  [[nodiscard]] std::vector<counter_name> discover(const counter_name& pattern) const;
  /// Makes a counter, the one that `complete(name)` means; see `counter_family::make`.
  /// Errors: `weft::error` with the nearest name, or for a wildcard that means several.
  [[nodiscard]] std::unique_ptr<counter> make(const counter_name& name) const;

 private:
  friend void detail::set_other_localities(registry& in,
                                           std::shared_ptr<detail::other_localities> others);
  std::shared_ptr<detail::family_list> families_;
};

/// The registry of this process; it outlives every thread. Has what the process, the machine and
/// refined counters offer; runtimes add theirs.
[[nodiscard]] registry& process_counters();

/// Names of the counters of this process that `pattern` means, such as "/threads*/time/*".
///
/// Errors:  `weft::error` if it means none, with the nearest name.
/// Example: examples/list_counters.cpp
[[nodiscard]] std::vector<std::string> discover(std::string_view pattern);

namespace detail {

/// The value of a counter, as a function of the program returns it.
using number_function = std::variant<std::function<std::int64_t()>,
                                     std::function<double()>,
                                     std::function<std::vector<std::int64_t>()>>;

[[nodiscard]] registration register_number(const counter_type& type, number_function read);
/// Errors: `weft::error` beyond int64.
[[nodiscard]] std::int64_t checked_number(std::uint64_t number);

template <class Read>
using result_of = std::remove_cvref_t<std::invoke_result_t<Read&>>;

template <class Value>
concept whole_number = std::integral<Value> && !std::same_as<Value, bool>;

}  // namespace detail

/// A function that returns a whole number, a floating-point number or several whole numbers.
template <class Read>
concept counter_function = std::invocable<Read&> && std::copy_constructible<Read> &&
                           (detail::whole_number<std::invoke_result_t<Read&>> ||
                            std::floating_point<std::invoke_result_t<Read&>> ||
                            std::same_as<std::invoke_result_t<Read&>, std::vector<std::int64_t>>);

/// Registers a counter `{locality#N/total}` of this process, number N of its job, whose value `read` returns.
///
/// Whole numbers keep all their digits.
/// Shape:   `type.kind` total: `read` returns what never goes down; gauge: anything; array: several
///          numbers, which no reset changes.
/// Threads: `read` is called from whatever thread evaluates, one call at a time, and at most once
///          per evaluation.
/// Errors:  `weft::error` as registry::add, or for a kind that `read` does not fit. What `read`
///          throws makes the value unavailable, with its message as the reason.
/// Example: examples/own_counter.cpp
template <counter_function Read>
[[nodiscard]] registration register_counter(const counter_type& type, Read read) {
  using value = detail::result_of<Read>;
  if constexpr (std::unsigned_integral<value>) {
    return detail::register_number(type, std::function<std::int64_t()>([read]() mutable {
                                     return detail::checked_number(read());
                                   }));
  } else if constexpr (std::integral<value>) {
    return detail::register_number(type, std::function<std::int64_t()>(std::move(read)));
  } else if constexpr (std::floating_point<value>) {
    return detail::register_number(type, std::function<double()>(std::move(read)));
  } else {
    return detail::register_number(type,
                                   std::function<std::vector<std::int64_t>()>(std::move(read)));
  }
}
/// The same for a number that the program keeps anyway. `*number` must outlive the registration.
[[nodiscard]] registration register_counter(const counter_type& type,
                                            const std::atomic<std::int64_t>* number);
/// The same for a histogram: `read` returns all that was recorded so far.
[[nodiscard]] registration register_histogram(const counter_type& type,
                                              std::function<histogram_value()> read);

}  // namespace weft::counters

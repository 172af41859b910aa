// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of a registry by name, and the counters made from them. A counter notices when its
// family is no longer registered.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

class other_localities;

/// Lets readers in until it is closed.
///
/// Threads: any. A reader may enter again: it is admitted or refused, but never waits.
class reading_gate {
 public:
  [[nodiscard]] bool try_enter() noexcept;
  void leave() noexcept;
  /// Refuses readers from now on, and waits until the readers inside have left.
  void close() noexcept;
  [[nodiscard]] bool is_closed() const noexcept;

 private:
  static constexpr std::uint64_t closed = std::uint64_t{1} << 63;
  std::atomic<std::uint64_t> state_ = 0;  // the number of readers inside, and `closed`
};

/// A registered family.
///
/// Threads: any. After `close` it has no instances and makes nothing.
class family_entry : public std::enable_shared_from_this<family_entry> {
 public:
  /// Errors:  `weft::error` if the type's name is not a counter type.
  explicit family_entry(counter_family family);

  [[nodiscard]] const counter_type& type() const noexcept { return family_.type; }
  [[nodiscard]] const counter_name& type_pattern() const noexcept { return type_pattern_; }
  [[nodiscard]] bool is_open() const noexcept { return family_.is_open; }
  /// Returns the prefix of an open family, such as "/perf/". All names with this prefix belong to
  /// the family.
  [[nodiscard]] std::string prefix() const;

  [[nodiscard]] std::vector<counter_name> instances();
  [[nodiscard]] counter_type type_of(const counter_name& name);
  [[nodiscard]] std::unique_ptr<counter> make(const counter_name& name);

  void close() noexcept;
  [[nodiscard]] reading_gate& gate() noexcept { return gate_; }

 private:
  counter_family family_;
  counter_name type_pattern_;
  reading_gate gate_;
};

/// The counter that `family_entry::make` returns. It reads as unavailable once its family is no
/// longer registered.
class registered_counter final : public counter {
 public:
  registered_counter(std::shared_ptr<family_entry> family, std::unique_ptr<counter> made);

  [[nodiscard]] counter_value evaluate(evaluation& now) override;
  void reset(evaluation& now) override;
  bool pause(evaluation& now) override;
  void resume(evaluation& now) override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const override;
  void sample(evaluation& now) override;
  void prepare(evaluation& now) override;

  [[nodiscard]] bool is_registered() const noexcept;

 private:
  std::shared_ptr<family_entry> family_;
  std::unique_ptr<counter> made_;
  std::string reset_failure_;   // why the baseline is not known
  std::string sample_failure_;  // why the last sample is missing
};

/// Threads: any. The lock is never held during a call of a family's function.
class family_list {
 public:
  using entry = std::shared_ptr<family_entry>;

  /// Errors:  `weft::error` if a family of this name exists.
  void add(const entry& family);
  void remove(const family_entry& family);
  /// Returns how often a family was added or removed.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(); }

  [[nodiscard]] std::vector<entry> all() const;
  /// Returns the families whose counters may match `pattern`, or one of the names that it refines.
  [[nodiscard]] std::vector<entry> meant_by(const counter_name& pattern) const;
  /// Returns names for the error that no counter matches `pattern`. They are the counters of open
  /// families and of those that `pattern` may mean, and the types of all other families. Listing
  /// the counters of these may load a library and start a driver.
  [[nodiscard]] std::vector<counter_name> names_near(const counter_name& pattern) const;
  /// Returns the family of counter `name`; null: there is none.
  [[nodiscard]] entry find(const counter_name& name) const;

  /// The counters of the other processes of a job; null: this process is in no job.
  void set_others(std::shared_ptr<other_localities> others);
  [[nodiscard]] std::shared_ptr<other_localities> others() const;

 private:
  std::atomic<std::uint64_t> generation_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, entry, std::less<>> by_type_;
  std::shared_ptr<other_localities> others_;
};

/// True if the object or the counter contains a wildcard.
[[nodiscard]] bool has_type_wildcard(const counter_name& name);
/// True if the instance contains a wildcard.
[[nodiscard]] bool has_instance_wildcard(const counter_name& name);

}  // namespace weft::counters::detail

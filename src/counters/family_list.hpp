// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of a registry by name.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weft/counters/name.hpp"

#include "counters/family_entry.hpp"

namespace weft::counters::detail {

/// Threads: any; no call runs anybody's function while it holds the lock.
class family_list {
 public:
  using entry = std::shared_ptr<family_entry>;

  /// Errors: `weft::error` if there is one of this name.
  void add(const entry& family);
  void remove(const family_entry& family);
  /// How often one was added or removed.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(); }

  [[nodiscard]] std::vector<entry> all() const;
  /// Whose counters may match `pattern`, or one of the names that it refines.
  [[nodiscard]] std::vector<entry> meant_by(const counter_name& pattern) const;
  /// Whose counter `name` is; null: nobody's.
  [[nodiscard]] entry find(const counter_name& name) const;

 private:
  std::atomic<std::uint64_t> generation_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, entry, std::less<>> by_type_;
};

/// Tells whether the object or the counter holds a wildcard.
[[nodiscard]] bool has_type_wildcard(const counter_name& name);
/// Tells whether the instance does.
[[nodiscard]] bool has_instance_wildcard(const counter_name& name);

}  // namespace weft::counters::detail

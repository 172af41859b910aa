// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of one rank: objects, names, and calls that may be stopped.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/distributed/detail/object_table.hpp"
#include "weft/tasks/alarm.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/runtime_types.hpp"
#include "weft/tasks/stop_token.hpp"

namespace weft::distributed::detail {

/// Values that are found by name.
class name_table {
 public:
  explicit name_table(int rank) noexcept : rank_(rank) {}

  /// Errors: `weft::error` if the name is taken.
  void add(const std::string& name, std::shared_ptr<const void> value, const std::type_info& type);
  bool remove(const std::string& name);
  /// Waits until there is such a name; returns null at the deadline.
  /// Errors:  `weft::error` if the value is of another type.
  [[nodiscard]] std::shared_ptr<const void> find(const std::string& name,
                                                 const std::type_info& type,
                                                 const std::optional<tasks::time_point>& deadline);
  void clear() noexcept;

 private:
  struct named {
    std::shared_ptr<const void> value;
    const std::type_info* type = nullptr;
  };
  const int rank_;
  mutex mutex_;
  condition_variable changed_;
  std::map<std::string, named> all_;
};

/// Calls of other ranks that may be asked to stop.
class stop_table {
 public:
  /// The rank that calls, and its number for the call.
  using call_id = std::pair<std::int32_t, std::uint64_t>;

  [[nodiscard]] std::uint64_t next_number() noexcept;
  [[nodiscard]] stop_token add(call_id call);
  void remove(call_id call) noexcept;
  /// Does nothing if the call has ended.
  void request_stop(call_id call);

 private:
  tasks::spin_lock lock_;
  std::uint64_t last_number_ = 0;
  std::map<call_id, stop_source> all_;
};

class counter_server;

struct rank_tables {
  rank_tables(engine& home, int rank);
  rank_tables(const rank_tables&) = delete;
  rank_tables& operator=(const rank_tables&) = delete;
  ~rank_tables();
  /// Nothing is found any more.
  void close() noexcept;

  std::shared_ptr<object_table> objects;
  name_table names;
  stop_table stops;
  std::unique_ptr<counter_server> counters;
};

}  // namespace weft::distributed::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that all /papi counters share: one event set per thread, as PAPI requires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "counters/core/worker_threads.hpp"
#include "counters/families/papi/papi_library.hpp"

namespace weft::counters::detail {

/// The events counted on one thread. Adding an event keeps the counts of the others, although PAPI
/// must be stopped and started again for it.
class papi_set {
 public:
  papi_set(papi_library& papi, int thread_id);
  papi_set(const papi_set&) = delete;
  papi_set& operator=(const papi_set&) = delete;
  ~papi_set();

  /// Counts an event unless it is counted already. Returns why it cannot be counted; empty: it is
  /// counted.
  std::string add(int event);
  /// Returns the count of `event` since it was added; nothing if PAPI delivers no value.
  [[nodiscard]] std::optional<std::int64_t> read(int event);

 private:
  struct member {
    int event;
    std::int64_t before;  // its count until PAPI was last stopped
  };
  void stop();
  std::string start();

  papi_library* papi_;
  papi_answer set_;
  std::vector<member> members_;
  bool is_running_ = false;
};

/// The PAPI to use, and the threads that are workers. Tests replace both.
struct papi_surroundings {
  papi_library* papi = nullptr;  // null: PAPI of this machine
  std::filesystem::path root = "/";
  worker_source workers = worker_threads;
};

/// An event that counts, or the reason why it does not.
struct papi_event {
  int code = 0;
  std::string problem = {};
  bool is_stuck = false;  // started, but stayed 0
};

/// Does not trust PAPI: an event with a name and a code may still fail to be added, to start, or to
/// count.
///
/// Threads: any; one of them at a time calls PAPI.
class papi_machine {
 public:
  explicit papi_machine(papi_surroundings surroundings);

  /// Finds an event and proves once that it counts: adds it, starts it, and reads it after known
  /// work.
  [[nodiscard]] papi_event prove(const std::string& name);
  /// Returns the event set of a thread, shared by all its users. The machine must outlive it.
  [[nodiscard]] std::shared_ptr<papi_set> set_of(int thread_id);

  [[nodiscard]] std::string add(papi_set& set, int event);
  [[nodiscard]] std::optional<std::int64_t> read(papi_set& set, int event);

  [[nodiscard]] std::vector<worker_thread> workers() const { return surroundings_.workers(); }
  [[nodiscard]] const std::filesystem::path& root() const { return surroundings_.root; }

 private:
  papi_event try_out(const std::string& name);
  [[nodiscard]] papi_library& papi();

  papi_surroundings surroundings_;
  // Held during every call of PAPI. Recursive, because a set may be destroyed, which calls PAPI,
  // during another call.
  std::recursive_mutex mutex_;
  std::map<int, std::weak_ptr<papi_set>> sets_;
  std::map<std::string, papi_event> proven_;
};

}  // namespace weft::counters::detail

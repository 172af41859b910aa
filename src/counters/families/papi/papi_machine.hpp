// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all counters of the /papi family share: one set of events per thread, as PAPI wants it.
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

/// The events that are counted on one thread. Its counts go on when events are added, for which
/// PAPI has to stop and begin anew.
class papi_set {
 public:
  papi_set(papi_library& papi, int thread_id);
  papi_set(const papi_set&) = delete;
  papi_set& operator=(const papi_set&) = delete;
  ~papi_set();

  /// Lets an event count, if it does not yet. Returns why it cannot; empty: it counts.
  std::string add(int event);
  /// What `event` has counted since it was added; nothing if PAPI delivers nothing.
  [[nodiscard]] std::optional<std::int64_t> read(int event);

 private:
  struct member {
    int event;
    std::int64_t before;  // counted until PAPI last stopped
  };
  void stop();
  std::string start();

  papi_library* papi_;
  papi_answer set_;
  std::vector<member> members_;
  bool is_running_ = false;
};

/// Where events are counted, and whose threads are workers; tests plant others.
struct papi_surroundings {
  papi_library* papi = nullptr;  // null: the one of this machine
  std::filesystem::path root = "/";
  worker_source workers = worker_threads;
};

/// An event that counts, or why it does not.
struct papi_event {
  int code = 0;
  std::string problem = {};
  bool is_stuck = false;  // started, but stayed 0
};

/// PAPI lies: an event that has a name and a code may fail to be added, to start, or to count.
///
/// Threads: any; one of them at a time calls PAPI.
class papi_machine {
 public:
  explicit papi_machine(papi_surroundings surroundings);

  /// Finds an event and proves that it counts: added, started and read for known work; once.
  [[nodiscard]] papi_event prove(const std::string& name);
  /// The set of a thread, for as long as somebody holds it; the machine must outlive it.
  [[nodiscard]] std::shared_ptr<papi_set> set_of(int thread_id);

  [[nodiscard]] std::string add(papi_set& set, int event);
  [[nodiscard]] std::optional<std::int64_t> read(papi_set& set, int event);

  [[nodiscard]] std::vector<worker_thread> workers() const { return surroundings_.workers(); }
  [[nodiscard]] const std::filesystem::path& root() const { return surroundings_.root; }

 private:
  papi_event try_out(const std::string& name);
  [[nodiscard]] papi_library& papi();

  papi_surroundings surroundings_;
  // around every call of PAPI; a set may end, which calls it, while another call has the lock
  std::recursive_mutex mutex_;
  std::map<int, std::weak_ptr<papi_set>> sets_;
  std::map<std::string, papi_event> proven_;
};

}  // namespace weft::counters::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PAPI, loaded at the first use of one of its counters.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <papi.h>
#include <unistd.h>

#include "counters/core/shared_library.hpp"
#include "counters/families/papi/papi_library.hpp"

namespace weft::counters::detail {
namespace {

constexpr int cpu_component = 0;

unsigned long calling_thread() { return static_cast<unsigned long>(::gettid()); }

std::vector<std::string> library_names() {
  const std::string major = std::to_string(PAPI_VERSION_MAJOR(PAPI_VERSION));
  const std::string minor = std::to_string(PAPI_VERSION_MINOR(PAPI_VERSION));
  return {"libpapi.so." + major + '.' + minor, "libpapi.so." + major, "libpapi.so"};
}

/// Pointers to PAPI's functions.
struct papi_functions {
  papi_functions() {
    library.find("PAPI_strerror", strerror);
    library.find("PAPI_is_initialized", is_initialized);
    library.find("PAPI_library_init", library_init);
    library.find("PAPI_thread_init", thread_init);
    library.find("PAPI_get_component_info", get_component_info);
    library.find("PAPI_event_name_to_code", event_name_to_code);
    library.find("PAPI_create_eventset", create_eventset);
    library.find("PAPI_assign_eventset_component", assign_eventset_component);
    library.find("PAPI_attach", attach);
    library.find("PAPI_add_event", add_event);
    library.find("PAPI_remove_event", remove_event);
    library.find("PAPI_start", start);
    library.find("PAPI_read", read);
    library.find("PAPI_stop", stop);
    library.find("PAPI_cleanup_eventset", cleanup_eventset);
    library.find("PAPI_destroy_eventset", destroy_eventset);
  }

  shared_library library{library_names()};
  decltype(PAPI_strerror)* strerror = nullptr;
  decltype(PAPI_is_initialized)* is_initialized = nullptr;
  decltype(PAPI_library_init)* library_init = nullptr;
  decltype(PAPI_thread_init)* thread_init = nullptr;
  decltype(PAPI_get_component_info)* get_component_info = nullptr;
  decltype(PAPI_event_name_to_code)* event_name_to_code = nullptr;
  decltype(PAPI_create_eventset)* create_eventset = nullptr;
  decltype(PAPI_assign_eventset_component)* assign_eventset_component = nullptr;
  decltype(PAPI_attach)* attach = nullptr;
  decltype(PAPI_add_event)* add_event = nullptr;
  decltype(PAPI_remove_event)* remove_event = nullptr;
  decltype(PAPI_start)* start = nullptr;
  decltype(PAPI_read)* read = nullptr;
  decltype(PAPI_stop)* stop = nullptr;
  decltype(PAPI_cleanup_eventset)* cleanup_eventset = nullptr;
  decltype(PAPI_destroy_eventset)* destroy_eventset = nullptr;
};

class loaded_papi final : public papi_library {
 public:
  std::string begin() override {
    if (!has_begun_) {
      has_begun_ = true;
      problem_ = initialize();
    }
    return problem_;
  }

  papi_answer find_event(const std::string& name) override {
    int code = 0;
    const int result = papi_.event_name_to_code(name.c_str(), &code);
    return {.value = code, .problem = explain("PAPI_event_name_to_code", result)};
  }

  papi_answer make_set(int thread_id) override {
    int set = PAPI_NULL;
    std::string problem = explain("PAPI_create_eventset", papi_.create_eventset(&set));
    if (problem.empty()) {
      problem = explain("PAPI_assign_eventset_component",
                        papi_.assign_eventset_component(set, cpu_component));
    }
    if (problem.empty()) {
      problem = explain("PAPI_attach", papi_.attach(set, static_cast<unsigned long>(thread_id)));
    }
    if (!problem.empty() && set != PAPI_NULL) {
      destroy(set);
    }
    return {.value = set, .problem = problem};
  }

  std::string add(int set, int event) override {
    return explain("PAPI_add_event", papi_.add_event(set, event));
  }

  void remove(int set, int event) override { papi_.remove_event(set, event); }

  std::string start(int set) override { return explain("PAPI_start", papi_.start(set)); }

  std::optional<std::vector<std::int64_t>> read(int set, std::size_t num_events) override {
    std::vector<long long> values(num_events);
    if (papi_.read(set, values.data()) != PAPI_OK) {
      return std::nullopt;
    }
    return std::vector<std::int64_t>(values.begin(), values.end());
  }

  void stop(int set, std::size_t num_events) override {
    std::vector<long long> values(num_events);
    papi_.stop(set, values.data());
  }

  void destroy(int set) override {
    papi_.cleanup_eventset(set);
    papi_.destroy_eventset(&set);
  }

 private:
  std::string initialize() {
    if (const std::string& missing = papi_.library.problem(); !missing.empty()) {
      return "PAPI cannot be loaded (" + missing + "); install libpapi";
    }
    if (papi_.is_initialized() == PAPI_NOT_INITED) {
      const int result = papi_.library_init(PAPI_VER_CURRENT);
      if (result != PAPI_VER_CURRENT) {
        return result > 0 ? "PAPI has another version than weft was built with"
                          : explain("PAPI_library_init", result);
      }
    }
    const std::string problem = explain("PAPI_thread_init", papi_.thread_init(calling_thread));
    return problem.empty() ? explain_component() : problem;
  }

  /// Returns why PAPI's processor component does not count; empty: it does.
  std::string explain_component() const {
    const PAPI_component_info_t* const component = papi_.get_component_info(cpu_component);
    if (component == nullptr) {
      return "PAPI has no component for the processor's events";
    }
    return component->disabled == PAPI_OK ? ""
                                          : "PAPI's component " + std::string(component->name) +
                                                " is disabled: " + component->disabled_reason;
  }

  std::string explain(const char* call, int result) const {
    if (result == PAPI_OK) {
      return {};
    }
    const char* const text = papi_.strerror(result);
    return std::string(call) + " failed: " + (text == nullptr ? "unknown error" : text) +
           " (error " + std::to_string(result) + ')';
  }

  papi_functions papi_;
  bool has_begun_ = false;
  std::string problem_;
};

}  // namespace

papi_library& running_papi() {
  static auto* const papi = new loaded_papi;  // counters may outlive every static
  return *papi;
}

}  // namespace weft::counters::detail

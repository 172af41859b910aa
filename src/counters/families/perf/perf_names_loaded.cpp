// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of events from libpfm4, which is loaded at the first use.
#include <optional>
#include <string>

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "counters/core/shared_library.hpp"
#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_names.hpp"

namespace weft::counters::detail {
namespace {

class pfm_library {
 public:
  pfm_library() {
    decltype(pfm_initialize)* initialize = nullptr;
    library_.find("pfm_initialize", initialize);
    library_.find("pfm_get_os_event_encoding", encode_);
    library_.find("pfm_strerror", text_of_);
    problem_ = library_.problem();
    if (problem_.empty()) {
      const int result = initialize();
      problem_ = result == PFM_SUCCESS ? "" : text_of_(result);
    }
  }

  [[nodiscard]] named_event find(const std::string& name) const {
    if (!problem_.empty()) {
      return {.code = std::nullopt,
              .reason = "libpfm4, which knows names such as " + name + ", is of no use here: " +
                        problem_ + "; install libpfm4, or give the event's code as rNNNN"};
    }
    perf_event_attr event{};
    event.size = sizeof event;
    pfm_perf_encode_arg_t asked{};
    asked.attr = &event;
    asked.size = sizeof asked;
    const int result = encode_(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT, &asked);
    if (result != PFM_SUCCESS) {
      return {.code = std::nullopt,
              .reason = "libpfm4 knows no event " + name + " of this processor (" +
                        text_of_(result) + ')'};
    }
    return {.code = event_code{.type = event.type,
                               .config = event.config,
                               .config1 = event.config1,
                               .config2 = event.config2},
            .reason = {}};
  }

 private:
  shared_library library_{{"libpfm.so.4", "libpfm.so"}};
  decltype(pfm_get_os_event_encoding)* encode_ = nullptr;
  decltype(pfm_strerror)* text_of_ = nullptr;
  std::string problem_;
};

}  // namespace

named_event find_named_event(const std::string& name) {
  static const pfm_library library;
  return library.find(name);
}

}  // namespace weft::counters::detail

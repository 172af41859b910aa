// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without PAPI: all calls return the same reason.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/families/papi/papi_library.hpp"

namespace weft::counters::detail {
namespace {

constexpr const char* reason =
    "weft was built without PAPI: install libpapi-dev and build again; /perf needs no library";

class absent_papi final : public papi_library {
 public:
  std::string begin() override { return reason; }
  papi_answer find_event(const std::string& /*name*/) override { return {.problem = reason}; }
  papi_answer make_set(int /*thread_id*/) override { return {.problem = reason}; }
  std::string add(int /*set*/, int /*event*/) override { return reason; }
  void remove(int /*set*/, int /*event*/) override {}
  std::string start(int /*set*/) override { return reason; }
  std::optional<std::vector<std::int64_t>> read(int /*set*/, std::size_t /*num_events*/) override {
    return std::nullopt;
  }
  void stop(int /*set*/, std::size_t /*num_events*/) override {}
  void destroy(int /*set*/) override {}
};

}  // namespace

papi_library& running_papi() {
  static auto* const papi = new absent_papi;  // counters may outlive every static
  return *papi;
}

}  // namespace weft::counters::detail

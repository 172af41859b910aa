// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the whole process: one meter per source, one reading per row of the catalog.
#include "weft/counters/process.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <sys/resource.h>

#include "counters/catalog_rows.hpp"
#include "counters/environment.hpp"

namespace weft::counters {
namespace {

using detail::catalog_row;
using detail::usage_recipe;

rusage process_usage() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace

class process_session::state {
 public:
  void start() { at_start_ = process_usage(); }

  void stop() {
    const rusage at_stop = process_usage();
    std::size_t i = 0;
    for (const catalog_row& row : detail::catalog_rows()) {
      const auto& how = std::get<usage_recipe>(row.how);
      totals_[i++] += how.value(at_stop) - how.value(at_start_);
    }
    has_stopped_ = true;
  }

  void reset() {
    totals_.assign(totals_.size(), 0);
    has_stopped_ = false;
  }

  [[nodiscard]] std::vector<reading> readings() const {
    std::vector<reading> result;
    std::size_t i = 0;
    for (const catalog_row& row : detail::catalog_rows()) {
      reading& read = result.emplace_back(reading{.name = std::string(row.info.name),
                                                  .unit = std::string(row.info.unit),
                                                  .value = {},
                                                  .reason = {}});
      if (has_stopped_) {
        read.value = totals_[i];
      } else {
        read.reason = "nothing counted yet: call start(), then stop()";
      }
      ++i;
    }
    return result;
  }

 private:
  rusage at_start_{};
  std::vector<double> totals_ = std::vector<double>(detail::catalog_rows().size());
  bool has_stopped_ = false;
};

process_session::process_session() : process_session(detail::environment{}) {}
process_session::process_session(const detail::environment& /*where*/)
    : state_(std::make_unique<state>()) {}
process_session::~process_session() = default;
process_session::process_session(process_session&&) noexcept = default;
process_session& process_session::operator=(process_session&&) noexcept = default;

void process_session::start() { state_->start(); }
void process_session::stop() { state_->stop(); }
void process_session::reset() { state_->reset(); }
std::vector<reading> process_session::readings() const { return state_->readings(); }

}  // namespace weft::counters

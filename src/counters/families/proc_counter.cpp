// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter of a number that the kernel keeps: in a file of /proc, or behind a system call.
#include "counters/families/proc_counter.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/text_file.hpp"
#include "weft/counters/counter.hpp"

namespace weft::counters::detail {

proc_files::proc_files(std::filesystem::path root) : root_(std::move(root)) {}

std::shared_ptr<const std::vector<std::string>> proc_files::lines(proc_file file,
                                                                  evaluation& now) const {
  using text = std::vector<std::string>;
  return now.once<text>(&keys_.at(static_cast<std::size_t>(file)), [&] {
    return std::make_shared<const text>(base::read_lines(root_ / path_of(file).substr(1)));
  });
}

std::string_view proc_files::path_of(proc_file file) {
  return paths.at(static_cast<std::size_t>(file));
}

proc_counter::proc_counter(counter_kind kind, number_reader read)
    : kind_(kind), read_(std::move(read)) {}

counter_value proc_counter::evaluate(evaluation& now) {
  const kept_number kept = at_pause_ ? *at_pause_ : read_(now);
  if (!kept.value) {
    return unavailable(kept.reason);
  }
  if (!baseline_.value) {
    return unavailable("not known when counting began (" + baseline_.reason +
                       "); reset to count from now on");
  }
  const std::int64_t added = *kept.value - *baseline_.value;
  return kind_ == counter_kind::total && added < 0
             ? unavailable(
                   "went down since counting began: what is counted began anew; reset to count "
                   "from now on")
             : counter_value{.value = added};
}

void proc_counter::reset(evaluation& now) {
  if (kind_ == counter_kind::total) {
    baseline_ = read_(now);
    at_pause_.reset();
  }
}

bool proc_counter::pause(evaluation& now) {
  if (kind_ != counter_kind::total) {
    return false;
  }
  at_pause_ = read_(now);
  return true;
}

void proc_counter::resume(evaluation& now) {
  const kept_number kept = read_(now);
  if (kept.value && at_pause_ && at_pause_->value && baseline_.value) {
    *baseline_.value += *kept.value - *at_pause_->value;
    at_pause_.reset();
  }  // otherwise it stays paused, without a value if there was none
}

}  // namespace weft::counters::detail

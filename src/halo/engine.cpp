// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the templates of the headers call.
#include "weft/halo/detail/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/tuning.hpp"

#include "halo/plan.hpp"
#include "halo/running_exchange.hpp"
#include "halo/tuning.hpp"

namespace weft::halo::detail {

namespace {

int level_of_environment() {
  const std::string level = process_environment("WEFT_HALO_VALIDATE").value_or("1");
  if (level.size() != 1 || level.front() < '0' || level.front() > '3') {
    throw error(errc::unsupported,
                "WEFT_HALO_VALIDATE is \"" + level + "\"; it takes 0, 1, 2 or 3");
  }
  return level.front() - '0';
}

}  // namespace

engine::engine(std::shared_ptr<grid> processes,
               const exchange_options& options,
               std::vector<shape> fields,
               bool is_reverse,
               const std::source_location& where)
    : impl_(
          std::make_unique<running_exchange>(std::move(processes),
                                             options,
                                             std::move(fields),
                                             is_reverse ? flow::halo_to_owner : flow::owner_to_halo,
                                             where)) {
  if (options.validate >= 3 && !is_reverse) {
    impl_->self_test();
  }
}
engine::~engine() = default;

void engine::self_test() { impl_->self_test(); }
void engine::finish_quietly() noexcept {
  try {
    impl_->finish();
  } catch (const std::exception& failed) {
    send_message(std::string("weft: a halo exchange that nobody waited for failed: ") +
                 failed.what() + "\n");
  }
}

const std::vector<shape>& engine::fields() const noexcept { return impl_->fields(); }
const exchange_options& engine::options() const noexcept { return impl_->options(); }
void engine::pack(std::span<std::byte* const> fields) { impl_->pack(fields); }
void engine::start() { impl_->start(); }
void engine::wait() { impl_->wait(); }
void engine::unpack(std::span<std::byte* const> fields, std::span<const combining> how) {
  impl_->unpack(fields, how);
}
void engine::begin(std::span<std::byte* const> fields) {
  impl_->pack(fields);
  impl_->start();
  impl_->run_ahead();
}
bool engine::advance() { return impl_->advance(); }
void engine::advance_or_pause() { impl_->advance_or_pause(); }
void engine::finish() { impl_->finish(); }
std::optional<direction> engine::next_arrival() { return impl_->next_arrival(); }
bool engine::is_idle() const noexcept { return impl_->is_idle(); }
std::string engine::report() const { return impl_->report(); }

engine_cache::engine_cache(std::shared_ptr<grid> processes, const exchange_options& options)
    : processes_(std::move(processes)), options_(options) {
  if (options_.validate == validate_by_environment) {
    options_.validate = level_of_environment();
  }
}

std::vector<engine_cache::entry>::iterator engine_cache::position(std::span<const shape> fields,
                                                                  bool is_reverse) {
  return std::ranges::find_if(entries_, [&](const entry& each) {
    return each.is_reverse == is_reverse && std::ranges::equal(each.made->fields(), fields);
  });
}

const exchange_options& engine_cache::options_for(std::span<const shape> fields) const {
  const auto found = std::ranges::find_if(entries_, [&](const entry& each) {
    return !each.is_reverse && std::ranges::equal(each.made->fields(), fields);
  });
  return found == entries_.end() ? options_ : found->made->options();
}

tuning engine_cache::tune(std::span<const shape> fields,
                          std::span<std::byte* const> pointers,
                          const tuning_options& how,
                          const std::source_location& where) {
  tuned made = detail::tune(
      {.processes = processes_, .options = options_, .fields = fields, .pointers = pointers},
      how,
      where);
  if (const auto former = position(fields, false); former != entries_.end()) {
    entries_.erase(former);
  }
  entries_.insert(entries_.begin(), {false, std::move(made.fastest)});
  return std::move(made.found);
}

std::shared_ptr<engine> engine_cache::find(std::span<const shape> fields,
                                           bool is_reverse,
                                           const std::source_location& where) {
  const auto found = position(fields, is_reverse);
  if (found != entries_.end()) {
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().made;
  }
  auto made = std::make_shared<engine>(
      processes_, options_, std::vector<shape>(fields.begin(), fields.end()), is_reverse, where);
  entries_.insert(entries_.begin(), {is_reverse, made});
  return made;
}

std::string engine_cache::report() const {
  std::string text;
  for (const entry& each : entries_) {
    text += each.made->report();
  }
  return text;
}

}  // namespace weft::halo::detail

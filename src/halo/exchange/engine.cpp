// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the templates of the headers call.
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
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/tuning.hpp"

#include "halo/exchange/running_exchange.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/tuning/tuning.hpp"

namespace weft::halo::detail {

engine::engine(std::shared_ptr<grid> processes,
               const exchange_options& options,
               std::vector<shape> fields,
               bool is_reverse,
               const std::source_location& where)
    : where_(where) {
  placed(where_, [&] {
    impl_ =
        std::make_unique<running_exchange>(std::move(processes),
                                           options,
                                           std::move(fields),
                                           is_reverse ? flow::halo_to_owner : flow::owner_to_halo,
                                           where);
    if (options.validate >= validation::cells && !is_reverse) {
      impl_->self_test();
    }
  });
}
engine::~engine() = default;

void engine::self_test() {
  placed(where_, [&] { impl_->self_test(); });
}
void engine::name_place(const std::string& text) { impl_->name_place(text); }
void engine::finish_quietly() noexcept {
  try {
    impl_->finish();
  } catch (const std::exception& failed) {
    send_message(std::string("weft: a halo exchange without a wait() failed: ") + failed.what() +
                 "\n");
  }
}

const std::vector<shape>& engine::fields() const noexcept { return impl_->fields(); }
const exchange_options& engine::options() const noexcept { return impl_->options(); }
void engine::pack(std::span<std::byte* const> fields) {
  placed(where_, [&] { impl_->pack(fields); });
}
void engine::start() {
  placed(where_, [&] { impl_->start(); });
}
void engine::wait() {
  placed(where_, [&] { impl_->wait(); });
}
void engine::unpack(std::span<std::byte* const> fields, std::span<const combining> how) {
  placed(where_, [&] { impl_->unpack(fields, how); });
}
void engine::begin(std::span<std::byte* const> fields) {
  placed(where_, [&] {
    impl_->pack(fields);
    impl_->start();
    impl_->run_ahead();
  });
}
bool engine::advance() {
  return placed(where_, [&] { return impl_->advance(); });
}
void engine::advance_or_pause() {
  placed(where_, [&] { impl_->advance_or_pause(); });
}
void engine::finish() {
  placed(where_, [&] { impl_->finish(); });
}
std::optional<direction> engine::next_arrival() { return impl_->next_arrival(); }
bool engine::is_idle() const noexcept { return impl_->is_idle(); }
std::string engine::report() const { return impl_->report(); }

engine_cache::engine_cache(std::shared_ptr<grid> processes,
                           const exchange_options& options,
                           const std::source_location& where)
    : processes_(std::move(processes)), options_(options), where_(where) {
  if (options_.validate == validation::automatic) {
    // the plan rejects `automatic`
    options_.validate = level_of_environment().value_or(validation::automatic);
  }
}

void engine_cache::refuse(errc code, const std::string& why) const {
  throw error(code, why, std::nullopt, where_);
}

void engine_cache::check_number(std::size_t num_fields) const {
  if (options_.max_fields && num_fields > num_announced(options_.max_fields)) {
    refuse(errc::too_many_fields,
           std::to_string(num_fields) + " fields passed, plan was made for .max_fields=" +
               std::to_string(*options_.max_fields));
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
                          const tuning_options& how) {
  tuned made = placed(where_, [&] {
    return detail::tune(
        {.processes = processes_, .options = options_, .fields = fields, .pointers = pointers},
        how,
        where_);
  });
  if (const auto former = position(fields, false); former != entries_.end()) {
    entries_.erase(former);
  }
  entries_.insert(entries_.begin(), {false, std::move(made.fastest)});
  return std::move(made.found);
}

std::shared_ptr<engine> engine_cache::find(std::span<const shape> fields, bool is_reverse) {
  const auto found = position(fields, is_reverse);
  if (found != entries_.end()) {
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().made;
  }
  auto made = std::make_shared<engine>(
      processes_, options_, std::vector<shape>(fields.begin(), fields.end()), is_reverse, where_);
  if (!place_.empty()) {
    made->name_place(place_);
  }
  entries_.insert(entries_.begin(), {is_reverse, made});
  return made;
}

std::shared_ptr<engine> engine_cache::make(std::span<const shape> fields) const {
  return std::make_shared<engine>(processes_,
                                  options_for(fields),
                                  std::vector<shape>(fields.begin(), fields.end()),
                                  false,
                                  where_);
}

std::string engine_cache::report() const {
  std::string text;
  for (const entry& each : entries_) {
    text += each.made->report();
  }
  return text;
}

}  // namespace weft::halo::detail

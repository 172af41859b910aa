// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface to exchanges.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "weft/halo.h"
#include "weft/halo/axis.hpp"
#include "weft/halo/detail/engine.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/exchange/stall_watch.hpp"
#include "halo/languages/c_interface.hpp"

namespace halo = weft::halo;
namespace detail = weft::halo::detail;

using detail::bad_argument;
using detail::guarded;
using detail::require;

struct weft_halo_exchange {
  weft_halo_exchange(const weft_halo_grid& grid,
                     const halo::exchange_options& options,
                     const detail::shape& field)
      : engines(grid.processes, options, std::source_location()), shape(field) {}

  detail::engine_cache engines;
  detail::shape shape;
  std::vector<detail::shape> shapes;
  std::shared_ptr<detail::engine> running;
  std::vector<std::byte*> pointers;
  std::string report;
};

namespace {

static_assert(static_cast<int>(halo::packing::direct) == WEFT_HALO_PACKING_DIRECT);
static_assert(static_cast<int>(halo::schedule::staged) == WEFT_HALO_SCHEDULE_STAGED);
static_assert(static_cast<int>(halo::directions::all) == WEFT_HALO_ALL);
static_assert(static_cast<int>(halo::transport::messages) == WEFT_HALO_TRANSPORT_MESSAGES);
static_assert(static_cast<int>(halo::validation::automatic) == WEFT_HALO_VALIDATION_AUTOMATIC);
static_assert(static_cast<int>(halo::validation::cells) == WEFT_HALO_VALIDATION_CELLS);

constexpr double most_patience_s = 1e9;

/// `first` and `last`: the smallest and the largest valid number.
template <class Enum>
Enum named(int number, Enum last, const char* name, Enum first = Enum{}) {
  if (number < static_cast<int>(first) || number > static_cast<int>(last)) {
    std::string choices;
    for (int each = static_cast<int>(first); each <= static_cast<int>(last); ++each) {
      choices += (choices.empty() ? "" : ", ") + std::to_string(each) + " (" +
                 std::string(to_string(static_cast<Enum>(each))) + ")";
    }
    throw bad_argument(std::string(name) + " is " + std::to_string(number) + "; it may be " +
                       choices);
  }
  return static_cast<Enum>(number);
}

halo::exchange_options options_of(const weft_halo_options* given) {
  const weft_halo_options what = given == nullptr ? weft_halo_default_options() : *given;
  if (what.max_fields < 0) {
    throw bad_argument("max_fields is " + std::to_string(what.max_fields) +
                       "; it may be 0 for any number");
  }
  // Tests for the valid range: a test for invalid values would let NaN pass.
  if (!(what.patience_s >= 0 && what.patience_s <= most_patience_s)) {
    throw bad_argument("patience_s is " + std::to_string(what.patience_s) +
                       "; it may be 0 for no message, to 1e9");
  }
  using halo::validation;
  const auto patience =
      std::chrono::round<std::chrono::milliseconds>(std::chrono::duration<double>(what.patience_s));
  return {.packing = named(what.packing, halo::packing::direct, "packing"),
          .schedule = named(what.schedule, halo::schedule::staged, "schedule"),
          .directions = named(what.directions, halo::directions::all, "directions"),
          .transport = named(what.transport, halo::transport::messages, "transport"),
          .max_fields = what.max_fields == 0
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(what.max_fields)),
          .validate = named(what.validate, validation::cells, "validate", validation::automatic),
          .patience = what.patience_s == 0 ? std::nullopt : std::optional(patience)};
}

/// Returns the engine for that many fields, and their addresses in `pointers`.
detail::engine& engine_for(weft_halo_exchange& exchange, int num_fields, void* const* fields) {
  if (num_fields < 1) {
    throw bad_argument("num_fields is " + std::to_string(num_fields) + "; pass one at least");
  }
  require(static_cast<const void*>(fields), "fields");
  if (exchange.running != nullptr && !exchange.running->is_idle()) {
    throw halo::error(halo::errc::wrong_state,
                      "an exchange is under way; call weft_halo_exchange_wait first");
  }
  const auto count = static_cast<std::size_t>(num_fields);
  const std::optional<std::size_t> limit = exchange.engines.options().max_fields;
  if (limit && count > *limit) {
    throw halo::error(halo::errc::too_many_fields,
                      std::to_string(count) +
                          " fields passed, plan was made for max_fields=" + std::to_string(*limit));
  }
  if (exchange.shapes.size() < count) {
    exchange.shapes.resize(count, exchange.shape);
  }
  if (exchange.running == nullptr || exchange.running->fields().size() != count) {
    exchange.running = exchange.engines.find(std::span(exchange.shapes).first(count), false);
  }
  exchange.pointers.clear();
  for (std::size_t n = 0; n < count; ++n) {
    exchange.pointers.push_back(static_cast<std::byte*>(fields[n]));
  }
  return *exchange.running;
}

int make_exchange(const weft_halo_grid* grid,
                  const weft_halo_axis* box,
                  const weft_halo_options* options,
                  weft_halo_exchange** made,
                  const auto& shape) {
  return guarded([&] {
    require(grid, "grid");
    std::unique_ptr<weft_halo_exchange> exchange;
    detail::prepared_together(*grid->processes, [&] {
      require(box, "box");
      require(static_cast<const void*>(made), "made");
      const std::vector<halo::axis> axes = detail::axes_of(*grid, box);
      exchange = std::make_unique<weft_halo_exchange>(*grid, options_of(options), shape(axes));
      if (options != nullptr && options->made_at != nullptr) {
        exchange->engines.name_place(detail::without_folders(options->made_at));
      }
    });
    // As in C++, fields that do not match the neighbours' are reported when the exchange is made.
    const std::size_t first = detail::num_announced(exchange->engines.options().max_fields);
    exchange->shapes.assign(first, exchange->shape);
    exchange->running = exchange->engines.find(exchange->shapes, false);
    *made = exchange.release();
  });
}

}  // namespace

extern "C" {

weft_halo_options weft_halo_default_options(void) {
  return {.packing = WEFT_HALO_PACKING_AUTOMATIC,
          .schedule = WEFT_HALO_SCHEDULE_AUTOMATIC,
          .directions = WEFT_HALO_ALL,
          .transport = WEFT_HALO_TRANSPORT_AUTOMATIC,
          .max_fields = 0,
          .validate = WEFT_HALO_VALIDATION_AUTOMATIC,
          .patience_s = std::chrono::duration<double>(halo::default_patience).count(),
          .made_at = nullptr};
}

int weft_halo_exchange_create(const weft_halo_grid* grid,
                              const weft_halo_axis* box,
                              int layout,
                              int64_t element_bytes,
                              const weft_halo_options* options,
                              weft_halo_exchange** made) {
  return make_exchange(grid, box, options, made, [&](const std::vector<halo::axis>& axes) {
    return detail::shape_of_bytes(axes, detail::dense(axes, layout), element_bytes);
  });
}

int weft_halo_exchange_create_strided(const weft_halo_grid* grid,
                                      const weft_halo_axis* box,
                                      const int64_t* strides,
                                      int64_t element_bytes,
                                      const weft_halo_options* options,
                                      weft_halo_exchange** made) {
  return make_exchange(grid, box, options, made, [&](const std::vector<halo::axis>& axes) {
    require(strides, "strides");
    const std::vector<std::ptrdiff_t> given(strides, strides + axes.size());
    return detail::shape_of_bytes(axes, given, element_bytes);
  });
}

void weft_halo_exchange_free(weft_halo_exchange* exchange) {
  if (exchange != nullptr && exchange->running != nullptr) {
    exchange->running->finish_quietly();
  }
  delete exchange;
}

int weft_halo_exchange_run(weft_halo_exchange* exchange, int num_fields, void* const* fields) {
  return guarded([&] {
    require(exchange, "exchange");
    detail::engine& running = engine_for(*exchange, num_fields, fields);
    running.begin(exchange->pointers);
    running.finish();
  });
}

int weft_halo_exchange_start(weft_halo_exchange* exchange, int num_fields, void* const* fields) {
  return guarded([&] {
    require(exchange, "exchange");
    engine_for(*exchange, num_fields, fields).begin(exchange->pointers);
  });
}

int weft_halo_exchange_wait(weft_halo_exchange* exchange) {
  return guarded([&] {
    require(exchange, "exchange");
    if (exchange->running != nullptr) {
      exchange->running->finish();
    }
  });
}

int weft_halo_exchange_test(weft_halo_exchange* exchange, int* is_over) {
  return guarded([&] {
    require(exchange, "exchange");
    require(is_over, "is_over");
    *is_over =
        exchange->running == nullptr || exchange->running->is_idle() || exchange->running->advance()
            ? 1
            : 0;
  });
}

int weft_halo_exchange_self_test(weft_halo_exchange* exchange, int num_fields) {
  return guarded([&] {
    require(exchange, "exchange");
    std::vector<void*> none(static_cast<std::size_t>(std::max(num_fields, 0)));
    engine_for(*exchange, num_fields, none.data()).self_test();
  });
}

const char* weft_halo_exchange_report(weft_halo_exchange* exchange) {
  const int code = guarded([&] {
    require(exchange, "exchange");
    exchange->report = exchange->engines.report();
  });
  return code == WEFT_HALO_OK ? exchange->report.c_str() : "";
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of an exchange: what it does and how long that takes, with peers, bytes, paths, times
// and advice.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "weft/counters/tick_clock.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/exchange/running_exchange.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

std::string with_digits(double number) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3g", number);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// Measures the bytes per second at which one rank copies from memory to memory.
double copy_rate() {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t size = std::size_t{16} << 20U;
  std::vector<char> from(size, 'a');
  std::vector<char> into(size, 'b');
  double best_s = 1e9;
  for (int round = 0; round < 3; ++round) {
    from[static_cast<std::size_t>(round)] = into[size - 1];
    const auto begin = clock::now();
    std::memcpy(into.data(), from.data(), size);
    best_s = std::min(best_s, std::chrono::duration<double>(clock::now() - begin).count());
  }
  return static_cast<double>(size) / best_s;
}

/// Returns advice for a field that `make_field` would have laid out differently.
std::string advice_on(const shape& field, std::size_t index) {
  constexpr std::ptrdiff_t bad_bytes = 2048;
  std::ptrdiff_t row_bytes = 0;
  bool has_narrow_rows = false;
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    const std::ptrdiff_t stride = std::abs(field.strides[d]);
    if (stride == static_cast<std::ptrdiff_t>(field.element_bytes)) {
      has_narrow_rows = field.axes[d].minus + field.axes[d].plus > 0;
    } else if (field.axes[d].length > 1 && (row_bytes == 0 || stride < row_bytes)) {
      row_bytes = stride;
    }
  }
  if (!has_narrow_rows || row_bytes == 0 || row_bytes % bad_bytes != 0) {
    return {};
  }
  return "  advice: rows of field " + std::to_string(index) + " lie " + std::to_string(row_bytes) +
         " B apart, so that the halos across them share few sets of a cache; pad rows by 64 B "
         "(axis.pad(0, n), as make_field does)\n";
}

}  // namespace

std::string running_exchange::path_of(const running_phase& during, const peer_link& to) const {
  if (to.memory.has_value()) {
    return std::string(to.memory->path(places_));
  }
  return during.out[to.message].goes_from_fields()
             ? "messages straight from the fields"
             : "messages, packed by " + std::string(to_string(options_.packing));
}

std::string running_exchange::times() const {
  if (exchange_ == 0) {
    return "  no exchange yet, so no times\n";
  }
  const double per_tick = counters::seconds_per_tick() * 1e6 / static_cast<double>(exchange_);
  const double pack_us = static_cast<double>(pack_ticks_) * per_tick;
  const double copy_us = static_cast<double>(copy_ticks_) * per_tick;
  const double wait_us = static_cast<double>(wait_ticks_) * per_tick;
  const auto bytes = static_cast<double>(message_bytes_ + memory_bytes_ + local_bytes_);
  const double rate = bytes / ((pack_us + copy_us + wait_us) * 1e-6);
  return "  per exchange: packing " + with_digits(pack_us) + " us, copying and unpacking " +
         with_digits(copy_us) + " us, waiting in wait() " + with_digits(wait_us) + " us; " +
         with_digits(rate * 1e-9) + " GB/s of halo cells, " +
         with_digits(100 * rate / copy_rate()) + " % of a plain copy\n";
}

std::string running_exchange::report() const {
  const double us_per_tick = counters::seconds_per_tick() * 1e6;
  const double planning_us = static_cast<double>(planning_ticks_) * us_per_tick;
  const double waiting_us = static_cast<double>(planning_wait_ticks_) * us_per_tick;
  std::string text =
      "rank " + std::to_string(processes_->rank()) + ", " + std::to_string(fields_.size()) +
      " fields" + (way_ == flow::halo_to_owner ? ", reverse" : "") + ": packing " +
      std::string(to_string(options_.packing)) + ", schedule " +
      std::string(to_string(options_.schedule)) + ", directions " +
      std::string(to_string(options_.directions)) + ", " + std::to_string(exchange_) +
      " exchanges, planned in " + with_digits(planning_us) + " us once all ranks had come, after " +
      with_digits(waiting_us) + " us\n";
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    for (const peer_link& each : phases_[p].links) {
      text += "  phase " + std::to_string(p) + ", rank " + std::to_string(each.what->peer) +
              ": sends " + std::to_string(each.what->out_bytes) + " B, receives " +
              std::to_string(each.what->in_bytes) + " B; " + path_of(phases_[p], each) + "\n";
    }
  }
  if (local_bytes_ > 0) {
    text += "  itself: copies " + std::to_string(local_bytes_) + " B\n";
  }
  text += copies_.report();
  text += times();
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    text += advice_on(fields_[n], n);
  }
  return text;
}

}  // namespace weft::halo::detail

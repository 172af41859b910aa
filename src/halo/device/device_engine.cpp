// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the templates of cuda.hpp call.
#include "weft/halo/detail/device_engine.hpp"

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
#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/device/cuda_device.hpp"
#include "halo/device/device.hpp"
#include "halo/device/device_exchange.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

device_queue* queue_of(CUstream_st* stream) { return reinterpret_cast<device_queue*>(stream); }

}  // namespace

device_engine::device_engine(std::shared_ptr<grid> processes,
                             std::shared_ptr<device> on,
                             const cuda_options& options,
                             std::vector<shape> fields,
                             const std::source_location& where)
    : where_(where),
      fields_(std::move(fields)),
      impl_(std::make_unique<device_exchange>(
          std::move(processes), options, std::move(on), fields_, where)) {}
device_engine::~device_engine() = default;

void device_engine::begin(CUstream_st* stream, std::span<std::byte* const> fields) {
  placed(where_, [&] { impl_->begin(queue_of(stream), fields); });
}
bool device_engine::advance() {
  return placed(where_, [&] { return impl_->advance(); });
}
void device_engine::then(CUstream_st* stream) {
  placed(where_, [&] { impl_->then(queue_of(stream)); });
}
void device_engine::wait() {
  placed(where_, [&] { impl_->wait(); });
}
bool device_engine::test() {
  return placed(where_, [&] { return impl_->test(); });
}
std::string device_engine::report() const { return impl_->report(); }

void device_engine::finish_quietly() noexcept {
  try {
    impl_->wait();
  } catch (const std::exception& failed) {
    send_message(std::string("weft: a halo exchange without a wait() failed: ") + failed.what() +
                 "\n");
  }
}

device_engine_cache::device_engine_cache(std::shared_ptr<grid> processes,
                                         const cuda_options& options)
    : processes_(std::move(processes)), options_(options), on_(current_cuda_device(*processes_)) {
  if (options_.validate == validation::automatic) {
    options_.validate =
        std::min(level_of_environment().value_or(validation::automatic), validation::descriptors);
  }
}

std::shared_ptr<device_engine> device_engine_cache::make(std::span<const shape> fields,
                                                         const std::source_location& where) const {
  return std::make_shared<device_engine>(
      processes_, on_, options_, std::vector<shape>(fields.begin(), fields.end()), where);
}

std::shared_ptr<device_engine> device_engine_cache::find(std::span<const shape> fields,
                                                         const std::source_location& where) {
  const auto found = std::ranges::find_if(
      engines_, [&](const auto& each) { return std::ranges::equal(each->fields(), fields); });
  if (found != engines_.end()) {
    std::rotate(engines_.begin(), found, found + 1);
  } else {
    engines_.insert(engines_.begin(), make(fields, where));
  }
  return engines_.front();
}

std::string device_engine_cache::report() const {
  std::string text;
  for (const auto& each : engines_) {
    text += each->report();
  }
  return text;
}

}  // namespace weft::halo::detail

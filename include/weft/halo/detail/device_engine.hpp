// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled part of an exchange between GPUs, as engine.hpp is for hosts.
#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"

struct CUstream_st;  // what CUDA's own headers call cudaStream_t points to

namespace weft::halo::detail {

class device;
class device_exchange;

/// Runs one plan, repeatedly.
///
/// Threads: as `engine`.
class device_engine {
 public:
  device_engine(std::shared_ptr<grid> processes,
                std::shared_ptr<device> on,
                const cuda_options& options,
                std::vector<shape> fields,
                const std::source_location& where);
  ~device_engine();
  device_engine(const device_engine&) = delete;
  device_engine& operator=(const device_engine&) = delete;

  [[nodiscard]] const std::vector<shape>& fields() const noexcept { return fields_; }

  void begin(CUstream_st* stream, std::span<std::byte* const> fields);
  bool advance();
  void then(CUstream_st* stream);
  void wait();
  [[nodiscard]] bool test();
  [[nodiscard]] std::string report() const;
  /// For destructors: an error becomes a message.
  void finish_quietly() noexcept;

 private:
  std::source_location where_;  // of whoever made the exchange: errors name it
  std::vector<shape> fields_;
  std::unique_ptr<device_exchange> impl_;
};

/// Engines of one exchange object, by the fields' shapes, on the device that was current when it
/// was made.
class device_engine_cache {
 public:
  device_engine_cache(std::shared_ptr<grid> processes, const cuda_options& options);

  /// The engine for such fields; a new one is made collectively.
  std::shared_ptr<device_engine> find(std::span<const shape> fields,
                                      const std::source_location& where);
  /// One of its own.
  [[nodiscard]] std::shared_ptr<device_engine> make(std::span<const shape> fields,
                                                    const std::source_location& where) const;
  [[nodiscard]] const cuda_options& options() const noexcept { return options_; }
  [[nodiscard]] std::string report() const;

 private:
  std::shared_ptr<grid> processes_;
  cuda_options options_;
  std::shared_ptr<device> on_;
  std::vector<std::shared_ptr<device_engine>> engines_;  // the one used last is first
};

}  // namespace weft::halo::detail

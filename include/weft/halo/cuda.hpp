// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halo exchange of fields in the memory of CUDA devices, ordered with the caller's streams. Needs
// the target weft::halo_cuda, and no header of CUDA.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/device_engine.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/exchange.hpp"
#include "weft/halo/exchange_any.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/layout.hpp"

namespace weft::halo {

/// Fields lie in the memory of a CUDA device, or in memory that CUDA manages.
struct cuda {};

/// The type that CUDA's own headers call `cudaStream_t`; null is the default stream.
using cuda_stream = CUstream_st*;

/// An exchange between GPUs that has started and not ended. Until it ends, do not use halos of the
/// fields, and do not write cells within a halo's width of a boundary. Cells further inside may be
/// used in any stream.
///
/// The destructor waits.
/// Threads: the one that started the exchange. MPI makes progress only inside calls of this class,
///          unless it has a thread of its own.
/// Errors:  `halo::error`: `device_call` with the call of CUDA that failed, `mpi_call`.
/// Example: tests/halo/cuda_exchange_test.cpp: kernels_before_and_behind_see_what_they_should.
class [[nodiscard]] device_pending {
 public:
  device_pending(device_pending&& other) noexcept = default;
  device_pending& operator=(device_pending&& other) noexcept {
    std::swap(engine_, other.engine_);
    return *this;
  }
  ~device_pending() {
    if (engine_ != nullptr) {
      engine_->finish_quietly();
    }
  }

  /// Kernels queued in `stream` from now on see the halos. The calling thread waits for the
  /// neighbours' messages, because MPI needs a thread that drives it. It does not wait for the
  /// device, which may still unpack when this returns.
  void then(cuda_stream stream) {
    if (const auto running = std::exchange(engine_, nullptr); running != nullptr) {
      running->then(stream);
    }
  }
  /// Returns once all halos are filled.
  void wait() {
    if (const auto running = std::exchange(engine_, nullptr); running != nullptr) {
      running->wait();
    }
  }
  /// True: all halos are filled. Does what can be done without waiting.
  [[nodiscard]] bool test() {
    if (engine_ != nullptr && engine_->test()) {
      engine_.reset();
    }
    return engine_ == nullptr;
  }
  /// Does what can be done without waiting, so that messages move on.
  void progress() {
    if (engine_ != nullptr) {
      static_cast<void>(engine_->advance());
    }
  }

  /// For the other headers of this module.
  explicit device_pending(std::shared_ptr<detail::device_engine> running)
      : engine_(std::move(running)) {}

 private:
  std::shared_ptr<detail::device_engine> engine_;
};

/// An exchange of the same fields of a device, repeatedly.
///
/// Threads: collective, as `exchange`.
class bound_device_exchange {
 public:
  /// For `bind()`.
  bound_device_exchange(std::shared_ptr<detail::device_engine> running,
                        std::vector<std::byte*> fields)
      : engine_(std::move(running)), fields_(std::move(fields)) {}

  /// Behind what `stream` holds, and before what comes into it.
  void operator()(cuda_stream stream) {
    engine_->begin(stream, fields_);
    engine_->then(stream);
  }
  /// Behind what `stream` holds.
  [[nodiscard]] device_pending start(cuda_stream stream) {
    engine_->begin(stream, fields_);
    return device_pending(engine_);
  }
  [[nodiscard]] std::string report() const { return engine_->report(); }

 private:
  std::shared_ptr<detail::device_engine> engine_;
  std::vector<std::byte*> fields_;
};

namespace detail {

/// Throws if `options` allows fewer fields.
inline void check_number_of_fields(std::size_t num_fields,
                                   const cuda_options& options,
                                   const std::source_location& where) {
  if (num_fields == 0) {
    throw error(errc::bad_field, "no field passed", std::nullopt, where);
  }
  if (options.max_fields && num_fields > num_announced(options.max_fields)) {
    throw error(errc::too_many_fields,
                std::to_string(num_fields) + " fields passed, plan was made for .max_fields=" +
                    std::to_string(*options.max_fields),
                std::nullopt,
                where);
  }
}

}  // namespace detail

/// Fills the halos of fields of one type and one shape that lie on GPUs; pointers come late.
///
/// It exchanges the same cells as `exchange<Value, Layout>`. One launch packs all fields and all
/// directions, and one launch per neighbouring rank unpacks them. Data that a rank sends to itself
/// is copied on the device. Descriptors stay on the device, so unbound pointers cost the same as
/// bound ones.
/// Cost:    per exchange 1 launch, 1 per neighbouring rank, and 1 for copies within this rank, if
///          any. The host never waits for the device's other work.
/// Threads: as `exchange`. The device that is current at construction is the one of all fields.
/// Errors:  `halo::error`, on all ranks if construction fails. `device_call`: no device, or a
///          message of CUDA. `unsupported`: a packing or path that this MPI cannot do. `bad_field`:
///          memory of the host or of another device.
/// Source:  Bianco, "An interface for halo exchange pattern": gcl_gpu.
/// Example: examples/halo_jacobi_cuda.cu
template <trivially_exchangeable Value, field_layout Layout>
class exchange<Value, Layout, cuda> {
 public:
  static constexpr std::size_t num_dims = Layout::num_dims;

  exchange(const cart<num_dims>& grid,
           const axes<num_dims>& box,
           const cuda_options& options = {},
           const Layout& how = {},
           std::source_location where = std::source_location::current())
      : engines_(grid.shared_grid(), options),
        where_(where),
        shape_(detail::shape_of<Value>(box, how.strides(box))) {
    static_cast<void>(engine_for(detail::num_announced(options.max_fields)));
  }

  /// Exchanges: behind what `stream` holds, and before what comes into it.
  template <std::convertible_to<Value*>... Fields>
    requires(sizeof...(Fields) > 0)
  void operator()(cuda_stream stream, const Fields&... fields) {
    start(stream, fields...).then(stream);
  }
  void operator()(cuda_stream stream, std::span<Value* const> fields) {
    start(stream, fields).then(stream);
  }

  /// Begins an exchange behind what `stream` holds, and returns what to wait for.
  template <std::convertible_to<Value*>... Fields>
    requires(sizeof...(Fields) > 0)
  [[nodiscard]] device_pending start(cuda_stream stream, const Fields&... fields) {
    const std::array<Value* const, sizeof...(Fields)> all{fields...};
    return start(stream, std::span<Value* const>(all));
  }
  [[nodiscard]] device_pending start(cuda_stream stream, std::span<Value* const> fields) {
    const auto running = engine_for(fields.size());
    addresses(fields, pointers_);
    running->begin(stream, pointers_);
    return device_pending(running);
  }

  /// An exchange of just these fields. It may be under way at the same time as others.
  template <std::convertible_to<Value*>... Fields>
    requires(sizeof...(Fields) > 0)
  [[nodiscard]] bound_device_exchange bind(const Fields&... fields) {
    detail::check_number_of_fields(sizeof...(Fields), engines_.options(), where_);
    const std::vector<detail::shape> shapes(sizeof...(Fields), shape_);
    return {engines_.make(shapes, where_), {detail::bytes_of(static_cast<Value*>(fields))...}};
  }

  /// The transfers, their paths, and how often each happened.
  [[nodiscard]] std::string report() const { return engines_.report(); }

 private:
  static void addresses(std::span<Value* const> fields, std::vector<std::byte*>& into) {
    into.clear();
    for (Value* const each : fields) {
      into.push_back(detail::bytes_of(each));
    }
  }
  std::shared_ptr<detail::device_engine> engine_for(std::size_t num_fields) {
    detail::check_number_of_fields(num_fields, engines_.options(), where_);
    shapes_.resize(num_fields, shape_);
    return engines_.find(shapes_, where_);
  }

  detail::device_engine_cache engines_;
  std::source_location where_;
  detail::shape shape_;
  std::vector<detail::shape> shapes_;
  std::vector<std::byte*> pointers_;
};

/// Fills the halos of any fields on GPUs together, as `exchange_any<dims>` does on hosts.
///
/// Threads, errors: as `exchange<Value, Layout, cuda>`.
/// Example: tests/halo/cuda_exchange_test.cpp: fields_of_all_kinds_travel_together.
template <std::size_t dims>
class exchange_any<dims, cuda> {
 public:
  static constexpr std::size_t num_dims = dims;

  explicit exchange_any(const cart<num_dims>& grid,
                        const cuda_options& options = {},
                        std::source_location where = std::source_location::current())
      : engines_(grid.shared_grid(), options), where_(where) {}

  /// Exchanges: behind what `stream` holds, and before what comes into it.
  template <class... Values>
    requires(sizeof...(Values) > 0)
  void operator()(cuda_stream stream, const field_view<Values, dims>&... fields) {
    start(stream, fields...).then(stream);
  }

  /// Begins an exchange behind what `stream` holds, and returns what to wait for.
  template <class... Values>
    requires(sizeof...(Values) > 0)
  [[nodiscard]] device_pending start(cuda_stream stream,
                                     const field_view<Values, dims>&... fields) {
    detail::check_number_of_fields(sizeof...(Values), engines_.options(), where_);
    const std::array<detail::shape, sizeof...(Values)> shapes{fields.shape()...};
    const std::array<std::byte*, sizeof...(Values)> all{detail::bytes_of(fields.data)...};
    const auto running = engines_.find(shapes, where_);
    running->begin(stream, all);
    return device_pending(running);
  }

  /// An exchange of just these fields. It may be under way at the same time as others.
  template <class... Values>
    requires(sizeof...(Values) > 0)
  [[nodiscard]] bound_device_exchange bind(const field_view<Values, dims>&... fields) {
    detail::check_number_of_fields(sizeof...(Values), engines_.options(), where_);
    const std::array<detail::shape, sizeof...(Values)> shapes{fields.shape()...};
    return {engines_.make(shapes, where_), {detail::bytes_of(fields.data)...}};
  }

  /// The transfers, their paths, and how often each happened.
  [[nodiscard]] std::string report() const { return engines_.report(); }

 private:
  detail::device_engine_cache engines_;
  std::source_location where_;
};

}  // namespace weft::halo

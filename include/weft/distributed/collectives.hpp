// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collective operations: all ranks call them, and each rank gets a future for the result.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/distributed/detail/collective.hpp"  // IWYU pragma: export: reduction
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/promise.hpp"

namespace weft::distributed {

/// What `all_reduce` takes: numbers of up to 8 bytes.
template <class T>
concept reducible = std::is_arithmetic_v<T> && sizeof(T) <= 8 && !std::same_as<T, bool>;

namespace detail {

template <class T>
consteval element element_of() {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? element::float32 : element::float64;
  } else {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? element::int8 : element::uint8;
      case 2:
        return is_signed ? element::int16 : element::uint16;
      case 4:
        return is_signed ? element::int32 : element::uint32;
      default:
        return is_signed ? element::int64 : element::uint64;
    }
  }
}

/// An operation that keeps its data, and gives `Result` to a future.
template <class Input, class Result>
class kept_collective final : public collective {
 public:
  kept_collective(Input in, Result out) : in_(std::move(in)), out_(std::move(out)) {}
  [[nodiscard]] Input& in() noexcept { return in_; }
  [[nodiscard]] Result& out() noexcept { return out_; }
  [[nodiscard]] future<Result> get_future() { return result_.get_future(); }

  void done() noexcept override {
    result_.set_value(std::move(out_));
    delete this;
  }

 private:
  Input in_;
  Result out_;
  promise<Result> result_;
};

/// Starts an operation, which then owns itself.
template <class Input, class Result>
future<Result> start_collective(engine& home,
                                std::unique_ptr<kept_collective<Input, Result>> operation) {
  future<Result> result = operation->get_future();
  home.start(*operation);
  static_cast<void>(operation.release());
  return result;
}

future<void> start_barrier(engine& home);
/// `with_service`: waits for messages that serve weft itself, too.
future<void> start_quiescence(engine& home, bool with_service);

}  // namespace detail

/// Ready when all ranks have called it.
///
/// All collective operations: every rank starts them in the same order, from one thread at a time.
/// Messages are handled meanwhile.
/// Cost:    MPI's own operation (MPI_Ibarrier), polled.
/// Errors:  `weft::error` if there is no runtime. An operation that MPI fails ends the job.
/// Example: tests/distributed/collectives_test.cpp: a_barrier_waits_for_all.
[[nodiscard]] future<void> barrier();

/// Ready when no message is on its way, and no task that a message started runs, on any rank.
/// Calls of a rank to itself count as messages. Collective. Tasks that were not started by calls are
/// not waited for: end them first.
///
/// Its rounds do not mix with other collective operations, which may be started meanwhile; several
/// of it are done one after the other. A task that a call started never waits for it.
/// Source:  Mattern, "Algorithms for distributed termination detection", 1987: four counters.
/// Example: tests/distributed/calls_test.cpp: posts_are_done_when_all_is_quiescent.
[[nodiscard]] future<void> quiescence();

/// Reduces the values of all ranks; all get the result. Floating-point sums may differ from run to
/// run as MPI's do.
/// Example: tests/distributed/collectives_test.cpp: all_reduce_gives_all_the_same.
template <reducible T>
[[nodiscard]] future<T> all_reduce(T mine, reduction operation) {
  auto started = std::make_unique<detail::kept_collective<T, T>>(mine, T());
  started->kind = detail::collective_kind::all_reduce;
  started->type = detail::element_of<T>();
  started->operation = operation;
  started->input = &started->in();
  started->output = &started->out();
  started->count = 1;
  return detail::start_collective(detail::engine::current(), std::move(started));
}

/// The values of all ranks, by rank.
/// Example: tests/distributed/collectives_test.cpp: all_gather_gives_values_by_rank.
template <class T>
  requires std::is_trivially_copyable_v<T> && (!std::is_pointer_v<T>)
[[nodiscard]] future<std::vector<T>> all_gather(T mine) {
  static_assert(detail::explain<T, detail::direction::reading>());
  if constexpr (std::same_as<T, bool>) {  // whose vector has no array
    return all_gather<char>(mine ? 1 : 0).then(launch::sync, [](future<std::vector<char>> all) {
      const std::vector<char> bytes = all.get();
      return std::vector<bool>(bytes.begin(), bytes.end());
    });
  } else {
    detail::engine& home = detail::engine::current();
    auto started = std::make_unique<detail::kept_collective<T, std::vector<T>>>(
        mine, std::vector<T>(static_cast<std::size_t>(home.size())));
    started->kind = detail::collective_kind::all_gather;
    started->input = &started->in();
    started->output = started->out().data();
    started->count = sizeof(T);
    return detail::start_collective(home, std::move(started));
  }
}

/// The value of rank `root`; those of other ranks are ignored.
/// Errors:  as `barrier`; `weft::error` if there is no such rank.
/// Example: tests/distributed/collectives_test.cpp: broadcast_gives_all_the_root_s_value.
template <class T>
  requires std::is_trivially_copyable_v<T> && (!std::is_pointer_v<T>)
[[nodiscard]] future<T> broadcast(T mine, locality root) {
  static_assert(detail::explain<T, detail::direction::reading>());
  detail::engine& home = detail::engine::current();
  home.require_rank(root.rank());
  auto started = std::make_unique<detail::kept_collective<char, T>>('\0', std::move(mine));
  started->kind = detail::collective_kind::broadcast;
  started->output = &started->out();
  started->count = sizeof(T);
  started->root = root.rank();
  return detail::start_collective(home, std::move(started));
}

}  // namespace weft::distributed

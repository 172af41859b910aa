// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies, executors and what they are given.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hpx/compat/launch.hpp>
#include <hpx/compat/restricted_thread_pool_executor.hpp>  // IWYU pragma: export
#include <hpx/compat/tagged_executor.hpp>                  // IWYU pragma: export
#include <hpx/compat/thread_enums.hpp>
#include <hpx/config.hpp>
#include <hpx/thread.hpp>
#include <hpx/tuple.hpp>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/execution.hpp"
#include "weft/execution/executors.hpp"
#include "weft/tasks/launch.hpp"

namespace hpx {

namespace execution {

using weft::par;
using weft::par_simd;
using weft::par_unseq;
using weft::seq;
using weft::simd;
using weft::unseq;

using weft::parallel_policy;
using weft::parallel_unsequenced_policy;
using weft::sequenced_policy;
using weft::unsequenced_policy;

/// `policy(task)` gives futures.
inline constexpr weft::as_future_t task{};

using weft::execution::sequenced_executor;

/// weft's, which refuses what weft's tasks have not.
class parallel_executor : public weft::execution::parallel_executor {
 public:
  using weft::execution::parallel_executor::parallel_executor;

  explicit parallel_executor(threads::thread_priority priority) noexcept
      : weft::execution::parallel_executor(
            weft::launch::async.with_priority(threads::weft_priority(priority))) {}
  template <class... Others>
    requires(sizeof...(Others) != 0)
  explicit parallel_executor(threads::thread_priority /*priority*/, const Others&... /*others*/) {
    static_assert(compat::is_missing<Others...>,
                  "hpx::execution::parallel_executor: weft's stacks have one size, and its tasks "
                  "run where a worker is free; give the priority alone");
  }
  template <std::same_as<threads::thread_stacksize> T>
  explicit parallel_executor(T /*size*/) {
    static_assert(compat::is_missing<T>,
                  "hpx::execution::parallel_executor: weft's stacks have one size; take the "
                  "argument away, and run with --weft:stack-size=8MiB");
  }

  /// Kept for queries: weft's workers take tasks as they come.
  void set_hint(threads::thread_schedule_hint wish) noexcept { hint_ = wish; }
  [[nodiscard]] threads::thread_schedule_hint hint() const noexcept { return hint_; }

 private:
  threads::thread_schedule_hint hint_;
};

namespace experimental {

using weft::auto_chunk_size;
using weft::chunking_parameters;
using weft::collect_chunking_parameters;
using weft::dynamic_chunk_size;
using weft::guided_chunk_size;
using weft::max_num_chunks;
using weft::num_cores;
using weft::persistent_auto_chunk_size;
using weft::static_chunk_size;

using weft::execution::as_sender;
using weft::execution::bulk;
using weft::execution::bulk_chunked;
using weft::execution::bulk_unchunked;
using weft::execution::completion_signatures;
using weft::execution::connect;
using weft::execution::continues_on;
using weft::execution::ensure_started;
using weft::execution::get_completion_scheduler;
using weft::execution::get_completion_signatures;
using weft::execution::get_env;
using weft::execution::get_scheduler;
using weft::execution::get_stop_token;
using weft::execution::inline_scheduler;
using weft::execution::into_variant;
using weft::execution::just;
using weft::execution::just_error;
using weft::execution::just_stopped;
using weft::execution::let_error;
using weft::execution::let_stopped;
using weft::execution::let_value;
using weft::execution::on;
using weft::execution::read_env;
using weft::execution::run_loop;
using weft::execution::schedule;
using weft::execution::schedule_from;
using weft::execution::set_error;
using weft::execution::set_stopped;
using weft::execution::set_value;
using weft::execution::split;
using weft::execution::start;
using weft::execution::start_detached;
using weft::execution::starts_on;
using weft::execution::stopped_as_error;
using weft::execution::stopped_as_optional;
using weft::execution::then;
using weft::execution::unstoppable;
using weft::execution::upon_error;
using weft::execution::upon_stopped;
using weft::execution::when_all;
using weft::execution::when_all_with_variant;
using weft::execution::write_env;

/// The name that `continues_on` had before C++26.
inline constexpr weft::execution::continues_on_t transfer{};
/// `when_all` of a range.
inline constexpr weft::execution::when_all_t when_all_vector{};

/// Senders whose types say only what they send. They can be moved, not copied.
template <class... Values>
using unique_any_sender = weft::execution::any_sender<Values...>;
template <class... Values>
using any_sender = weft::execution::any_sender<Values...>;

// Traits only: programs that define a concept of this name use this namespace as a whole.
template <class Sender>
inline constexpr bool is_sender_v = weft::execution::sender<Sender>;
template <class Sender>
struct is_sender : std::bool_constant<is_sender_v<Sender>> {};
template <class Receiver>
inline constexpr bool is_receiver_v = weft::execution::receiver<Receiver>;
template <class Receiver>
struct is_receiver : std::bool_constant<is_receiver_v<Receiver>> {};
template <class Scheduler>
inline constexpr bool is_scheduler_v = weft::execution::scheduler<Scheduler>;
template <class Scheduler>
struct is_scheduler : std::bool_constant<is_scheduler_v<Scheduler>> {};

/// A future for the result of a sender.
template <class Sender>
auto make_future(Sender&& source) {
  return weft::execution::as_future(std::forward<Sender>(source));
}

/// A sender of the ready future itself. An exception in the future does not become an error of the
/// sender.
template <class Future>
// NOLINTNEXTLINE(performance-unnecessary-value-param): a future that is no shared one is used up
auto keep_future(Future source) {
  // In a tuple, as a future of a future would become that of its value.
  const auto keep = [](Future ready) { return std::tuple<Future>(std::move(ready)); };
  return std::move(source).then(weft::launch::sync, keep) |
         then([](std::tuple<Future> ready) { return std::get<0>(std::move(ready)); });
}

/// Sends the values on the scheduler.
template <weft::execution::scheduler Scheduler, class... Values>
auto transfer_just(Scheduler&& where, Values&&... values) {
  return continues_on(just(std::forward<Values>(values)...), std::forward<Scheduler>(where));
}
/// Completes on the scheduler once all senders have.
template <weft::execution::scheduler Scheduler, weft::execution::sender... Senders>
auto transfer_when_all(Scheduler&& where, Senders&&... all) {
  return continues_on(when_all(std::forward<Senders>(all)...), std::forward<Scheduler>(where));
}
/// Calls `f()` on the scheduler, without a result.
/// Errors:  what `f` throws ends the process by std::terminate.
template <weft::execution::scheduler Scheduler, std::invocable F>
void execute(Scheduler&& where, F&& f) {
  start_detached(schedule(std::forward<Scheduler>(where)) |
                 then([call = std::forward<F>(f)]() mutable { static_cast<void>(call()); }));
}

/// The workers of the default runtime.
class thread_pool_scheduler : public weft::execution::runtime_scheduler {
 public:
  thread_pool_scheduler() : runtime_scheduler(weft::default_runtime().get_scheduler()) {}
};

template <class Scheduler>
using explicit_scheduler_executor = weft::execution::scheduler_executor<Scheduler>;
using weft::execution::annotating_executor;
using weft::execution::fork_join_executor;
using weft::execution::limiting_executor;
using weft::execution::loop_schedule;
using weft::execution::scheduler_executor;
using parallel_executor = execution::parallel_executor;
using sequenced_executor = execution::sequenced_executor;
/// There is one pool unless the program makes more.
using main_pool_executor = execution::parallel_executor;

}  // namespace experimental
}  // namespace execution

namespace parallel::execution {
using weft::execution::async_execute;
using weft::execution::bulk_async_execute;
using weft::execution::bulk_sync_execute;
using weft::execution::bulk_then_execute;
using weft::execution::post;
using weft::execution::sync_execute;
using weft::execution::then_execute;
}  // namespace parallel::execution

namespace this_thread::experimental {
using weft::this_thread::sync_wait;
using weft::this_thread::sync_wait_with_variant;
}  // namespace this_thread::experimental

using weft::annotated_function;
using weft::scoped_annotation;

}  // namespace hpx

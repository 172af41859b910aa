// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies, executors and what they are given.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <hpx/config.hpp>
#include <hpx/thread.hpp>
#include <hpx/tuple.hpp>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/execution.hpp"
#include "weft/execution/executors.hpp"

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

  template <std::same_as<threads::thread_priority> T, class... Others>
  explicit parallel_executor(T /*priority*/, const Others&... /*others*/) {
    static_assert(compat::is_missing<T>,
                  "hpx::execution::parallel_executor: weft's tasks have no priorities; take the "
                  "argument away");
  }
  template <std::same_as<threads::thread_stacksize> T>
  explicit parallel_executor(T /*size*/) {
    static_assert(compat::is_missing<T>,
                  "hpx::execution::parallel_executor: weft's stacks have one size; take the "
                  "argument away, and run with --weft:stack-size=8MiB");
  }
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
using weft::execution::connect;
using weft::execution::continues_on;
using weft::execution::ensure_started;
using weft::execution::get_completion_signatures;
using weft::execution::get_env;
using weft::execution::get_scheduler;
using weft::execution::get_stop_token;
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
using weft::execution::then;
using weft::execution::transfer;
using weft::execution::when_all;

/// A future for the result of a sender.
template <class Sender>
auto make_future(Sender&& source) {
  return weft::execution::as_future(std::forward<Sender>(source));
}

/// The workers of the default runtime.
class thread_pool_scheduler : public weft::execution::runtime_scheduler {
 public:
  thread_pool_scheduler() : runtime_scheduler(weft::execution::get_parallel_scheduler()) {}
};

using weft::execution::annotating_executor;
using weft::execution::fork_join_executor;
using weft::execution::limiting_executor;
using weft::execution::loop_schedule;
using weft::execution::restricted_thread_pool_executor;
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
}

using weft::annotated_function;
using weft::scoped_annotation;

}  // namespace hpx

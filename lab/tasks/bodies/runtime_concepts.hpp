// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concepts of the runtimes that bodies run on. Each is one ability that a runtime may have.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft::lab::tasks {

/// Forks and waits. The static members take callables without result:
///   `enter(body)` runs `body` where the runtime's tasks may be made, and waits for it;
///   `fork2(f, g)` runs both, possibly at the same time;
///   `fork_many(count, f)` runs f(0), ..., f(count - 1), each as its own task, except at most one.
/// The last two are called only inside `enter`, and return when all calls have ended.
template <class Runtime>
concept forks = requires(void (*call)(), void (*indexed)(std::size_t)) {
  Runtime::enter(call);
  Runtime::fork2(call, call);
  Runtime::fork_many(std::size_t{}, indexed);
};

/// `region(threads, f)` runs f(0), ..., f(threads - 1) once each and waits. The calling thread
/// takes part: it is the main thread if the call is outside `enter`.
template <class Runtime>
concept has_regions = requires(void (*indexed)(int)) { Runtime::region(1, indexed); };

/// The main thread is not one of the runtime's own: regions are called inside `enter`.
template <class Runtime>
concept starts_regions_in_tasks = requires { typename Runtime::starts_regions_in_tasks; };

/// The main thread is not one of the runtime's own. After `take_main_in(threads)` it forks and
/// starts regions outside `enter`.
template <class Runtime>
concept takes_main_in = requires { Runtime::take_main_in(1); };

/// `async(f)` returns a future with `get()`.
template <class Runtime>
concept has_futures = requires(std::uint64_t (*call)()) {
  { Runtime::async(call).get() } -> std::same_as<std::uint64_t>;
};

/// The future has `then(f)`, which calls `f(ready future)`.
template <class Runtime>
concept has_continuations = has_futures<Runtime> && requires(std::uint64_t (*call)()) {
  Runtime::async(call).then([](auto ready) { return ready.get(); });
};

/// `when_all(vector of futures)` returns a future of the vector of ready futures.
template <class Runtime>
concept has_joins = requires { typename Runtime::has_when_all; };

template <class Runtime>
concept has_mutex = requires(typename Runtime::mutex lock) {
  lock.lock();
  lock.unlock();
};

/// A waiting task does not block its worker: any number of tasks may wait for each other.
template <class Runtime>
concept has_semaphore = requires(typename Runtime::semaphore signal) {
  signal.acquire();
  signal.release();
};

/// `channel(capacity)` with `send` and `receive`, whose waits suspend the task.
template <class Runtime>
concept has_channel = requires(typename Runtime::channel queue) {
  queue.send(std::uint64_t{});
  { queue.receive() } -> std::same_as<std::uint64_t>;
};

template <class Runtime>
concept has_yield = requires { Runtime::yield(); };

/// With two threads, two forked callables run at the same time, whichever thread forks them.
template <class Runtime>
concept runs_forks_concurrently = forks<Runtime> && !requires { typename Runtime::is_serial; };

}  // namespace weft::lab::tasks

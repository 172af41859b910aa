// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the body of a problem asks of a runtime: futures, or groups of tasks; and mutexes.
#pragma once

#include <concepts>
#include <type_traits>

namespace weft::lab::inncabs {

/// `mutex` has `lock` and `unlock`; `Runtime::lock(a, b, ...)` locks all, which are different ones,
/// without deadlock. Mutexes are locked and unlocked inside tasks only.
template <class Runtime>
concept locking_runtime = requires(typename Runtime::mutex& first, typename Runtime::mutex& other) {
  first.lock();
  first.unlock();
  Runtime::lock(first, other);
  Runtime::lock(first, other, other);
};

/// `async(how, call)` starts `call()` as a task and returns a `future` for its result, which can be
/// moved and has `get`, `wait` and `valid`. `how` is one of the runtime's own policies `launch`.
/// Every future is waited for before it is destroyed: what happens otherwise differs.
/// Errors:  `get` rethrows what the call threw.
template <class Runtime>
concept futures_runtime =
    locking_runtime<Runtime> &&
    requires(typename Runtime::launch how, int (*function)(), void (*procedure)()) {
      { Runtime::async(how, function) } -> std::same_as<typename Runtime::template future<int>>;
      { Runtime::async(how, procedure) } -> std::same_as<typename Runtime::template future<void>>;
      { Runtime::async(how, function).get() } -> std::same_as<int>;
      { Runtime::async(how, function).valid() } -> std::convertible_to<bool>;
      Runtime::async(how, function).wait();
    } && std::movable<typename Runtime::template future<int>>;

/// `fork2(first, second)` runs both, perhaps at the same time, and returns when both are done.
/// A `group` runs what it is given by the task that made it, and is waited for by that task before
/// it is destroyed.
/// Errors:  `wait` rethrows what one of the group's calls threw, `fork2` what one of the two did.
template <class Runtime>
concept groups_runtime =
    locking_runtime<Runtime> && std::is_default_constructible_v<typename Runtime::group> &&
    requires(typename Runtime::group& tasks, void (*procedure)()) {
      tasks.run(procedure);
      tasks.wait();
      Runtime::fork2(procedure, procedure);
    };

}  // namespace weft::lab::inncabs

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concepts of the runtimes that problems run on: futures or groups of tasks, and mutexes.
#pragma once

#include <concepts>
#include <type_traits>

namespace weft::lab::inncabs {

/// `mutex` has `lock` and `unlock`. `Runtime::lock(a, b, ...)` locks several different mutexes
/// without deadlock. Mutexes are locked and unlocked only inside tasks.
template <class Runtime>
concept locking_runtime = requires(typename Runtime::mutex& first, typename Runtime::mutex& other) {
  first.lock();
  first.unlock();
  Runtime::lock(first, other);
  Runtime::lock(first, other, other);
};

/// `async(how, call)` starts `call()` as a task and returns a `future` for its result, which can be
/// moved and has `get`, `wait` and `valid`. `how` is one of the runtime's own policies `launch`.
/// Every future is waited for before it is destroyed, as runtimes differ in what happens otherwise.
/// Errors:  `get` rethrows the call's exception.
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

/// `fork2(first, second)` runs both, perhaps at the same time, and returns when both are done. A
/// `group` gets calls only from the task that made it; that task waits for the group before it is
/// destroyed.
/// Errors:  `wait` rethrows an exception of one of the group's calls, `fork2` an exception of one
///          of the two.
template <class Runtime>
concept groups_runtime =
    locking_runtime<Runtime> && std::is_default_constructible_v<typename Runtime::group> &&
    requires(typename Runtime::group& tasks, void (*procedure)()) {
      tasks.run(procedure);
      tasks.wait();
      Runtime::fork2(procedure, procedure);
    };

}  // namespace weft::lab::inncabs

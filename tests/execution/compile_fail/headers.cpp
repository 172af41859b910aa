// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that need a header that this source does not include: the compiler names it.
#include "weft/tasks/async.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/lazy_task.hpp"

struct unknown {};

weft::lazy_task<void> awaits(unknown what) {
#if defined(MISTAKES)
  co_await what;
  // expect: not an awaitable; if it is a sender, include weft/execution/lazy_task.hpp
#else
  static_cast<void>(what);
#endif
  co_return;
}

void call() {
  weft::blocking_wait(awaits({}));
#if defined(MISTAKES)
  weft::async([] {}).then(unknown(), [](weft::future<void>) {});
  // expect: weft::future::then: to go on on an executor, include weft/execution/executor.hpp
#else
  weft::async([] {}).then([](const weft::future<void>& /*x*/) {});
#endif
  weft::channel<int> numbers;
#if defined(MISTAKES)
  numbers.async_receive();
  // expect: weft::channel: include weft/execution/channel.hpp for async_send, async_receive
#else
  numbers.send(1);
#endif
}

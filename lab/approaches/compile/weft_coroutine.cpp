// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine that awaits another, waited for.
#include <weft/tasks/lazy_task.hpp>

namespace {

weft::lazy_task<int> answer() { co_return 42; }
weft::lazy_task<int> passed_on() { co_return co_await answer(); }

}  // namespace

int main() { return weft::blocking_wait(passed_on()) == 42 ? 0 : 1; }

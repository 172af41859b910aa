// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine that awaits another, waited for.
#include <weft/tasks/task.hpp>

namespace {

weft::task<int> answer() { co_return 42; }
weft::task<int> passed_on() { co_return co_await answer(); }

}  // namespace

int main() { return weft::sync_wait(passed_on()) == 42 ? 0 : 1; }

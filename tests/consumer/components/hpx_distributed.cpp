// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for HPX with an action; alone it is a job of one locality.
#include <hpx/hpx_main.hpp>
#include <hpx/include/actions.hpp>

int twice(int number) { return 2 * number; }
HPX_PLAIN_ACTION(twice)

int main() { return twice_action()(hpx::find_here(), 21) == 42 ? 0 : 1; }

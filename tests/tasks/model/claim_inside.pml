// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claiming a task below others while a thief publishes all of them.
#define TASKS 3
#define RING 4
#include "deque.pml"

byte places[TASKS + 1];

// What three futures waited for in the order in which they were started do.
active proctype owner() {
  byte i, held, kept, seen_tail, seen_split, other;
  bool is_mine;
  push(1, places[1]);
  push(2, places[2]);
  claim_inside(1, places[1]);
  push(3, places[3]);
  claim_inside(2, places[2]);
  claim(3, places[3]);
  is_owner_done = true
}

active proctype thief() {
  byte i, first, last, word, my_tail, my_split;
  bool is_won;
  do
  :: !is_all_over -> force_publish()
  :: !is_all_over -> steal()
  :: is_all_over -> break
  od;
  expect_all_ran()
}

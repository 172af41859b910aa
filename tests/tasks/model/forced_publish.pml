// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forced publication: a thief publishes what an owner keeps while that owner takes it back.
#define TASKS 3
#define RING 4
#include "deque.pml"

byte places[TASKS + 1];

// What fork_join does: two forks, the younger joined, another one, joined, the oldest joined.
active proctype owner() {
  byte i, held, kept, seen_tail, seen_split;
  bool is_mine;
  push(1, places[1]);
  push(2, places[2]);
  claim(2, places[2]);
  push(3, places[3]);
  claim(3, places[3]);
  claim(1, places[1]);
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

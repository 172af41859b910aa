// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stealing: two thieves and the owner take from the public part, down to its last task, while the
// owner reclaims half of it, publishes again and comes round the ring.
#define TASKS 5
#define RING 4
#include "deque.pml"

byte places[TASKS + 1];
byte num_thieves_done;

inline publish_some() {
  if
  :: is_asked = true; answer()
  :: skip
  fi
}

active proctype owner() {
  byte i, held, kept, seen_tail, seen_split;
  bool is_mine;
  push(1, places[1]);
  push(2, places[2]);
  is_asked = true;
  answer();
  push(3, places[3]);
  publish_some();
  publish_some();
  claim(3, places[3]);
  publish_some();
  claim(2, places[2]);
  push(4, places[4]);
  is_asked = true;
  answer();
  claim(4, places[4]);
  claim(1, places[1]);
  push(5, places[5]);  // in the slot of task 1, if all were stolen
  is_asked = true;
  answer();
  claim(5, places[5]);
  is_owner_done = true
}

active [2] proctype thief() {
  byte word, my_tail, my_split;
  bool is_won;
  do
  :: !is_all_over -> steal()
  :: is_all_over -> break
  od;
  num_thieves_done++
}

active proctype checker() {
  byte i;
  num_thieves_done == 2;
  expect_all_ran()
}

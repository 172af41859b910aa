// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that a deque's owner and thieves share, with the owner's plain stores held back.
//
// A store goes into a first-in first-out buffer, and into memory whenever `drain` gets to it: the
// owner sees its own stores at once, others late. That is x86-64, and what the release stores to
// `top_` and to the lock leave of AArch64. Taking a lock and a relaxed exchange do not empty the
// buffer (on x86-64 they would), an exchange that releases does.
// What thieves store is seen at once: they store under the lock and look through exchanges.

chan buffer = [BUFFER] of { byte, byte };
byte memory[CELLS];
byte latest[CELLS];   // what the owner stored last
byte held_back[CELLS];

#define load(cell) (held_back[cell] > 0 -> latest[cell] : memory[cell])  // by the owner

inline store(cell, value) {  // by the owner
  atomic { nfull(buffer); buffer!cell, value; held_back[cell]++; latest[cell] = value }
}

// True of a buffer whose stores all threads see. A thief that waits for it has passed membarrier(2),
// or the owner a releasing exchange.
#define is_drained (len(buffer) == 0)

active proctype drain() {
  byte cell, value;
end:
  do
  :: atomic { buffer?cell, value -> memory[cell] = value; held_back[cell]--; cell = 0; value = 0 }
  od
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The split deque's operations, step by step as src/tasks/deque/split_deque.cpp and its header do them.
//
// One `atomic` is one atomic access of the C++. Mutants, each of which must let a model fail:
// NO_BARRIER, NO_ACKNOWLEDGEMENT, NO_RECHECK, LOWER_SPLIT, LATE_READ, TRUST_INSIDE.
#define CELLS (2 + RING)
#define BUFFER 4
#include "store_buffer.pml"

#define TOP 0           // top_
#define LOCK 1          // lock_
#define SLOT(index) (2 + (index) % RING)
#define public_bit 16
#define is_public(word) ((word) >= public_bit)
#define task_of(word) ((word) % public_bit)  // 0: a hole

byte tail, split;       // the two halves of ends_: read and exchanged together
bool is_forced;         // request::forced in requests_
bool is_asked;          // request::publish in requests_
byte runs[TASKS + 1];
bool is_owner_done;

inline perform(wanted) {
  atomic { assert(wanted > 0 && runs[wanted] == 0); runs[wanted]++ }
}

// ---- Owner. `top` is its own view of top_, which nobody else stores.
byte top;

inline set_top(index) { top = index; store(TOP, top) }

// split_deque::push, where there is room (`RING - 1` tasks: see split_deque::room)
inline push(wanted, place) {
  (top - tail < RING - 1);
  place = top;
  store(SLOT(top), wanted);                    // place->store(bits(wanted))
  set_top(top + 1)                        // top_.store(place + 1)
}

inline owner_lock() { atomic { memory[LOCK] == 0 && held_back[LOCK] == 0 -> memory[LOCK] = 1 } }
inline owner_unlock() { store(LOCK, 0) }

// split_deque::take_public_top
inline take_public_top() {
  do
  :: atomic { seen_tail = tail; seen_split = split }      // ends_.load
     kept = (seen_split - seen_tail) / 2;
     if
     :: seen_tail == seen_split -> is_mine = false; break
     :: else
     fi;
     atomic {                                             // ends_.compare_exchange_weak, acq_rel
       is_drained;
       if
       :: seen_tail != tail || seen_split != split        // lost: look again
       :: else ->
          if
#ifdef LOWER_SPLIT
          :: kept == 0 -> split = tail
#else
          :: kept == 0 -> tail = tail + 1
#endif
          :: else -> split = tail + kept
          fi;
          is_mine = true
       fi
     }
     if
     :: !is_mine
     :: else -> break
     fi
  od;
  if
#ifdef LOWER_SPLIT
  :: is_mine && kept == 0 -> set_top(top - 1)
#endif
  :: is_mine && kept > 0 ->
     i = seen_tail + kept;
     do
     :: i < seen_split -> held = load(SLOT(i)); held = task_of(held); store(SLOT(i), held); i++
     :: else -> break
     od;
     store(SLOT(top - 1), 0);
     set_top(top - 1)
  :: else
  fi
}

// split_deque::publish_up_to(end), by the owner
inline publish_up_to(end_index) {
  i = split;
  do
  :: i < end_index -> held = load(SLOT(i)); held = task_of(held) + public_bit; store(SLOT(i), held); i++
  :: else -> break
  od;
  atomic { is_drained; split = end_index }                // the exchange releases
}

// split_deque::publish_if_asked, split_deque::answer
inline publish_if_asked() {
  if
  :: is_asked && top > split -> publish_up_to(split + (top - split + 1) / 2); is_asked = false
  :: else
  fi
}

inline answer() {
  owner_lock();
  is_forced = false;
  publish_if_asked();
  owner_unlock()
}

// split_deque::confirm_top
inline confirm_top(place) {
  owner_lock();
  is_mine = true;
#ifndef NO_RECHECK
  if
  :: split > top -> set_top(place + 1); is_mine = false; take_public_top()
  :: else
  fi;
#endif
  is_forced = false;
  publish_if_asked();
  owner_unlock()
}

// split_deque::claim_slowly
inline claim_slowly(wanted, place) {
  owner_lock();
  is_forced = false;
  is_mine = false;
  do                                                      // settle
  :: top != tail && load(SLOT(top - 1)) == 0 -> set_top(top - 1)
  :: top != tail && load(SLOT(top - 1)) != 0 || top == tail -> break
  od;
  if
  :: top != tail && load(SLOT(top - 1)) == wanted + public_bit -> take_public_top()
  :: top != tail && load(SLOT(top - 1)) == wanted ->
     store(SLOT(top - 1), 0);
     set_top(top - 1);
     is_mine = true
  :: else ->                                              // forget_private
     if
     :: top != tail && load(SLOT(place)) == wanted -> store(SLOT(place), 0); is_mine = true
     :: else
     fi
  fi;
  publish_if_asked();
  owner_unlock()
}

// split_deque::claim_top, then claim_slowly as fork_join does
inline claim(wanted, place) {
  if
  :: top == place + 1 && load(SLOT(place)) == wanted ->
     set_top(place);                                      // top_.store(place)
     if
     :: is_forced || is_asked -> confirm_top(place)       // is_asked()
     :: else -> is_mine = true
     fi
  :: else -> claim_slowly(wanted, place)
  fi;
  if
  :: is_mine -> perform(wanted)
  :: else                                                 // a thief has it, or will
  fi;
  is_mine = false
}

// split_deque::claim_inside, then claim_slowly as future::get does
inline claim_inside(wanted, place) {
  if
  :: place < top && load(SLOT(place)) == wanted ->
     other = top;
     set_top(place);                                      // top_.store(place)
#ifdef TRUST_INSIDE
     if
     :: true ->
#else
     if
     :: is_forced || is_asked ->                          // is_asked()
        owner_lock();
        set_top(other);
        owner_unlock();
        claim_slowly(wanted, place)
     :: else ->
#endif
        store(SLOT(place), 0);
        set_top(other);
        is_mine = true
     fi
  :: else -> claim_slowly(wanted, place)
  fi;
  if
  :: is_mine -> perform(wanted)
  :: else                                                 // a thief has it, or will
  fi;
  is_mine = false;
  other = 0
}

// ---- Thieves.

// split_deque::steal
inline steal() {
  atomic { my_tail = tail; my_split = split }             // ends_.load
  if
  :: my_tail < my_split ->
#ifndef LATE_READ
     word = memory[SLOT(my_tail)];
#endif
     atomic {                                             // ends_.compare_exchange_weak
       if
       :: my_tail == tail && my_split == split -> tail++; is_won = true
       :: else
       fi
     }
     if
     :: is_won ->
#ifdef LATE_READ
        word = memory[SLOT(my_tail)];
#endif
        if
        :: task_of(word) > 0 -> perform(task_of(word))
        :: else                                           // a hole
        fi
     :: else
     fi
  :: else
  fi;
  d_step { is_won = false; word = 0; my_tail = 0; my_split = 0 }
}

// split_deque::force_publish; one thief at a time, which force_lock_ sees to
inline force_publish() {
  is_forced = true;                                       // requests_.fetch_or
#ifndef NO_BARRIER
  is_drained;                                             // barrier()
#endif
  atomic { memory[LOCK] == 0 -> memory[LOCK] = 1 }
#ifndef NO_ACKNOWLEDGEMENT
  if
  :: !is_forced -> goto unlock                            // is_unanswered
  :: else
  fi;
#endif
  if
  :: memory[TOP] > split ->                               // private_count()
     last = memory[TOP];                                  // head()
     first = split;
     do
     :: first < last ->
        atomic { memory[SLOT(first)] = task_of(memory[SLOT(first)]) + public_bit };
        first++
     :: else -> break
     od;
     split = last                                         // the exchange keeps `tail`
  :: else
  fi;
unlock:
  memory[LOCK] = 0;
  d_step { first = 0; last = 0 }
}

// Nothing is left, and whoever took a task has run it: each ran once (`perform` saw to not twice).
#define is_all_over (is_owner_done && is_drained && memory[TOP] <= tail && tail == split)

inline expect_all_ran() {
  i = 1;
  do
  :: i <= TASKS -> assert(runs[i] == 1); i++
  :: else -> break
  od
}

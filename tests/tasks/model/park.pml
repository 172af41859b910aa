// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parking: two workers go to sleep while a third pushes tasks and then never comes back to the
// runtime; with OUTSIDER, while a thread that is no worker injects tasks. Nobody may sleep for ever
// while a task waits.
//
// Steps are those of scheduler::{search, park, wake_one, inject} in src/tasks/scheduler/scheduler.cpp and of
// split_deque::{push, answer, publish_if_asked, looks_empty}. Of the deque, only how many tasks are
// where is modelled; what an index means is the matter of the other models.
// With FENCED every push takes the lock, in place of the barrier.
// Mutants, each of which must let the model fail: NO_BARRIER, NO_RECHECK, SPLIT_LOOK, EARLY_LOOK where FENCED,
// CHECK_BEFORE_PUSH.
#define CELLS 1
#define BUFFER 2
#include "store_buffer.pml"

#ifdef FENCED                                          // no membarrier(2): every push takes the lock
#define IS_ASKED true
#define NO_BARRIER
#else
#define IS_ASKED (wants_work || has_sleepers)          // is_asked()
#endif
#define PUSHED 3
#define INJECTED 2
#define TOP 0
#define SLEEPERS 2

byte tail, split;          // ends_ of the pushing worker's deque
bool is_locked;            // its lock_
bool wants_work;           // request::publish
bool has_sleepers;         // request::sleepers
byte injected;             // how many injection_queue holds
bool is_idle[SLEEPERS];    // in the scheduler's list idle_, under idle_lock_
bool is_parked[SLEEPERS];    // park_word == 1
byte num_idle;
byte num_asleep;
bool is_pusher_gone, is_injector_gone;

inline acquire() { atomic { !is_locked -> is_locked = true } }

// scheduler::wake_one
inline wake_one() {
  if
  :: num_idle == 0
  :: else ->
     atomic {                                       // under idle_lock_
       if
       :: is_idle[0] -> sleeper = 0
       :: is_idle[1] -> sleeper = 1
       :: else -> sleeper = SLEEPERS
       fi;
       if
       :: sleeper < SLEEPERS -> is_idle[sleeper] = false; num_idle--
       :: else
       fi
     }
     if
     :: sleeper < SLEEPERS -> is_parked[sleeper] = false  // park_word.store(0), futex_wake
     :: else
     fi
  fi;
  sleeper = 0
}

// split_deque::push, then is_asked and answer, as start_here does
inline push() {
  top++;
  store(TOP, top);
  if
  :: IS_ASKED ->
#ifdef EARLY_LOOK
     atomic { asked_work = wants_work; asked_sleepers = has_sleepers };
#endif
     acquire();
     has_some = top > split || tail != split;
     atomic {                                       // requests_.fetch_and
#ifndef EARLY_LOOK
       asked_work = wants_work; asked_sleepers = has_sleepers;
#endif
       wants_work = wants_work && !has_some
     }
     if
     :: (asked_work || asked_sleepers) && top > split ->
        atomic { is_drained; split = split + (top - split + 1) / 2 }  // the exchange releases
     :: else
     fi;
     if
     :: asked_sleepers && tail != split ->          // has_public()
        atomic { must_wake = has_sleepers; has_sleepers = false }  // requests_.fetch_and
     :: else
     fi;
     is_drained; is_locked = false;                 // unlock() releases
     if
     :: must_wake -> wake_one()
     :: else
     fi;
     must_wake = false
  :: else
  fi
}

active proctype pusher() {
#ifndef OUTSIDER
  byte top, sleeper, i;
  bool must_wake, asked_work, asked_sleepers, has_some;
  do
  :: i < PUSHED - 1 -> push(); i++
  :: else -> break
  od;
  // split_deque::claim_slowly of a task that somebody has: publishes if asked, and wakes nobody
  acquire();
  if
  :: wants_work && top > split ->
     wants_work = false;
     atomic { is_drained; split = split + (top - split + 1) / 2 }
  :: else
  fi;
  is_drained; is_locked = false;
  if
  :: push()
  :: skip
  fi;
#endif
  is_pusher_gone = true
}

active proctype injector() {
#ifdef OUTSIDER
  byte sleeper, i;
  bool is_anyone_idle = true;
  do
  :: i < INJECTED ->
#ifdef CHECK_BEFORE_PUSH
     is_anyone_idle = num_idle > 0;
#endif
     injected++;                                    // injection_queue::push
     if
     :: is_anyone_idle -> wake_one()
     :: else
     fi;
     i++
  :: else -> break
  od;
#endif
  is_injector_gone = true
}

active [SLEEPERS] proctype worker() {
  bool is_work_left, is_private;
  byte seen_tail, seen_split;
  byte me = _pid - 3;
  byte sleeper;
search:
  do
  :: atomic { tail != split -> tail++ }             // search_once: split_deque::steal
     if                                             // wake_another
     :: num_idle > 0 ->
        has_sleepers = true;                        // ask_others
        if
        :: tail != split -> wake_one()
        :: else
        fi
     :: else
     fi
  :: atomic { injected > 0 -> injected-- }          // injection_queue::pop
  :: atomic { !wants_work -> wants_work = true }    // ask_others
#ifdef FENCED
  :: atomic { !is_locked && memory[TOP] > split -> split = memory[TOP] }                // forced
#else
  :: atomic { is_drained && !is_locked && memory[TOP] > split -> split = memory[TOP] }  // forced
#endif
  :: break                                          // search_time is over
  od;
  atomic { is_parked[me] = true; is_idle[me] = true; num_idle++ }  // begin_park
  has_sleepers = true;                              // ask_others
#ifndef NO_BARRIER
  is_drained;                                       // barrier_()
#endif
#ifndef NO_RECHECK
  is_work_left = injected > 0;                      // is_work_left
#ifdef SPLIT_LOOK
  is_work_left = is_work_left || tail != split;
  atomic { !is_locked -> is_work_left = is_work_left || memory[TOP] > split }
#elif defined(FENCED)
  acquire();                                        // looks_empty
  is_work_left = is_work_left || tail != split || memory[TOP] > split;
  is_locked = false;
#else
look:
  atomic { seen_tail = tail; seen_split = split }   // looks_empty, without the lock
  is_private = memory[TOP] > seen_split;
  if
  :: seen_tail != seen_split || is_private -> is_work_left = true
  :: else ->
     if
     :: tail == seen_tail && split == seen_split
     :: else -> goto look
     fi
  fi;
#endif
#endif
  if
  :: is_work_left ->                                // cancel_park
     is_work_left = false;
     atomic {
       if
       :: is_idle[me] -> is_idle[me] = false; num_idle--; is_parked[me] = false
       :: else
       fi
     }
     !is_parked[me];                                  // somebody is waking this worker
     goto search
  :: else
  fi;
  num_asleep++;
end_asleep:
  !is_parked[me];                                     // futex_wait
  num_asleep--;
  goto search
}

// Whenever nothing moves any more, nothing may be left.
active proctype watcher() {
  atomic {
    is_pusher_gone && is_injector_gone && is_drained && num_asleep == SLEEPERS && num_idle == SLEEPERS ->
    assert(injected == 0 && tail == split && memory[TOP] == split)
  }
}

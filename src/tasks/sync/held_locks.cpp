// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records held mutexes: one list per task, which linked stacks share, or per OS thread.
#include "weft/tasks/detail/sync/held_locks.hpp"

#include <cstddef>
#include <new>
#include <ostream>
#include <source_location>
#include <sstream>
#include <string>

#include "weft/base/assert.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {
namespace {

constinit thread_local held_lock* held_by_thread = nullptr;

/// Returns the caller's list; null where nothing is recorded.
[[gnu::noinline]] held_lock** list_of_caller() noexcept {
  if constexpr (!tracks_locks) {
    return nullptr;
  }
  const worker* w = self();
  return w != nullptr ? w->current->held : &held_by_thread;
}

held_lock* take_note(const void* mutex) noexcept {
  held_lock** link = list_of_caller();
  if (link == nullptr) {
    return nullptr;
  }
  while (*link != nullptr && (*link)->mutex != mutex) {
    link = &(*link)->next;
  }
  held_lock* const found = *link;
  if (found != nullptr) {
    *link = found->next;
  }
  return found;
}

std::string place_of(const held_lock& note) {
  return std::string(note.where.file_name()) + ':' + std::to_string(note.where.line());
}

}  // namespace

void note_lock(const void* mutex, const char* kind, const std::source_location& where) noexcept {
  held_lock** const list = list_of_caller();
  if (list == nullptr) {
    return;
  }
  auto* const note = new (std::nothrow) held_lock{mutex, kind, where, *list};
  if (note != nullptr) {  // without memory this lock is not checked
    *list = note;
  }
}

void forget_lock(const void* mutex) noexcept { delete take_note(mutex); }

std::size_t num_held_locks() noexcept {
  std::size_t number = 0;
  held_lock** const list = list_of_caller();
  for (const held_lock* note = list == nullptr ? nullptr : *list; note != nullptr;
       note = note->next) {
    ++number;
  }
  return number;
}

std::string since_where(const void* mutex) {
  held_lock** const list = list_of_caller();
  for (const held_lock* note = list == nullptr ? nullptr : *list; note != nullptr;
       note = note->next) {
    if (note->mutex == mutex) {
      return " (since " + place_of(*note) + ')';
    }
  }
  return {};
}

void describe_held_locks(std::ostream& to, const stack& left) {
  for (const held_lock* note = left.held == nullptr ? nullptr : *left.held; note != nullptr;
       note = note->next) {
    to << "weft:     and holds the " << note->kind << " at " << note->mutex << ", locked at "
       << place_of(*note) << '\n';
  }
}

void report_kept_locks(std::size_t num_before, const char* what_ended) {
  for (std::size_t number = num_held_locks(); number > num_before; --number) {
    held_lock** const list = list_of_caller();
    const held_lock newest = **list;
    delete *list;
    *list = newest.next;
    std::ostringstream text;
    text
        << what_ended << " while its task, " << current_identity() << ", holds the " << newest.kind
        << " at " << newest.mutex << ", locked at " << place_of(newest)
        << "; nobody else can unlock it: unlock it before the end, as std::lock_guard does, or use "
           "a binary_semaphore to signal another task";
    weft::detail::report_broken_assertion(
        "every mutex is unlocked", text.str().c_str(), newest.where);
  }
}

lock_interruption::lock_interruption(const void* mutex) noexcept : note_(take_note(mutex)) {}

lock_interruption::~lock_interruption() {
  if (note_ != nullptr) {
    held_lock** const list = list_of_caller();
    note_->next = *list;
    *list = note_;
  }
}

}  // namespace weft::tasks::detail

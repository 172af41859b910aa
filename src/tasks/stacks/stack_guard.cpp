// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards by MADV_GUARD_INSTALL, which needs no kernel mapping, or by mprotect within a budget.
#include "tasks/stacks/stack_guard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <fstream>

#include <sys/mman.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {
namespace {

constexpr int madv_guard_install = 102;  // linux/mman.h since 6.13; older headers lack it

// Each guarded stack takes two mappings. Half of the usual vm.max_map_count of 65530 stays free for
// other uses.
constexpr std::size_t most_mprotect_guards = 16384;

std::atomic<std::size_t> num_mprotect_guards = 0;

// A quarter of the mappings as guards means that stacks and guards take half of the mappings.
std::size_t mprotect_budget() {
  static const std::size_t budget = [] {
    std::size_t max_map_count = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> max_map_count;
    return max_map_count == 0 ? most_mprotect_guards
                              : std::min(most_mprotect_guards, max_map_count / 4);
  }();
  return budget;
}

// Reads through the kernel, which reports EFAULT where a direct access would fault.
bool is_readable(const void* address) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    return true;
  }
  const bool was_read = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return was_read;
}

// Tests the guard itself: emulators accept any madvise advice and ignore it.
bool probe_madvise_guard() {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page =
      mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    return false;
  }
  const bool is_guarded = madvise(page, page_bytes, madv_guard_install) == 0 && !is_readable(page);
  munmap(page, page_bytes);
  return is_guarded;
}

bool take_from_budget() noexcept {
  // relaxed: a plain count, it publishes nothing
  if (num_mprotect_guards.fetch_add(1, std::memory_order_relaxed) < mprotect_budget()) {
    return true;
  }
  forget_guards(1, guard_method::mprotect);
  return false;
}

}  // namespace

guard_method resolve_guard_method(guard_method wanted) {
  static const bool has_madvise_guard = probe_madvise_guard();
  if (wanted == guard_method::automatic) {
    return has_madvise_guard ? guard_method::madvise : guard_method::mprotect;
  }
  if (wanted == guard_method::madvise && !has_madvise_guard) {
    throw error(
        "weft: this kernel has no MADV_GUARD_INSTALL (Linux 6.13) to guard stacks with; ask for "
        "guard_method::automatic, which falls back to mprotect");
  }
  return wanted;
}

bool install_guard(std::byte* low, std::size_t size_bytes, guard_method method) noexcept {
  switch (method) {
    case guard_method::madvise:
      return madvise(low, size_bytes, madv_guard_install) == 0;
    case guard_method::mprotect:
      if (!take_from_budget()) {
        return false;
      }
      if (mprotect(low, size_bytes, PROT_NONE) == 0) {
        return true;
      }
      forget_guards(1, method);
      return false;
    case guard_method::automatic:
    case guard_method::none:
      return false;
  }
  return false;
}

void forget_guards(std::size_t num_guards, guard_method method) noexcept {
  if (method == guard_method::mprotect) {
    num_mprotect_guards.fetch_sub(num_guards, std::memory_order_relaxed);  // relaxed: a plain count
  }
}

}  // namespace weft::tasks::detail

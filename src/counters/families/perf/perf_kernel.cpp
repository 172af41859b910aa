// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system calls that kernel counters need, on the running kernel.
#include "counters/families/perf/perf_kernel.hpp"

#include <cerrno>
#include <cstddef>
#include <optional>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::counters::detail {
namespace {

class linux_kernel final : public perf_kernel {
 public:
  int open(const perf_event_attr& event, const event_target& target) override {
    const long result = ::syscall(SYS_perf_event_open,
                                  &event,
                                  target.thread_id,
                                  target.cpu,
                                  target.leader,
                                  PERF_FLAG_FD_CLOEXEC);
    return result >= 0 ? static_cast<int>(result) : -errno;
  }

  void set(int descriptor, event_state state) noexcept override {
    ::ioctl(descriptor,
            state == event_state::counting ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
            0);
  }

  std::optional<raw_count> read(int descriptor) noexcept override {
    raw_count result;
    const bool is_whole = ::read(descriptor, &result, sizeof result) == sizeof result;
    return is_whole ? std::optional(result) : std::nullopt;
  }

  void close(int descriptor) noexcept override { ::close(descriptor); }

  const perf_event_mmap_page* map(int descriptor) noexcept override {
    void* page = ::mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, descriptor, 0);
    return page == MAP_FAILED ? nullptr : static_cast<const perf_event_mmap_page*>(page);
  }

  void unmap(const perf_event_mmap_page* page) noexcept override {
    ::munmap(const_cast<perf_event_mmap_page*>(page), page_size());
  }

 private:
  static std::size_t page_size() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  }
};

}  // namespace

perf_kernel& running_kernel() {
  static auto* const kernel = new linux_kernel;  // counters may outlive every static
  return *kernel;
}

}  // namespace weft::counters::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates, grows and opens the file of rings.
#include "counters/trace_file.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"
#include "weft/counters/tick_clock.hpp"
#include "weft/counters/trace_ring.hpp"

#include "base/output_file.hpp"
#include "counters/mapped_file.hpp"

namespace weft::counters::detail {
namespace {

constexpr std::size_t page_bytes = 4096;

constexpr std::size_t whole_pages(std::size_t bytes) noexcept {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

std::string system_text() { return std::generic_category().message(errno); }

std::int64_t clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Copies what fits, and keeps a zero at the end.
void copy_text(std::span<char> to, std::string_view text) noexcept {
  to[text.copy(to.data(), to.size() - 1)] = '\0';
}

/// Makes sure that the file's bytes exist: a write to a mapping without them would be fatal.
/// Errors: `weft::error`.
void reserve(int file, std::size_t offset, std::size_t num_bytes, const std::string& name) {
  const int failure =
      posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(num_bytes));
  if (failure != 0) {
    throw error("weft: no room for " + std::to_string(num_bytes >> 10) + " KiB in the trace file " +
                name + ": " + std::generic_category().message(failure) +
                "; choose a smaller --weft:trace-buffer (WEFT_TRACE_BUFFER), or trace to another "
                "folder");
  }
}

mapping map_for_writing(int file, std::size_t offset, std::size_t num_bytes) {
  mapping result(mmap(nullptr,
                      num_bytes,
                      PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_POPULATE,
                      file,
                      static_cast<off_t>(offset)),
                 num_bytes);
  if (result.bytes().empty()) {
    throw error("weft: cannot map the trace file (mmap: " + system_text() +
                "); choose a smaller --weft:trace-buffer (WEFT_TRACE_BUFFER)");
  }
  return result;
}

/// The lines of /proc/self/maps about code.
std::string executable_parts() {
  std::string result;
  for (const std::string& line : read_lines("/proc/self/maps")) {
    if (line.find(" r-xp ") != std::string::npos && line.find('/') != std::string::npos) {
      result += line + '\n';
    }
  }
  return result;
}

void fill_in(trace_file_header& header, const trace_recording::layout& wanted) {
  const std::size_t num_records = std::bit_floor(wanted.bytes_per_ring / sizeof(trace_cell));
  header.slot_offset_bytes = whole_pages(sizeof(trace_file_header));
  header.records_per_ring = num_records;
  header.slot_bytes = whole_pages(sizeof(trace_slot_header) + num_records * sizeof(trace_cell));
  header.process_id = getpid();
  const tick_moment now = tick_moment_now();
  header.start_ticks = now.ticks;
  header.start_steady_ns = std::chrono::nanoseconds(now.time.time_since_epoch()).count();
  header.start_realtime_ns = clock_ns(CLOCK_REALTIME);
  header.start_boottime_ns = clock_ns(CLOCK_BOOTTIME);
  header.last_ns = wanted.last.value_or(std::chrono::nanoseconds(0)).count();
  copy_text(header.boot_id, current_boot_id());
  std::error_code ignored;
  copy_text(header.program, std::filesystem::read_symlink("/proc/self/exe", ignored).string());
}

/// False if reading what the header describes could go astray.
bool is_sound(const trace_file_header& head) noexcept {
  constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 40;
  const std::uint64_t num_records = head.records_per_ring;
  return std::has_single_bit(num_records) && num_records < largest_bytes &&
         head.slot_bytes >= sizeof(trace_slot_header) + num_records * sizeof(trace_cell) &&
         head.slot_bytes < largest_bytes && head.slot_bytes % page_bytes == 0 &&
         head.slot_offset_bytes == whole_pages(sizeof(trace_file_header)) && head.ns_per_tick > 0 &&
         head.ns_per_tick < 1e6 && head.num_module_bytes <= head.modules.size() &&
         head.num_name_bytes.load(std::memory_order_relaxed) <= head.names.size() &&
         head.boot_id.back() == '\0' && head.program.back() == '\0';
}

}  // namespace

std::string current_boot_id() { return read_text("/proc/sys/kernel/random/boot_id").value_or(""); }

trace_recording::trace_recording(std::filesystem::path path, file_descriptor file, mapping head)
    : path_(std::move(path)), file_(std::move(file)), head_(std::move(head)) {}

std::optional<trace_recording> trace_recording::create(const layout& wanted) {
  const std::string name = wanted.file.string();
  const weft::detail::opened_file opened = weft::detail::create_or_open_own_file(wanted.file);
  file_descriptor file(opened.number);
  if (!opened.is_open()) {
    throw error("weft: cannot record a trace in " + name + ": " + opened.problem +
                "; name another file in a folder that you may write to, for example /tmp/" +
                wanted.file.stem().string());
  }
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    return std::nullopt;
  }
  if (ftruncate(file.number(), 0) != 0) {
    throw error("weft: cannot empty " + name + ": " + system_text() + "; name another file");
  }
  const std::size_t num_bytes = whole_pages(sizeof(trace_file_header));
  reserve(file.number(), 0, num_bytes, name);
  mapping head = map_for_writing(file.number(), 0, num_bytes);
  fill_in(*::new (head.bytes().data()) trace_file_header, wanted);
  trace_recording result(wanted.file, std::move(file), std::move(head));
  result.refresh();
  return result;
}

trace_ring trace_recording::add_ring(std::uint32_t pool, std::uint32_t worker) {
  trace_file_header& head = header();
  const std::size_t offset = head.slot_offset_bytes + slots_.size() * head.slot_bytes;
  reserve(file_.number(), offset, head.slot_bytes, path_.string());
  const mapping& slot =
      slots_.emplace_back(map_for_writing(file_.number(), offset, head.slot_bytes));
  auto* const start = ::new (slot.bytes().data()) trace_slot_header;
  start->pool = pool;
  start->worker = worker;
  const auto records = slot.bytes().subspan(sizeof(trace_slot_header));
  auto* const cells = reinterpret_cast<trace_cell*>(records.data());
  std::uninitialized_value_construct_n(cells, head.records_per_ring);
  // release: a reader who sees the number finds the slot
  head.num_rings.store(static_cast<std::uint32_t>(slots_.size()), std::memory_order_release);
  return {std::span(cells, head.records_per_ring), start->num_written};
}

void trace_recording::refresh() {
  trace_file_header& head = header();
  head.ns_per_tick = seconds_per_tick() * 1e9;
  std::string parts = executable_parts();
  parts.resize(std::min(parts.size(), head.modules.size()));
  parts.resize(parts.rfind('\n') + 1);  // no half line
  parts.copy(head.modules.data(), parts.size());
  head.num_module_bytes = parts.size();
}

void trace_recording::remove() noexcept { unlink(path_.c_str()); }

trace_file_view trace_file_view::open(const std::filesystem::path& file) {
  const std::string name = file.string();
  const auto refuse = [&](const std::string& why) {
    return error("weft: cannot read the trace rings " + name + ": " + why);
  };
  const file_descriptor opened(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!opened.is_open() || fstat(opened.number(), &status) != 0) {
    throw refuse(system_text() +
                 "; a program that is being traced, crashed or was killed leaves them next to its "
                 "trace, in FILE.rings");
  }
  const auto num_bytes = static_cast<std::size_t>(status.st_size);
  mapping map(mmap(nullptr, num_bytes, PROT_READ, MAP_SHARED, opened.number(), 0), num_bytes);
  trace_file_view view(std::move(map));
  if (num_bytes < sizeof(trace_file_header) || view.map_.bytes().empty() ||
      view.header().magic != trace_file_header::expected_magic) {
    throw refuse("it is no file of rings; it takes one that ends in .rings");
  }
  const trace_file_header& head = view.header();
  if (head.version != trace_file_header::current_version ||
      head.record_bytes != sizeof(trace_cell)) {
    throw refuse("another version of weft wrote it (format " + std::to_string(head.version) +
                 "); use that version's `weft trace --recover`");
  }
  if (!is_sound(head)) {
    throw refuse("it is damaged; there is no way to read it");
  }
  return view;
}

std::uint64_t trace_recording::add_name(std::string_view name) noexcept {
  trace_file_header& head = header();
  const std::uint64_t first = head.num_name_bytes.load(std::memory_order_relaxed);
  const std::string_view text = name.substr(0, name.find('\0'));
  if (text.size() >= head.names.size() - first) {
    return 0;
  }
  const std::span<char> rest = std::span(head.names).subspan(first);
  copy_text(rest, text);
  // release: readers of the number of bytes, in other processes perhaps, see them
  head.num_name_bytes.store(first + text.size() + 1, std::memory_order_release);
  return first + 1;
}

std::string trace_file_view::name_of(std::uint64_t number) const {
  const trace_file_header& head = header();
  // acquire: pairs with the release in add_name()
  const std::uint64_t num_bytes = head.num_name_bytes.load(std::memory_order_acquire);
  if (number == 0 || number > num_bytes) {
    return "annotation";
  }
  const std::string_view all(head.names.data(), num_bytes);
  const std::string_view text = all.substr(number - 1);
  return std::string(text.substr(0, text.find('\0')));
}

std::vector<ring_view> trace_file_view::rings() const {
  const trace_file_header& head = header();
  std::vector<ring_view> result;
  // acquire: pairs with the release of add_ring(); a slot may be missing, where a file was cut off
  const std::uint32_t num_rings = head.num_rings.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < num_rings; ++i) {
    const std::size_t offset = head.slot_offset_bytes + i * head.slot_bytes;
    if (offset + head.slot_bytes > map_.bytes().size()) {
      break;
    }
    const auto slot = map_.bytes().subspan(offset, head.slot_bytes);
    const auto records = slot.subspan(sizeof(trace_slot_header));
    result.push_back(
        {.slot = reinterpret_cast<const trace_slot_header*>(slot.data()),
         .cells = {reinterpret_cast<const trace_cell*>(records.data()), head.records_per_ring}});
  }
  return result;
}

}  // namespace weft::counters::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates, grows and opens the file of rings.
#include "counters/trace/trace_file.hpp"

#include <algorithm>
#include <array>
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
#include <time.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"
#include "weft/counters/tick_clock.hpp"
#include "weft/counters/trace.hpp"
#include "weft/counters/trace_ring.hpp"

#include "base/output_file.hpp"
#include "counters/core/mapped_file.hpp"
#include "counters/core/untrusted_file.hpp"

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

/// Copies the part that fits, and keeps a zero at the end.
void copy_text(std::span<char> to, std::string_view text) noexcept {
  to[text.copy(to.data(), to.size() - 1)] = '\0';
}

/// Makes sure that the file's bytes exist, because writing to a mapping without them is fatal.
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

/// Returns the lines of /proc/self/maps about code.
std::string executable_parts() {
  std::string result;
  for (const std::string& line : base::read_lines("/proc/self/maps")) {
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

/// False for times that would overflow nanoseconds. Until 2116 no valid time does.
bool are_sound_times(const trace_file_header& head) noexcept {
  const auto is_sound_time = [](std::int64_t time_ns) {
    return time_ns >= 0 && time_ns < std::int64_t{1} << 62;
  };
  return is_sound_time(head.start_steady_ns) && is_sound_time(head.start_realtime_ns) &&
         is_sound_time(head.start_boottime_ns) && is_sound_time(head.last_ns) &&
         head.ns_per_tick > 0 && head.ns_per_tick < 1e6;
}

/// False if the header describes an impossible layout.
bool is_sound(const trace_file_header& head) noexcept {
  constexpr std::uint64_t most_records = largest_trace_buffer_bytes / sizeof(trace_cell);
  constexpr std::uint64_t most_slot_bytes =
      whole_pages(sizeof(trace_slot_header) + largest_trace_buffer_bytes);
  const std::uint64_t num_records = head.records_per_ring;
  return std::has_single_bit(num_records) && num_records <= most_records &&
         head.slot_bytes >= sizeof(trace_slot_header) + num_records * sizeof(trace_cell) &&
         head.slot_bytes <= most_slot_bytes && head.slot_bytes % page_bytes == 0 &&
         head.slot_offset_bytes == whole_pages(sizeof(trace_file_header)) &&
         are_sound_times(head) && head.num_module_bytes <= head.modules.size() &&
         head.num_name_bytes.load(std::memory_order_relaxed) <= head.names.size() &&
         head.boot_id.back() == '\0' && head.program.back() == '\0';
}

}  // namespace

std::string current_boot_id() {
  return base::read_text("/proc/sys/kernel/random/boot_id").value_or("");
}

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
  // release: a reader that sees the number also sees the slot
  head.num_rings.store(static_cast<std::uint32_t>(slots_.size()), std::memory_order_release);
  return {std::span(cells, head.records_per_ring), start->num_written};
}

void trace_recording::refresh() {
  trace_file_header& head = header();
  head.ns_per_tick = seconds_per_tick() * 1e9;
  std::string parts = executable_parts();
  parts.resize(std::min(parts.size(), head.modules.size()));
  parts.resize(parts.rfind('\n') + 1);  // removes an incomplete last line
  parts.copy(head.modules.data(), parts.size());
  head.num_module_bytes = parts.size();
}

void trace_recording::remove() noexcept { unlink(path_.c_str()); }

ring_view::ring_view(const untrusted_file& file,
                     std::uint64_t offset_bytes,
                     std::uint64_t num_records) noexcept
    : file_(&file),
      offset_bytes_(offset_bytes),
      size_(num_records),
      pool_(file.at<std::uint32_t>(offset_bytes + offsetof(trace_slot_header, pool)).value_or(0)),
      worker_(
          file.at<std::uint32_t>(offset_bytes + offsetof(trace_slot_header, worker)).value_or(0)) {}

std::uint64_t ring_view::num_written() const noexcept {
  const auto num =
      file_->at<std::uint64_t>(offset_bytes_ + offsetof(trace_slot_header, num_written));
  // acquire: pairs with the release of trace_ring::write()
  std::atomic_thread_fence(std::memory_order_acquire);
  return num.value_or(0);
}

void ring_view::copy(std::uint64_t first, std::uint64_t num, std::vector<trace_record>& to) const {
  using words = std::array<std::uint64_t, 4>;
  static_assert(sizeof(words) == sizeof(trace_cell));
  std::vector<words> cells(num);
  const std::uint64_t place = first & (size_ - 1);
  const std::uint64_t num_up_to_end = std::min(num, size_ - place);
  const std::uint64_t start = offset_bytes_ + sizeof(trace_slot_header);
  const auto parts = std::as_writable_bytes(std::span(cells));
  const auto behind = parts.subspan(num_up_to_end * sizeof(words));
  std::size_t num_bytes =
      file_->read(start + place * sizeof(words), parts.first(num_up_to_end * sizeof(words)));
  if (num_bytes == num_up_to_end * sizeof(words)) {
    num_bytes += file_->read(start, behind);
  }
  cells.resize(num_bytes / sizeof(words));
  to.clear();
  for (const words& cell : cells) {
    to.push_back({.ticks = cell[0],
                  .subject = cell[1],
                  .label = cell[2],
                  .kind = static_cast<trace_kind>(cell[3])});
  }
}

trace_file_view::trace_file_view(untrusted_file file)
    : file_(std::make_unique<untrusted_file>(std::move(file))),
      header_(std::make_unique<trace_file_header>()) {
  auto* const bytes = reinterpret_cast<std::byte*>(header_.get());
  if (file_->read(0, std::span(bytes, sizeof(trace_file_header))) < sizeof(trace_file_header)) {
    header_->magic = 0;
  }
}

trace_file_view trace_file_view::open(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    return error("weft: cannot read the trace rings " + file.string() + ": " + why);
  };
  opened_file opened = open_untrusted(file, {.link = last_link::followed});
  if (!opened.file) {
    throw refuse(opened.refusal +
                 "; a program that is being traced, crashed or was killed leaves them next to its "
                 "trace, in FILE.rings");
  }
  trace_file_view view(*std::move(opened.file));
  const trace_file_header& head = view.header();
  if (head.magic != trace_file_header::expected_magic) {
    throw refuse("it is no file of rings; it takes one that ends in .rings");
  }
  if (head.version != trace_file_header::current_version ||
      head.record_bytes != sizeof(trace_cell)) {
    throw refuse("another version of weft wrote it (format " + std::to_string(head.version) +
                 "); use that version's `weft trace --recover`");
  }
  if (!is_sound(head)) {
    throw refuse("it is damaged; there is no way to read it");
  }
  view.copy_names();
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
  // release: a reader of the number of bytes, perhaps in another process, also sees the bytes
  head.num_name_bytes.store(first + text.size() + 1, std::memory_order_release);
  return first + 1;
}

/// Copies the names again if there are more now.
void trace_file_view::copy_names() const {
  const auto num = file_->at<std::uint64_t>(offsetof(trace_file_header, num_name_bytes));
  // acquire: pairs with the release in add_name(): the counted names are complete
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t num_bytes = std::min<std::uint64_t>(num.value_or(0), header_->names.size());
  if (file_->fill(offsetof(trace_file_header, names), std::span(header_->names).first(num_bytes))) {
    header_->num_name_bytes.store(num_bytes, std::memory_order_relaxed);
  }
}

std::string trace_file_view::name_of(std::uint64_t number) const {
  const trace_file_header& head = header();
  if (number > head.num_name_bytes.load(std::memory_order_relaxed) && number <= head.names.size()) {
    copy_names();
  }
  const std::uint64_t num_bytes = head.num_name_bytes.load(std::memory_order_relaxed);
  if (number == 0 || number > num_bytes) {
    return "annotation";
  }
  const std::string_view all(head.names.data(), num_bytes);
  const std::string_view text = all.substr(number - 1);
  return std::string(text.substr(0, text.find('\0')));
}

std::vector<ring_view> trace_file_view::rings() const {
  constexpr std::uint64_t most_rings = 65536;
  const trace_file_header& head = header();
  const std::uint64_t file_bytes = file_->size_bytes();
  const std::uint64_t rest = file_bytes - std::min(head.slot_offset_bytes, file_bytes);
  // The last slots may be missing in a truncated file.
  const std::uint64_t num_rings =
      std::min({std::uint64_t{head.num_rings.load(std::memory_order_relaxed)},
                rest / head.slot_bytes,
                most_rings});
  std::vector<ring_view> result;
  result.reserve(num_rings);
  for (std::uint64_t i = 0; i < num_rings; ++i) {
    result.emplace_back(
        *file_, head.slot_offset_bytes + i * head.slot_bytes, head.records_per_ring);
  }
  return result;
}

}  // namespace weft::counters::detail

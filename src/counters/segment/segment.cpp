// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates the file, maps it piece by piece, describes its content, and leaves it when the process
// ends.
#include "weft/counters/segment.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "weft/base/options.hpp"
#include "weft/counters/segment_files.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/segment/module_lines.hpp"

namespace weft::counters {

namespace {

// Every mapped offset in the file is a multiple of any page size.
constexpr std::size_t largest_page_bytes = std::size_t{64} * 1024;
constexpr std::size_t header_area_bytes = largest_page_bytes;
constexpr std::size_t modules_offset = header_area_bytes / 2;
constexpr std::size_t blocks_per_mapping = largest_page_bytes / alignof(block_slot);
constexpr std::size_t mapping_bytes = blocks_per_mapping * sizeof(block_slot);
static_assert(mapping_bytes % largest_page_bytes == 0);
static_assert(sizeof(segment_header) % alignof(segment_field) == 0);

/// Returns, for example, "could not create /dev/shm/...: Permission denied".
std::string failure(std::string_view what, const std::filesystem::path& path, int code) {
  return std::string("could not ").append(what) + " " + path.string() + ": " +
         std::generic_category().message(code);
}

/// Reserves the first `size_bytes` of the file. Returns zero or an error code.
int reserve(int descriptor, std::size_t offset, std::size_t size_bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + size_bytes > limit.rlim_cur) {
    // checked here, because the kernel would also send a signal that ends the process
    return EFBIG;
  }
  int code = EINTR;
  for (int attempt = 0; code == EINTR && attempt < 100; ++attempt) {
    code =
        ::posix_fallocate(descriptor, static_cast<off_t>(offset), static_cast<off_t>(size_bytes));
  }
  return code;
}

std::int64_t monotonic_ns() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return (std::int64_t{now.tv_sec} * 1'000'000'000) + now.tv_nsec;
}

/// Reads the tick counter as close as possible to a reading of the clock.
clock_pair clocks_now() {
  clock_pair best;
  std::uint64_t best_width = ~std::uint64_t{0};
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::uint64_t before = ticks_now();
    const std::int64_t between_ns = monotonic_ns();
    const std::uint64_t width = ticks_now() - before;
    if (width < best_width) {
      best_width = width;
      best = {.ticks = before + (width / 2), .monotonic_ns = between_ns};
    }
  }
  return best;
}

template <std::size_t size>
void copy_cut(std::array<char, size>& to, std::string_view text) {
  std::ranges::copy(text.substr(0, size - 1), to.begin());
}

std::string own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && text.back() == '\0') {
    text.pop_back();
  }
  return text;
}

/// Replaces the mapping at `place` by private memory with the same content.
void make_private(std::byte* place, std::size_t size_bytes, int descriptor, off_t offset) noexcept {
  void* copy =
      ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy != MAP_FAILED) {
    std::memcpy(copy, place, size_bytes);
    if (::mremap(copy, size_bytes, size_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) !=
        MAP_FAILED) {
      return;
    }
    (void)::munmap(copy, size_bytes);
  }
  // Without memory for a copy, pages become private when they are written.
  (void)::mmap(
      place, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, descriptor, offset);
}

std::size_t round_up(std::size_t size_bytes, std::size_t unit_bytes) {
  return (size_bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
}

}  // namespace

segment_options segment_options_from_environment() {
  segment_options options;
  if (auto folder = base::process_environment("WEFT_STATS_DIR")) {
    options.folder = *std::move(folder);
  }
  const std::string setting = base::process_environment("WEFT_STATS").value_or("on");
  if (setting == "off") {
    options.refusal = "WEFT_STATS=off forbids it";
  } else if (setting != "on") {
    options.refusal = "WEFT_STATS=" + setting + " is neither on nor off";
  }
  return options;
}

segment::segment(const segment_options& options) : reason_(options.refusal) {
  if (reason_.empty()) {
    create(options);
  }
}

segment::~segment() {
  end();
  for (const mapping& m : mappings_) {
    (void)::munmap(m.address, m.size_bytes);
  }
}

void segment::give_up(std::string reason) {
  reason_ = std::move(reason);
  if (descriptor_ >= 0 && mappings_.empty()) {
    (void)::close(std::exchange(descriptor_, -1));
    (void)::unlink(path_.c_str());
    path_.clear();
  }
}

void segment::create(const segment_options& options) {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  const segment_name name{
      .uid = ::geteuid(), .pid = pid, .start_clock_ticks = process_start(pid).value_or(0)};
  path_ = options.folder / to_string(name);
  // the file may be left from the program that this process ran before exec
  (void)::unlink(path_.c_str());
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    reason_ = failure("create", path_, errno);
    path_.clear();
    return;
  }
  if (const int code = reserve(descriptor_, 0, header_area_bytes); code != 0) {
    return give_up(failure("reserve memory in", path_, code));
  }
  void* const place =
      ::mmap(nullptr, header_area_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (place == MAP_FAILED) {
    return give_up(failure("map", path_, errno));
  }
  mappings_.push_back({.address = static_cast<std::byte*>(place),
                       .size_bytes = header_area_bytes,
                       .used_bytes = header_area_bytes});
  header_ = new (place) segment_header;
  header_->pid = name.pid;
  header_->uid = name.uid;
  header_->start_clock_ticks = name.start_clock_ticks;
  fill_header();
}

void segment::fill_header() {
  const std::span<const segment_field> schema = segment_schema();
  segment_header& header = *header_;
  static_assert(modules_offset > sizeof(segment_header));
  header.schema = sizeof(segment_header);
  header.num_fields = schema.size();
  header.modules = modules_offset;
  header.blocks = header_area_bytes;
  header.block_bytes = sizeof(block_slot);
  std::memcpy(mappings_.front().address + header.schema, schema.data(), schema.size_bytes());
  header.pid_namespace = own_pid_namespace();
  header.start_realtime_ns =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  header.start = clocks_now();
  std::string line = own_command_line();
  copy_cut(header.program, std::filesystem::path(line.c_str()).filename().string());
  std::ranges::replace(line, '\0', ' ');
  copy_cut(header.command_line, line);
  note_modules();
  // release: pairs with the acquire of readers, who then see all stores above
  header.magic.store(segment_header::expected_magic, std::memory_order_release);
}

void segment::note_modules() {
  if (mappings_.empty()) {
    return;
  }
  std::string text = module_lines();
  text.resize(std::min(text.size(), header_area_bytes - modules_offset));
  text.resize(text.rfind('\n') + 1);
  std::memcpy(mappings_.front().address + modules_offset, text.data(), text.size());
  // release: pairs with the acquire of readers. A file loaded later only adds lines.
  header_->modules_bytes.store(text.size(), std::memory_order_release);
}

std::byte* segment::next_place() {
  const std::size_t offset = header_area_bytes + (num_in_file_ * sizeof(block_slot));
  if (const int code = reserve(descriptor_, offset, sizeof(block_slot)); code != 0) {
    reason_ = failure("reserve memory in", path_, code);
    return nullptr;
  }
  const std::size_t in_mapping = num_in_file_ % blocks_per_mapping * sizeof(block_slot);
  if (in_mapping == 0) {
    void* const place = ::mmap(nullptr,
                               mapping_bytes,
                               PROT_READ | PROT_WRITE,
                               MAP_SHARED,
                               descriptor_,
                               static_cast<off_t>(offset));
    if (place == MAP_FAILED) {
      reason_ = failure("map", path_, errno);
      return nullptr;
    }
    mappings_.push_back(
        {.address = static_cast<std::byte*>(place), .size_bytes = mapping_bytes, .used_bytes = 0});
  }
  mappings_.back().used_bytes += sizeof(block_slot);
  return mappings_.back().address + in_mapping;
}

block_slot& segment::add_block() {
  std::byte* const place = is_shared() ? next_place() : nullptr;
  if (place == nullptr) {
    return private_blocks_.emplace_back();
  }
  auto* const slot = new (place) block_slot;
  // release: pairs with the acquire of readers, who then see a complete block
  header_->num_blocks.store(++num_in_file_, std::memory_order_release);
  return *slot;
}

void segment::begin_change() noexcept {
  header_->changes.fetch_add(1, std::memory_order_relaxed);
  // release: a reader that sees a later store also sees the odd number
  std::atomic_thread_fence(std::memory_order_release);
}

void segment::end_change() noexcept {
  // release: pairs with the acquire of readers
  header_->changes.fetch_add(1, std::memory_order_release);
}

void segment::become_private() noexcept {
  if (descriptor_ < 0) {
    return;
  }
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  off_t offset = 0;
  for (const mapping& m : mappings_) {
    make_private(m.address, round_up(m.used_bytes, page_bytes), descriptor_, offset);
    offset += static_cast<off_t>(m.size_bytes);
  }
  (void)::close(std::exchange(descriptor_, -1));
  path_.clear();
  reason_ = "this process was forked from the one whose file it is";
}

void segment::end() noexcept {
  const bool is_own = header_->pid == static_cast<std::uint64_t>(::getpid());
  if (descriptor_ < 0 || !is_own) {
    // there is no file, or this is a copy of its process, made without the handlers of fork
    return;
  }
  // release: pairs with the acquire of readers, who then know that the counts are final
  header_->has_ended.store(1, std::memory_order_release);
  (void)::unlink(path_.c_str());
  (void)::close(std::exchange(descriptor_, -1));
}

namespace {

constexpr std::string_view none;

/// Collects fields, whose offsets are those of one object's members.
class field_list {
 public:
  explicit field_list(const void* object) : object_(object) {}

  template <class Member>
  segment_field& add(std::string_view name,
                     std::string_view unit,
                     field_kind kind,
                     const Member& member) {
    segment_field field;
    std::ranges::copy(name, field.name.begin());
    std::ranges::copy(unit, field.unit.begin());
    field.kind = kind;
    field.offset_bytes = static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(&member) -
                                                    static_cast<const std::byte*>(object_));
    field.element_bytes = field.stride_bytes = sizeof(Member);
    fields_.push_back(field);
    return fields_.back();
  }

  [[nodiscard]] const std::vector<segment_field>& fields() const noexcept { return fields_; }

 private:
  const void* object_;
  std::vector<segment_field> fields_;
};

void add_durations(field_list& to, std::string_view prefix, const duration_sums<real_cell>& sums) {
  const auto add = [&](std::string_view name, std::string_view unit, const real_cell& sum) {
    to.add(std::string(prefix).append(name), unit, field_kind::real, sum);
  };
  add("num", none, sums.num);
  add("weight", none, sums.weight);
  add("ticks", "ticks", sums.ticks);
  add("weight2", none, sums.weight2);
  add("ticks_w2", "ticks", sums.ticks_w2);
  add("ticks2_w2", "ticks^2", sums.ticks2_w2);
}

void add_samples(field_list& to, const sample_sums<real_cell>& samples) {
  add_durations(to, "sampled_task_", samples.task);
  add_durations(to, "sampled_loop_", samples.loop);
  to.add("sampled_num_gaps", none, field_kind::real, samples.num_gaps);
  to.add("sampled_gap_ticks", "ticks", field_kind::real, samples.gap_ticks);
  to.add("sampled_window_tasks", none, field_kind::real, samples.window_tasks);
  to.add("sampled_window_gaps", none, field_kind::real, samples.window_gaps);
  to.add("sampled_window_ticks", "ticks", field_kind::real, samples.window_ticks);
  to.add("sampled_disturbed", none, field_kind::real, samples.disturbed);
}

void add_histogram(field_list& to, std::string_view name, const tick_histogram<cell>& histogram) {
  segment_field& field = to.add(name, "ticks", field_kind::histogram, histogram.weight.front());
  field.num_elements = tick_histogram<cell>::num_buckets;
  field.ranges_per_doubling = 4;
}

void add_labels(field_list& to, const std::array<label_slot, worker_block::num_labels>& labels) {
  const auto add =
      [&](std::string_view name, std::string_view unit, field_kind kind, const auto& member) {
        segment_field& field = to.add(name, unit, kind, member);
        field.num_elements = worker_block::num_labels;
        field.stride_bytes = sizeof(label_slot);
      };
  add("label_function", none, field_kind::address, labels.front().function);
  add("label_weight", none, field_kind::real, labels.front().weight);
  add("label_ticks", "ticks", field_kind::real, labels.front().ticks);
}

std::vector<segment_field> block_fields() {
  const auto example = std::make_unique<block_slot>();
  const worker_block& block = example->block;
  field_list list(example.get());
  list.add("owner", "nobody|departed|present|closed", field_kind::state, example->held_by);
  list.add("pool", none, field_kind::number, block.pool);
  list.add("worker", none, field_kind::number, block.worker);
  list.add("change", none, field_kind::number, block.change);
  list.add("state",
           "executing|searching|stealing|parked|absent",
           field_kind::state,
           block.state_place());
  list.add("state_since", "ticks", field_kind::number, block.state_since_ticks);
  list.add("queue_length", none, field_kind::gauge, block.queue_length);
  list.add("thread_id", none, field_kind::number, block.thread_id);
  list.add("current_label", none, field_kind::address, block.current_label);
  list.add("sample_period", none, field_kind::gauge, block.sample_period);
  for (std::size_t i = 0; i < worker_count_rows.size(); ++i) {
    const worker_count_row& row = worker_count_rows[i];
    list.add(row.name, row.unit, field_kind::total, block.*worker_count_members<cell>[i]);
  }
  add_samples(list, block.samples);
  add_histogram(list, "task_duration", block.histograms.task_duration);
  add_histogram(list, "queue_delay", block.histograms.queue_delay);
  add_histogram(list, "park_latency", block.histograms.park_latency);
  add_labels(list, block.labels);
  return list.fields();
}

}  // namespace

std::span<const segment_field> segment_schema() {
  // outlives users in static destructors
  static const auto* const fields = new std::vector(block_fields());
  return *fields;
}

}  // namespace weft::counters

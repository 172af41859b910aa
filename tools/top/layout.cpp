// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matches the schema of a file with the one of this build.
#include "top/layout.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"

namespace weft::top {

namespace {

using counters::field_kind;
using counters::segment_field;
using counters::segment_header;

template <std::size_t size>
std::string_view text_of(const std::array<char, size>& text) {
  return {text.data(), static_cast<std::size_t>(std::ranges::find(text, '\0') - text.begin())};
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// For each of `theirs`, its place among `ours`; one that is unknown is the one behind the last.
std::vector<std::uint64_t> state_numbers(std::string_view theirs, std::string_view ours) {
  const std::vector<std::string_view> known = split(ours);
  std::vector<std::uint64_t> numbers;
  for (const std::string_view word : split(theirs)) {
    numbers.push_back(static_cast<std::uint64_t>(std::ranges::find(known, word) - known.begin()));
  }
  return numbers;
}

bool mean_the_same(const segment_field& a, const segment_field& b) {
  const bool is_state = a.kind == field_kind::state;
  return a.kind == b.kind && a.ranges_per_doubling == b.ranges_per_doubling &&
         (is_state || (a.unit == b.unit && a.element_bytes == b.element_bytes));
}

std::uint64_t end_of(const segment_field& field) {
  return field.offset_bytes + ((std::uint64_t{field.num_elements} - 1) * field.stride_bytes) +
         field.element_bytes;
}

[[noreturn]] void refuse(const std::string& what) {
  throw error("the file of counters is damaged: " + what + "; remove it with: weft top --reap");
}

void check_places(const header_facts& facts, std::uint64_t file_bytes) {
  constexpr std::uint64_t most_fields = 4096;
  constexpr std::uint64_t most_field_bytes = 4096;
  constexpr std::uint64_t most_bytes_before_blocks = std::uint64_t{1} << 20U;
  constexpr std::uint64_t most_blocks = 8192;
  constexpr std::uint64_t most_block_bytes = std::uint64_t{1} << 15U;
  if (facts.num_fields > most_fields || facts.field_bytes > most_field_bytes ||
      facts.blocks > most_bytes_before_blocks || facts.num_blocks > most_blocks ||
      facts.block_bytes > most_block_bytes || (facts.block_bytes == 0 && facts.num_blocks != 0)) {
    refuse("its header names more fields or blocks than any program has");
  }
  const std::uint64_t before_blocks = std::min(facts.blocks, file_bytes);
  const auto fits = [&](std::uint64_t offset, std::uint64_t num_bytes) {
    return offset <= before_blocks && num_bytes <= before_blocks - offset;
  };
  if (facts.field_bytes < sizeof(segment_field) || facts.block_bytes % sizeof(std::uint64_t) != 0 ||
      facts.blocks % sizeof(std::uint64_t) != 0 || facts.blocks < sizeof(segment_header) ||
      !fits(facts.schema, facts.num_fields * facts.field_bytes) ||
      !fits(facts.modules, facts.modules_bytes) ||
      facts.blocks + (facts.num_blocks * facts.block_bytes) > file_bytes) {
    refuse("its header names places that it does not have");
  }
}

}  // namespace

header_facts read_header(std::span<const std::uint64_t> words) {
  return read_header(words, words.size_bytes());
}

header_facts read_header(std::span<const std::uint64_t> words, std::uint64_t file_bytes) {
  const std::span bytes = std::as_bytes(words);
  if (bytes.size() < sizeof(segment_header)) {
    refuse("it ends within its header");
  }
  const auto copy = std::make_unique<segment_header>();
  std::memcpy(static_cast<void*>(copy.get()), bytes.data(), sizeof(segment_header));
  const segment_header& header = *copy;
  header_facts facts{.schema = header.schema,
                     .num_fields = header.num_fields,
                     .field_bytes = header.field_bytes,
                     .modules = header.modules,
                     .modules_bytes = header.modules_bytes,
                     .blocks = header.blocks,
                     .block_bytes = header.block_bytes,
                     .num_blocks = header.num_blocks,
                     .pid = header.pid,
                     .uid = header.uid,
                     .start_clock_ticks = header.start_clock_ticks,
                     .pid_namespace = header.pid_namespace,
                     .start_realtime_ns = header.start_realtime_ns,
                     .start = header.start,
                     .has_ended = header.has_ended != 0,
                     .program = std::string(text_of(header.program)),
                     .command_line = std::string(text_of(header.command_line))};
  check_places(facts, file_bytes);
  return facts;
}

layout::layout(std::span<const std::uint64_t> words, const header_facts& header) {
  const std::span schema = std::as_bytes(words).subspan(header.schema);
  for (std::uint64_t i = 0; i < header.num_fields; ++i) {
    segment_field field;
    std::memcpy(&field, schema.subspan(i * header.field_bytes).data(), sizeof field);
    if (field.num_elements == 0 || end_of(field) > header.block_bytes) {
      refuse("its field " + std::string(text_of(field.name)) + " lies outside a block");
    }
    fields_.push_back(field);
  }
  for (const segment_field& ours : counters::segment_schema()) {
    const segment_field* theirs = find(text_of(ours.name));
    if (theirs == nullptr || !mean_the_same(*theirs, ours)) {
      missing_.emplace_back(text_of(ours.name));
      continue;
    }
    rule made{.from = *theirs, .to = ours, .states = {}};
    if (ours.kind == field_kind::state) {
      made.states = state_numbers(text_of(theirs->unit), text_of(ours.unit));
    }
    rules_.push_back(std::move(made));
  }
}

const segment_field* layout::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(
      fields_, [&](const segment_field& field) { return text_of(field.name) == name; });
  return found == fields_.end() ? nullptr : &*found;
}

void layout::translate(std::span<const std::byte> block, counters::block_slot& slot) const {
  auto* const to = reinterpret_cast<std::byte*>(&slot);
  for (const rule& r : rules_) {
    const std::uint32_t num = std::min(r.from.num_elements, r.to.num_elements);
    for (std::uint32_t i = 0; i < num; ++i) {
      std::uint64_t value = 0;
      std::memcpy(
          &value,
          block.subspan(r.from.offset_bytes + (std::size_t{i} * r.from.stride_bytes)).data(),
          std::min<std::size_t>(r.from.element_bytes, sizeof value));
      if (r.to.kind == field_kind::state) {
        value = value < r.states.size() ? r.states[value] : split(text_of(r.to.unit)).size();
      }
      std::memcpy(to + r.to.offset_bytes + (std::size_t{i} * r.to.stride_bytes),
                  &value,
                  r.to.element_bytes);
    }
  }
}

}  // namespace weft::top

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes valid files of every binary format, small, as the first inputs of the fuzzers:
// weft_fuzz_seeds FOLDER makes FOLDER/<format>/valid.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/trace_ring.hpp"

#include "counters/trace/trace_file.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/spread_rings.hpp"
#include "tools/top/recording.hpp"
#include "tools/top/snapshot.hpp"

namespace {

using weft::counters::segment_field;
using weft::counters::segment_header;
using weft::counters::trace_kind;
using bytes = std::vector<std::uint8_t>;

constexpr std::string_view module_line = "0 1000 9000 /usr/bin/program\n";

bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void append(bytes& to, const void* from, std::size_t num_bytes) {
  const auto* const first = static_cast<const std::uint8_t*>(from);
  to.insert(to.end(), first, first + num_bytes);
}

/// A process's segment with nothing between its parts, and with its first fields.
bytes segment_bytes(const std::filesystem::path& folder, std::uint64_t most_fields) {
  weft::counters::segment written({.folder = folder});
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    weft::counters::block_slot& slot = written.add_block();
    slot.held_by = weft::counters::block_owner::present;
    slot.block.worker = worker;
  }
  const bytes file = read(written.path());
  alignas(segment_header) std::array<std::uint8_t, sizeof(segment_header)> head{};
  std::copy_n(file.begin(), head.size(), head.begin());
  auto& header = *reinterpret_cast<segment_header*>(head.data());
  const std::uint64_t blocks = header.blocks;
  header.num_fields = std::min(header.num_fields, most_fields);
  header.modules = header.schema + header.num_fields * sizeof(segment_field);
  header.modules_bytes = module_line.size();
  header.blocks = (header.modules + module_line.size() + 127) / 128 * 128;
  bytes made;
  append(made, head.data(), head.size());
  append(made, file.data() + header.schema, header.num_fields * sizeof(segment_field));
  append(made, module_line.data(), module_line.size());
  made.resize(header.blocks);
  append(made, file.data() + blocks, header.num_blocks * header.block_bytes);
  return made;
}

/// Two looks at a segment, of which the second has other numbers.
bytes recording_bytes(const std::filesystem::path& path, const bytes& segment) {
  weft::top::snapshot taken;
  taken.words.resize(segment.size() / sizeof(std::uint64_t));
  std::memcpy(taken.words.data(), segment.data(), taken.words.size() * sizeof(std::uint64_t));
  taken.process = {.is_alive = true, .state = 'S', .rss_bytes = 4096, .num_threads = 2};
  taken.process.run_delay_ns = {{11, 12}};
  taken.symbols = {{0x1000, "f(int)"}};
  {
    weft::top::recording_writer writer(path);
    writer.write(taken);
    taken.now = {.ticks = 1000, .monotonic_ns = 1000};
    taken.words.back() += 1;
    writer.write(taken);
  }
  return read(path);
}

/// Two workers: a task is spawned, stolen, suspended, resumed and ended.
bytes rings_bytes(const std::filesystem::path& path) {
  auto recording = weft::counters::detail::trace_recording::create(
      {.file = path, .bytes_per_ring = 512, .last = {}});
  weft::fuzz::require(recording.has_value());
  const std::uint64_t name = recording->add_name("part");
  auto first = recording->add_ring(0, 0);
  auto second = recording->add_ring(0, 1);
  auto& header = recording->header();
  const std::uint64_t start = header.start_ticks;
  first.write({.ticks = start, .subject = 1, .kind = trace_kind::spawn});
  second.write({.ticks = start + 10, .subject = 0, .kind = trace_kind::steal});
  second.write({.ticks = start + 20, .subject = 1, .label = 0x1000, .kind = trace_kind::begin});
  second.write({.ticks = start + 30, .subject = name, .kind = trace_kind::annotate});
  second.write({.ticks = start + 40, .subject = 2, .kind = trace_kind::suspend});
  first.write({.ticks = start + 50, .subject = 2, .label = 3, .kind = trace_kind::ready});
  first.write({.ticks = start + 60, .subject = 2, .label = 3, .kind = trace_kind::resume});
  first.write({.ticks = start + 70, .kind = trace_kind::end});
  second.write({.ticks = start + 80, .kind = trace_kind::park});
  constexpr std::string_view line = "1000-9000 r-xp 0 00:00 1 /usr/bin/program\n";
  line.copy(header.modules.data(), line.size());
  header.num_module_bytes = line.size();
  return weft::fuzz::gathered(read(path));
}

/// A program whose symbols are a local function and a global one.
bytes elf_bytes() {
  constexpr std::string_view names("\0a.cpp\0_ZL1fi\0_ZN1g1hILi1EEEvv\0", 31);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_shoff = sizeof header + sizeof(Elf64_Phdr);
  header.e_shnum = 2;
  Elf64_Phdr loaded{};
  loaded.p_type = PT_LOAD;
  loaded.p_filesz = 0x8000;
  std::array<Elf64_Sym, 3> symbols{};
  const auto set_symbol = [&](std::size_t i, Elf64_Word name, int bind, int type) {
    symbols[i].st_name = name;
    symbols[i].st_info = static_cast<unsigned char>(ELF64_ST_INFO(bind, type));
    symbols[i].st_shndx = 1;
    symbols[i].st_value = 0x400 * i;
    symbols[i].st_size = 16;
  };
  set_symbol(0, 1, STB_LOCAL, STT_FILE);
  set_symbol(1, 7, STB_LOCAL, STT_FUNC);
  set_symbol(2, 14, STB_GLOBAL, STT_FUNC);
  std::array<Elf64_Shdr, 2> sections{};
  sections[0].sh_type = SHT_SYMTAB;
  sections[0].sh_link = 1;
  sections[0].sh_offset = header.e_shoff + sizeof sections;
  sections[0].sh_size = sizeof symbols;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sections[0].sh_offset + sizeof symbols;
  sections[1].sh_size = names.size();
  bytes made;
  append(made, &header, sizeof header);
  append(made, &loaded, sizeof loaded);
  append(made, sections.data(), sizeof sections);
  append(made, symbols.data(), sizeof symbols);
  append(made, names.data(), names.size());
  return made;
}

void save(const std::filesystem::path& path, const bytes& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(text.data()), static_cast<std::streamsize>(text.size()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    weft::fuzz::require(argc == 2);
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    constexpr std::uint64_t all_fields = 1000;
    save(folder / "segment/valid", segment_bytes(folder, all_fields));
    const bytes segment = segment_bytes(folder, 12);
    save(folder / "segment/few_fields", segment);
    const std::filesystem::path scratch = folder / "scratch";
    save(folder / "recording/valid", recording_bytes(scratch, segment));
    std::filesystem::remove(scratch);
    save(folder / "rings/valid", rings_bytes(scratch));
    std::filesystem::remove(scratch);
    save(folder / "elf/valid", elf_bytes());
    return 0;
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "weft_fuzz_seeds: %s\n", failure.what());
    return 1;
  }
}

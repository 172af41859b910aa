// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares modules of two ranks by their build-ids, which the linker writes.
#include "distributed/calls/module_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <elf.h>
#include <link.h>

#include "weft/base/error.hpp"
#include "weft/distributed/detail/handler.hpp"

namespace weft::distributed::detail {
namespace {

/// Source: Fowler, Noll and Vo, FNV-1a, 64 bit.
std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte each : bytes) {
    hash = (hash ^ std::to_integer<std::uint64_t>(each)) * 0x100000001b3;
  }
  return hash;
}

std::span<const std::byte> segment_of(const dl_phdr_info& info, const ElfW(Phdr) & header) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives numbers
  return {reinterpret_cast<const std::byte*>(info.dlpi_addr + header.p_vaddr), header.p_memsz};
}

/// Returns the build-id among the notes of a segment, or an empty range.
std::span<const std::byte> build_id_in(std::span<const std::byte> notes) noexcept {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name_size = (std::size_t{note.n_namesz} + 3) / 4 * 4;
    const std::size_t text_size = (std::size_t{note.n_descsz} + 3) / 4 * 4;
    if (notes.size() < sizeof note + name_size + text_size) {
      return {};
    }
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + sizeof note, "GNU", 4) == 0) {
      return notes.subspan(sizeof note + name_size, note.n_descsz);
    }
    notes = notes.subspan(sizeof note + name_size + text_size);
  }
  return {};
}

std::string path_of(const dl_phdr_info& info) {
  if (info.dlpi_name != nullptr && *info.dlpi_name != '\0') {
    return info.dlpi_name;
  }
  std::error_code failed;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string("the program") : path.string();
}

loaded_module read_module(const dl_phdr_info& info) {
  loaded_module found;
  found.path = path_of(info);
  found.base = info.dlpi_addr;
  std::span<const std::byte> id;
  std::span<const std::byte> code;
  for (const ElfW(Phdr) & each : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    if (each.p_type == PT_NOTE && id.empty()) {
      id = build_id_in(segment_of(info, each));
    } else if (each.p_type == PT_LOAD && (each.p_flags & PF_R) != 0) {
      const std::uintptr_t first = info.dlpi_addr + each.p_vaddr;
      found.readable.push_back({first, first + each.p_memsz});
      code = (each.p_flags & PF_X) != 0 ? segment_of(info, each) : code;
    }
  }
  found.build_id = hash_of(id.empty() ? code : id);
  return found;
}

std::uint32_t number_of(const loaded_module& module) noexcept {
  return static_cast<std::uint32_t>(module.build_id ^ (module.build_id >> 32));
}

}  // namespace

bool loaded_module::holds(std::uintptr_t address, std::size_t size) const noexcept {
  return std::ranges::any_of(readable, [=](const range& each) {
    return each.first <= address && address < each.last && each.last - address >= size;
  });
}

void module_table::refresh() {
  std::vector<loaded_module> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* to) {
        static_cast<std::vector<loaded_module>*>(to)->push_back(read_module(*info));
        return 0;
      },
      &found);
  const std::lock_guard guard(lock_);
  modules_ = std::move(found);
}

const loaded_module* module_table::find_address(std::uintptr_t address) const noexcept {
  const auto has = [=](const loaded_module& each) { return each.holds(address, sizeof(handler)); };
  const auto found = std::ranges::find_if(modules_, has);
  return found == modules_.end() ? nullptr : &*found;
}

module_table::place module_table::place_of(const handler& target) {
  const auto address = reinterpret_cast<std::uintptr_t>(&target);
  for (bool is_fresh = false;; is_fresh = true) {
    {
      const std::lock_guard guard(lock_);
      if (const loaded_module* found = find_address(address)) {
        return {number_of(*found), address - found->base};
      }
    }
    if (is_fresh) {
      throw error("no loaded file holds the function " + std::string(target.name) +
                  ": was it in a shared object that has been closed?");
    }
    refresh();  // loaded by dlopen since the last refresh
  }
}

const handler* module_table::at(place where) {
  for (bool is_fresh = false;; is_fresh = true) {
    {
      const std::lock_guard guard(lock_);
      for (const loaded_module& each : modules_) {
        const std::uintptr_t address = each.base + where.offset;
        if (number_of(each) != where.module || address % alignof(handler) != 0 ||
            !each.holds(address, sizeof(handler))) {
          continue;  // another file may have the same module number
        }
        // NOLINTNEXTLINE(performance-no-int-to-ptr): a place in a module
        const auto* const found = reinterpret_cast<const handler*>(address);
        if (found->magic == handler::expected_magic && found->self == found) {
          return found;
        }
      }
    }
    if (is_fresh) {
      return nullptr;
    }
    refresh();
  }
}

loaded_module module_table::program() {
  const std::lock_guard guard(lock_);
  return modules_.front();
}

}  // namespace weft::distributed::detail

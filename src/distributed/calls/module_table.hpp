// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program and its shared objects, and the positions of handlers in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/distributed/detail/handler.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::distributed::detail {

/// One loaded file.
struct loaded_module {
  std::string path;
  // hash of the file's build-id; without a build-id, hash of the machine code
  std::uint64_t build_id = 0;
  std::uintptr_t base = 0;
  struct range {
    std::uintptr_t first;
    std::uintptr_t last;
  };
  std::vector<range> readable;

  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t size) const noexcept;
};

/// Threads: any.
class module_table {
 public:
  module_table() { refresh(); }

  /// The position of a handler, as it is sent.
  struct place {
    std::uint32_t module;
    std::uint64_t offset;
  };
  [[nodiscard]] place place_of(const handler& target);
  /// Returns null if there is no handler at `where`.
  [[nodiscard]] const handler* at(place where);

  [[nodiscard]] loaded_module program();

 private:
  void refresh();
  [[nodiscard]] const loaded_module* find_address(std::uintptr_t address) const noexcept;

  tasks::spin_lock lock_;
  std::vector<loaded_module> modules_;  // the program first
};

}  // namespace weft::distributed::detail

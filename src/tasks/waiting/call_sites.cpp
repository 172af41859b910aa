// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unwinds stacks, of suspended tasks too, and asks addr2line for the lines.
#include "tasks/waiting/call_sites.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ios>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {
namespace {

constexpr std::size_t most_frames = 64;
constexpr std::size_t most_lookups = 32;
// llvm-addr2line knows more about functions that clang inlined.
constexpr std::array<const char*, 2> tools{"/usr/bin/addr2line", "/usr/bin/llvm-addr2line"};

/// Addresses within the calls that lead to the calling function.
class frame_list {
 public:
  void fill() noexcept {
    _Unwind_Backtrace([](_Unwind_Context* context,
                         void* list) { return static_cast<frame_list*>(list)->add(context); },
                      this);
  }
  [[nodiscard]] std::vector<void*> to_vector() const {
    return {all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(size_)};
  }

 private:
  _Unwind_Reason_Code add(_Unwind_Context* context) noexcept {
    if (size_ == all_.size()) {
      return _URC_END_OF_STACK;
    }
    const std::uintptr_t behind_call = _Unwind_GetIP(context);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the unwinder's type
    all_[size_++] = reinterpret_cast<void*>(behind_call - 1);
    return _URC_NO_REASON;
  }

  std::array<void*, most_frames> all_{};
  std::size_t size_ = 0;
};

/// Runs on a suspended stack, fills the list, and switches back.
struct visit : arrival {
  explicit visit(stack& suspended) noexcept : arrival{look}, visited(&suspended) {}
  static void look(arrival& self, stack& left) noexcept {
    auto& mine = static_cast<visit&>(self);
    stack& visited = *mine.visited;
    mine.frames.fill();
    switch_stack(visited, left, nullptr);  // returns here when the task is resumed
  }
  stack* visited;
  frame_list frames;
};

struct code_place {
  std::string file;
  std::uintptr_t offset;
};

/// Returns the file and offset of an address; an empty file: unknown.
/// Errors:  std::bad_alloc.
code_place place_of(void* address) {
  Dl_info info{};
  link_map* module = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  std::string file(module->l_name);
  if (file.empty()) {
    std::error_code unknown;
    file = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  }
  return {.file = std::move(file),
          .offset = reinterpret_cast<std::uintptr_t>(address) - module->l_addr};
}

/// Returns the standard output of a program; empty if it cannot be started.
std::string output_of(std::vector<std::string>& arguments) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    return {};
  }
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& each : arguments) {
    pointers.push_back(each.data());
  }
  pointers.push_back(nullptr);
  std::array<char*, 1> no_variables{nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool is_started =
      posix_spawn(
          &child, arguments[0].c_str(), &actions, nullptr, pointers.data(), no_variables.data()) ==
      0;
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t size = 0;
       is_started && (size = ::read(pipe_ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  close(pipe_ends[0]);
  if (is_started) {
    waitpid(child, nullptr, 0);
  }
  return text;
}

/// The folder of weft's sources. Short debug information names inlined functions without "weft::".
std::string_view own_sources() noexcept {
  constexpr std::string_view here = __FILE__;
  return here.substr(0, here.rfind("tasks/"));
}

/// True for "std::f" and "void weft::f<int>(int)". Also for the latter as "_ZN4weft1f...", because
/// addr2line leaves names as they are if it cannot demangle a newer compiler's output.
bool is_library_function(std::string_view function) noexcept {
  if (function.starts_with("_Z")) {
    const std::string_view name =
        function.substr(std::min(function.find_first_not_of("NK", 2), function.size()));
    return name.starts_with("4weft") || name.starts_with("St");
  }
  std::string_view name = function.substr(0, function.find_first_of("(<"));
  name.remove_prefix(name.rfind(' ') + 1);
  return name.starts_with("weft::") || name.starts_with("weft_tasks_") || name.starts_with("std::");
}

/// Returns the first pair of lines "function", "file:line" that belongs neither to weft nor to the
/// standard library.
std::string users_line_of(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string function;
  std::string place;
  while (std::getline(lines, function) && std::getline(lines, place)) {
    if (function.starts_with('?') || is_library_function(function) || is_library_header(place) ||
        place.starts_with(own_sources())) {
      continue;
    }
    place.resize(std::min(place.size(), place.find(" (discriminator")));
    const bool is_line_known = !place.ends_with('?') && !place.ends_with(":0");
    return is_line_known ? place.append(" (").append(function).append(")")
                         : function.append("; for its line compile with -g");
  }
  return {};
}

/// Asks once for each run of frames in the same file, innermost first.
std::string users_line(const char* tool, const std::vector<void*>& frames) {
  std::string line;
  for (auto each = frames.begin(); each != frames.end() && line.empty();) {
    const std::string file = place_of(*each).file;
    std::vector<std::string> arguments{tool, "-C", "-f", "-i", "-e", file};
    for (; each != frames.end(); ++each) {
      const code_place place = place_of(*each);
      if (place.file != file) {
        break;
      }
      std::ostringstream offset;
      offset << std::showbase << std::hex << place.offset;
      arguments.push_back(offset.str());
    }
    if (!file.empty()) {
      line = users_line_of(output_of(arguments));
    }
  }
  return line;
}

}  // namespace

bool is_library_header(std::string_view file) noexcept {
  return file.find("/c++/") != file.npos || file.find("include/weft/") != file.npos;
}

std::string call_sites::of_suspended(stack& suspended) {
  constexpr std::ptrdiff_t room_bytes = std::ptrdiff_t{16} << 10;
  if (static_cast<std::byte*>(suspended.saved_sp) - suspended.low < room_bytes) {
    return {};
  }
  const worker* w = self();
  stack native;
  if (w == nullptr) {
    native = make_native_stack();
  }
  visit looking(suspended);
  switch_stack(w == nullptr ? native : *w->current, suspended, &looking);
  return find(looking.frames.to_vector());
}

std::string call_sites::of_caller() {
  frame_list frames;
  frames.fill();
  return find(frames.to_vector());
}

std::string call_sites::find(const std::vector<void*>& frames) {
  if (const auto known = found_.find(frames); known != found_.end()) {
    return known->second;
  }
  if (found_.size() == most_lookups) {
    return {};
  }
  std::string& line = found_[frames];
  for (const char* const tool : tools) {
    if (line.empty()) {
      line = users_line(tool, frames);
    }
  }
  return line;
}

}  // namespace weft::tasks::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the module of an address, and the function there.
#include "top/symbols.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counters/trace/symbols.hpp"
#include "counters/trace/task_names.hpp"

namespace weft::top {

namespace {

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return "0x" + std::string(digits.data(), end);
}

/// Cuts a hexadecimal number and the blank behind it off `text`.
std::uint64_t cut_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  const auto used = static_cast<std::size_t>(end - text.data());
  text.remove_prefix(std::min(used + 1, text.size()));
  return number;
}

}  // namespace

void symbols::set_modules(std::string_view lines, std::optional<std::uint64_t> written_by) {
  constexpr std::size_t most_modules = 4096;
  if (lines == lines_ && written_by == written_by_) {
    return;
  }
  lines_ = lines;
  written_by_ = written_by;
  modules_.clear();
  while (!lines.empty() && modules_.size() < most_modules) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    module made{.bias = cut_number(line), .low = cut_number(line), .high = cut_number(line)};
    made.path = line;
    modules_.push_back(std::move(made));
  }
}

void symbols::add_known(const std::map<std::uint64_t, std::string>& known) {
  names_.insert(known.begin(), known.end());
}

const std::string& symbols::name_of(std::uint64_t address) {
  const auto known = names_.find(address);
  if (known != names_.end()) {
    return known->second;
  }
  constexpr std::size_t most_names = 65536;
  if (names_.size() >= most_names) {
    return not_kept_ = find(address);
  }
  const std::string& name = names_[address] = find(address);
  new_[address] = name;
  return name;
}

std::map<std::uint64_t, std::string> symbols::take_new() { return std::exchange(new_, {}); }

std::string symbols::find(std::uint64_t address) {
  const auto in = std::ranges::find_if(
      modules_, [&](const module& m) { return address >= m.low && address < m.high; });
  if (in == modules_.end()) {
    return hexadecimal(address);
  }
  const std::uint64_t in_file = address - in->bias;
  const std::vector<function_symbol>& functions = functions_of(in->path);
  const auto behind = std::ranges::upper_bound(functions, in_file, {}, &function_symbol::address);
  if (behind != functions.begin() &&
      in_file - std::prev(behind)->address < std::prev(behind)->num_bytes) {
    return counters::detail::task_name_of_symbol(std::prev(behind)->name, written_by_);
  }
  return in->path.filename().string() + "+" + hexadecimal(in_file);
}

const std::vector<symbols::function_symbol>& symbols::functions_of(
    const std::filesystem::path& path) {
  constexpr std::chrono::seconds most_time(5);
  const auto [known, is_new] = functions_.try_emplace(path);
  if (is_new && spent_ < most_time) {
    const auto before = std::chrono::steady_clock::now();
    known->second = counters::detail::read_functions(path.string(), written_by_);
    spent_ += std::chrono::steady_clock::now() - before;
  }
  return known->second;
}

}  // namespace weft::top

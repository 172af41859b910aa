// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the file strictly, and writes a new file before it replaces the old one.
#include "halo/tuning/tuning_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/tuning.hpp"

#include "base/output_file.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::string_view first_line = "weft halo tuning 1";

/// Returns which of an enumeration's first values has this name.
template <class Choice, std::size_t num>
std::optional<Choice> named(std::string_view name, const std::array<Choice, num>& all) {
  const auto found = std::ranges::find(all, name, [](Choice each) { return to_string(each); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::string_view next_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

/// "loops bulk 0.00012 key that is the rest"
std::optional<kept_choice> choice_in(std::string_view line) {
  constexpr std::array packings{packing::automatic,
                                packing::loops,
                                packing::mpi_pack,
                                packing::mpi_datatype,
                                packing::direct};
  constexpr std::array schedules{schedule::automatic, schedule::bulk, schedule::staged};
  const auto how = named(next_word(line), packings);
  const auto steps = named(next_word(line), schedules);
  const std::string_view number = next_word(line);
  double seconds = 0;
  const auto [end, trouble] =
      std::from_chars(number.data(), number.data() + number.size(), seconds);
  const bool is_number = trouble == std::errc() && end == number.data() + number.size();
  const bool is_time = is_number && std::isfinite(seconds) && seconds > 0;
  if (!how.has_value() || !steps.has_value() || !is_time || line.empty()) {
    return std::nullopt;
  }
  return kept_choice{{*how, *steps}, seconds, std::string(line)};
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw error(errc::bad_file, "tuning file " + file + ": " + why);
}

}  // namespace

std::vector<kept_choice> read_choices(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return {};
  }
  std::ifstream in(file);
  if (!in) {
    refuse(file, std::string("cannot be read: ") + std::strerror(errno));
  }
  std::string line;
  if (!std::getline(in, line) || line != first_line) {
    refuse(file,
           "its first line is \"" + line.substr(0, 60) + "\", not \"" + std::string(first_line) +
               "\", so it is no tuning file that this weft understands; name another file, or "
               "remove it to have it made anew");
  }
  std::vector<kept_choice> found;
  for (int number = 2; std::getline(in, line); ++number) {
    const auto choice = choice_in(line);
    if (!choice.has_value()) {
      refuse(file,
             "line " + std::to_string(number) +
                 " does not read \"packing schedule seconds key\"; remove that line to have it "
                 "made anew");
    }
    found.push_back(*choice);
  }
  return found;
}

void keep_choice(const std::string& file, const kept_choice& what) {
  std::vector<kept_choice> all = read_choices(file);
  std::erase_if(all, [&](const kept_choice& each) { return each.key == what.key; });
  all.push_back(what);
  std::ostringstream text;
  text.imbue(std::locale::classic());  // as it is read
  text << first_line << "\n";
  for (const kept_choice& each : all) {
    text << to_string(each.best.packing) << " " << to_string(each.best.schedule) << " "
         << each.seconds << " " << each.key << "\n";
  }
  const std::string beside = file + "." + std::to_string(getpid());
  const std::string problem = weft::detail::replace_file(file, beside, text.str());
  if (!problem.empty()) {
    refuse(file, "cannot be written: " + problem);
  }
}

}  // namespace weft::halo::detail

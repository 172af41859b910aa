// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads options; the message for a wrong one says what would be right.
#include "lab/mpi/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

template <class Value>
Value parsed(const std::string& name, std::string_view text) {
  Value value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) {
    throw bad_request("--" + name + " is '" + std::string(text) + "', which is no number");
  }
  return value;
}

long long at_least(const std::string& name, long long value, long long least) {
  if (value < least) {
    throw bad_request("--" + name + " is " + std::to_string(value) + "; it must be at least " +
                      std::to_string(least));
  }
  return value;
}

}  // namespace

options::options(std::span<const std::string> arguments) {
  for (std::size_t index = 0; index < arguments.size(); index += 2) {
    const std::string& name = arguments[index];
    if (!name.starts_with("--")) {
      throw bad_request("'" + name + "' is no option; options are written --name value");
    }
    if (index + 1 == arguments.size()) {
      throw bad_request(name + " lacks its value");
    }
    if (!values_.emplace(name.substr(2), arguments[index + 1]).second) {
      throw bad_request(name + " is given twice");
    }
  }
}

const std::string* options::find(const std::string& name) {
  read_.push_back(name);
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::string options::word(const std::string& name, std::span<const std::string_view> allowed) {
  const std::string* const value = find(name);
  if (value == nullptr) {
    return std::string(allowed.front());
  }
  if (std::ranges::find(allowed, *value) != allowed.end()) {
    return *value;
  }
  std::string known;
  for (const std::string_view each : allowed) {
    known += (known.empty() ? "" : ", ") + std::string(each);
  }
  throw bad_request("--" + name + " is '" + *value + "'; it may be " + known);
}

long long options::number(const std::string& name, long long standard, long long least) {
  const std::string* const value = find(name);
  return value == nullptr ? standard : at_least(name, parsed<long long>(name, *value), least);
}

std::vector<long long> options::numbers(const std::string& name,
                                        const std::vector<long long>& standard,
                                        std::size_t count) {
  const std::string* const value = find(name);
  if (value == nullptr) {
    return standard;
  }
  std::vector<long long> found;
  for (std::size_t begin = 0; begin <= value->size();) {
    const std::size_t end = std::min(value->find(',', begin), value->size());
    const std::string_view part = std::string_view(*value).substr(begin, end - begin);
    found.push_back(at_least(name, parsed<long long>(name, part), 1));
    begin = end + 1;
  }
  if (count != 0 && found.size() != count) {
    throw bad_request("--" + name + " needs " + std::to_string(count) +
                      " numbers parted by commas, '" + *value + "' has " +
                      std::to_string(found.size()));
  }
  return found;
}

bool options::yes(const std::string& name, bool standard) {
  static constexpr std::array<std::string_view, 2> yes_first{"yes", "no"};
  static constexpr std::array<std::string_view, 2> no_first{"no", "yes"};
  return word(name, standard ? yes_first : no_first) == "yes";
}

sampling options::samples() {
  sampling how;
  const auto seconds = [this](const std::string& name, double standard) {
    const std::string* const value = find(name);
    const double found = value == nullptr ? standard : parsed<double>(name, *value);
    if (!(found >= 0.0) || std::isinf(found)) {
      throw bad_request("--" + name + " is " + *value + "; it must be a time in seconds");
    }
    return found;
  };
  how.min_samples = static_cast<std::size_t>(number("min-samples", 10, 1));
  how.max_samples = static_cast<std::size_t>(number("max-samples", 200, 1));
  how.min_time_s = seconds("min-time-s", how.min_time_s);
  how.max_time_s = seconds("max-time-s", how.max_time_s);
  how.batch_s = seconds("batch-time", how.batch_s);
  how.calls = static_cast<std::size_t>(number("calls", 0, 1));
  if (how.min_samples > how.max_samples) {
    throw bad_request("--min-samples is more than --max-samples");
  }
  return how;
}

void options::refuse_rest() const {
  for (const auto& [name, value] : values_) {
    if (std::ranges::find(read_, name) == read_.end()) {
      std::string known;
      for (const std::string& each : read_) {
        known.append(known.empty() ? "--" : ", --").append(each);
      }
      throw bad_request(
          std::string("unknown option --").append(name).append("; here there are ").append(known));
    }
  }
}

}  // namespace weft::lab::mpi

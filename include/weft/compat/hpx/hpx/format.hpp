// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formatting with HPX's placeholders: {1}, {2:...} or {}.
#pragma once

#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hpx/config.hpp>

#include "weft/base/error.hpp"

namespace hpx::util {

namespace detail {

/// Writes an argument with the options that printf would take between '%' and its letter.
void write_formatted(std::ostream& out, std::string_view options, double value);
void write_formatted(std::ostream& out, std::string_view options, long long value);
void write_formatted(std::ostream& out, std::string_view options, unsigned long long value);

class format_argument {
 public:
  template <class T>
  explicit format_argument(const T& value)
      : object_(&value),
        write_([](std::ostream& out, std::string_view options, const void* object) {
          const T& each = *static_cast<const T*>(object);
          if constexpr (std::is_floating_point_v<T>) {
            write_formatted(out, options, static_cast<double>(each));
          } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                               !std::is_same_v<T, char>) {
            if constexpr (std::is_signed_v<T>) {
              write_formatted(out, options, static_cast<long long>(each));
            } else {
              write_formatted(out, options, static_cast<unsigned long long>(each));
            }
          } else {
            out << each;
          }
        }) {}
  void write(std::ostream& out, std::string_view options) const { write_(out, options, object_); }

 private:
  const void* object_;
  void (*write_)(std::ostream& out, std::string_view options, const void* object);
};

void format_all(std::ostream& out, std::string_view text, const std::vector<format_argument>& args);

}  // namespace detail

/// Errors: `weft::error` for a placeholder without an argument, or without an end.
template <class... Args>
std::ostream& format_to(std::ostream& out, std::string_view text, const Args&... args) {
  detail::format_all(out, text, {detail::format_argument(args)...});
  return out;
}

template <class... Args>
[[nodiscard]] std::string format(std::string_view text, const Args&... args) {
  std::ostringstream out;
  format_to(out, text, args...);
  return out.str();
}

}  // namespace hpx::util

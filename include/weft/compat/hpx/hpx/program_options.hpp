// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines of programs, as far as HPX's are written.
#pragma once

#include <any>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/config.hpp>

#include "weft/base/error.hpp"

/// Boost.Program_options as HPX's programs use it: named options with values, defaults and help.
namespace hpx::program_options {

/// A value that was given, or the default.
class variable_value {
 public:
  variable_value() = default;
  variable_value(std::any value, bool is_default)
      : value_(std::move(value)), is_default_(is_default) {}

  /// Errors: std::bad_any_cast for another type than the option's.
  template <class T>
  [[nodiscard]] const T& as() const {
    return std::any_cast<const T&>(value_);
  }
  template <class T>
  [[nodiscard]] T& as() {
    return std::any_cast<T&>(value_);
  }
  [[nodiscard]] bool empty() const noexcept { return !value_.has_value(); }
  [[nodiscard]] const std::any& raw() const noexcept { return value_; }
  [[nodiscard]] bool defaulted() const noexcept { return is_default_; }

 private:
  std::any value_;
  bool is_default_ = false;
};

/// By option name.
class variables_map : public std::map<std::string, variable_value> {
 public:
  /// An empty value for an option that there is not.
  const variable_value& operator[](const std::string& name) const {
    static const variable_value none;
    const auto found = find(name);
    return found == end() ? none : found->second;
  }
};

/// What an option takes.
class value_semantic {
 public:
  virtual ~value_semantic() = default;
  /// Whether an argument follows the name.
  [[nodiscard]] virtual bool takes_argument() const noexcept = 0;
  /// Whether all arguments up to the next option are its values.
  [[nodiscard]] virtual bool takes_several() const noexcept = 0;
  /// Adds what `text` says to `value`. Errors: `weft::error` that names `option`.
  virtual void parse(const std::string& option, const std::string& text, std::any& value) const = 0;
  [[nodiscard]] virtual std::any default_value_or_none() const = 0;
  [[nodiscard]] virtual bool is_required() const noexcept = 0;
  /// The value is final.
  virtual void notify(const std::any& value) const = 0;
  [[nodiscard]] virtual std::string default_text() const = 0;
  /// What stands for an argument that is left out; nothing: it must not be.
  [[nodiscard]] virtual std::any implicit_value_or_none() const = 0;
};

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

[[noreturn]] void refuse(const std::string& option, const std::string& text);
[[nodiscard]] bool parse_truth(const std::string& option, const std::string& text);

template <class T>
T parse_one(const std::string& option, const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<T, bool>) {
    return parse_truth(option, text);
  } else {
    std::istringstream in(text);
    T value{};
    const bool is_negative = std::is_unsigned_v<T> && text.find('-') != std::string::npos;
    if (is_negative || !(in >> value) || !(in >> std::ws).eof()) {
      refuse(option, text);
    }
    return value;
  }
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (requires(std::ostream& out) { out << value; }) {
    std::ostringstream out;
    out << value;
    return out.str();
  } else {
    return "...";
  }
}

}  // namespace detail

/// What `value<T>()` gives: members return the object itself, for chains of calls.
template <class T>
class typed_value : public value_semantic {
 public:
  explicit typed_value(T* store = nullptr) noexcept : store_(store) {}

  typed_value* default_value(const T& value) {
    return default_value(value, detail::text_of(value));
  }
  typed_value* default_value(const T& value, std::string text) {
    default_ = value;
    default_text_ = std::move(text);
    return this;
  }
  typed_value* implicit_value(const T& value) {
    implicit_ = value;
    return this;
  }
  typed_value* required() noexcept {
    is_required_ = true;
    return this;
  }
  typed_value* notifier(std::function<void(const T&)> call) {
    notifier_ = std::move(call);
    return this;
  }
  typed_value* multitoken() noexcept {
    static_assert(detail::is_vector<T>,
                  "multitoken() is for value<std::vector<T>>(): other options keep one value");
    takes_several_ = true;
    return this;
  }
  typed_value* composing() noexcept { return this; }
  typed_value* zero_tokens() noexcept {
    takes_argument_ = false;
    return this;
  }

  // NOLINTBEGIN(portability-template-virtual-member-function): every compiler may make them
  [[nodiscard]] bool takes_argument() const noexcept override { return takes_argument_; }
  [[nodiscard]] bool takes_several() const noexcept override { return takes_several_; }
  void parse(const std::string& option, const std::string& text, std::any& value) const override {
    if constexpr (detail::is_vector<T>) {
      if (!value.has_value()) {
        value = T();
      }
      std::any_cast<T&>(value).push_back(detail::parse_one<typename T::value_type>(option, text));
    } else {
      value = detail::parse_one<T>(option, text);
    }
  }
  [[nodiscard]] std::any default_value_or_none() const override {
    return default_ ? std::any(*default_) : std::any();
  }
  [[nodiscard]] std::any implicit_value_or_none() const override {
    return implicit_ ? std::any(*implicit_) : std::any();
  }
  [[nodiscard]] bool is_required() const noexcept override { return is_required_; }
  void notify(const std::any& value) const override {
    const T& given = std::any_cast<const T&>(value);
    if (store_ != nullptr) {
      *store_ = given;
    }
    if (notifier_) {
      notifier_(given);
    }
  }
  [[nodiscard]] std::string default_text() const override { return default_text_; }
  // NOLINTEND(portability-template-virtual-member-function)

 private:
  T* store_;
  std::optional<T> default_;
  std::string default_text_;
  std::optional<T> implicit_;
  std::function<void(const T&)> notifier_;
  bool is_required_ = false;
  bool takes_argument_ = true;
  bool takes_several_ = false;
};

template <class T>
[[nodiscard]] typed_value<T>* value(T* store = nullptr) {
  return new typed_value<T>(store);  // owned by the description that it is given to
}
/// An option without an argument: false unless it is given.
[[nodiscard]] inline typed_value<bool>* bool_switch(bool* store = nullptr) {
  return value<bool>(store)->default_value(false)->implicit_value(true)->zero_tokens();
}

struct option_description {
  std::string name;
  std::string letter;                              // empty: none
  std::shared_ptr<const value_semantic> semantic;  // null: it is given, or not
  std::string text;
};

class options_description;

/// What `add_options()` gives: each call adds an option.
class options_description_easy_init {
 public:
  explicit options_description_easy_init(options_description& owner) noexcept : owner_(&owner) {}
  options_description_easy_init& operator()(const char* name, const char* text);
  /// Takes `semantic` over.
  options_description_easy_init& operator()(const char* name,
                                            const value_semantic* semantic,
                                            const char* text = "");

 private:
  options_description* owner_;
};

class options_description {
 public:
  options_description() = default;
  explicit options_description(std::string caption, unsigned /*line_length*/ = 80)
      : caption_(std::move(caption)) {}

  options_description_easy_init add_options() { return options_description_easy_init(*this); }
  options_description& add(const options_description& more);
  void add_one(option_description option) { options_.push_back(std::move(option)); }

  [[nodiscard]] const std::vector<option_description>& options() const noexcept { return options_; }
  [[nodiscard]] const std::string& caption() const noexcept { return caption_; }
  friend std::ostream& operator<<(std::ostream& out, const options_description& all);

 private:
  std::string caption_;
  std::vector<option_description> options_;
};

/// Reads the arguments that `all` describes, and removes them from `arguments`; what is left and
/// begins with "--" is an error unless `keeps_unknown`.
/// Errors: `weft::error` that names the argument and what is accepted.
[[nodiscard]] variables_map read_arguments(std::vector<std::string>& arguments,
                                           const options_description& all,
                                           bool keeps_unknown);

}  // namespace hpx::program_options

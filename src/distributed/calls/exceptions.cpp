// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of exceptions that cross ranks, derived types before their bases.
#include "distributed/calls/exceptions.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <utility>
#include <vector>

#include <cxxabi.h>

#include "weft/base/error.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/remote_error.hpp"
#include "weft/distributed/stoppable.hpp"
#include "weft/execution/lazy_task.hpp"
#include "weft/tasks/channel.hpp"

namespace weft::distributed::detail {
namespace {

/// The data of an exception that is sent.
struct record {
  std::string name;  // of the standard type, or empty
  std::string text;
  std::string type;
  std::string function;
  std::string category;  // of std::system_error
  std::int64_t code = 0;
  std::int32_t rank = 0;
};

/// An exception of type E with the rank and function that it came from.
template <class E>
class remote_copy final : public E, public remote_origin {
 public:
  template <class... Args>
  explicit remote_copy(remote_origin origin, Args&&... args)
      : E(std::forward<Args>(args)...), remote_origin(std::move(origin)) {}
};

struct standard_type {
  const char* name;
  bool (*is)(const std::exception& raised);
  std::exception_ptr (*make)(remote_origin origin, const std::string& text);
};

template <class E>
constexpr standard_type type_named(const char* name) {
  return {name,
          [](const std::exception& raised) { return dynamic_cast<const E*>(&raised) != nullptr; },
          [](remote_origin origin, const std::string& text) {
            return std::make_exception_ptr(remote_copy<E>(std::move(origin), text));
          }};
}

constexpr std::array standard_types{type_named<std::invalid_argument>("invalid_argument"),
                                    type_named<std::domain_error>("domain_error"),
                                    type_named<std::length_error>("length_error"),
                                    type_named<std::out_of_range>("out_of_range"),
                                    type_named<std::logic_error>("logic_error"),
                                    type_named<std::range_error>("range_error"),
                                    type_named<std::overflow_error>("overflow_error"),
                                    type_named<std::underflow_error>("underflow_error"),
                                    type_named<std::runtime_error>("runtime_error")};

std::string demangled(const char* name) {
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &failed), std::free);
  return failed == 0 ? text.get() : name;
}

void describe(record& to, const std::exception& raised) {
  to.text = raised.what();
  to.type = demangled(typeid(raised).name());
  if (dynamic_cast<const remote_error*>(&raised) != nullptr) {
    to.name.clear();  // arrives as a remote_error again
  } else if (dynamic_cast<const execution::operation_stopped*>(&raised) != nullptr) {
    to.name = "operation_stopped";
  } else if (dynamic_cast<const channel_closed*>(&raised) != nullptr) {
    to.name = "channel_closed";
  } else if (const auto* const ours = dynamic_cast<const weft::error*>(&raised)) {
    to.name = "error";
    to.code = static_cast<std::int64_t>(ours->get_error());
  } else if (const auto* const system = dynamic_cast<const std::system_error*>(&raised)) {
    to.category = system->code().category().name();
    to.code = system->code().value();
    to.name = to.category == std::generic_category().name() ||
                      to.category == std::system_category().name()
                  ? "system_error"
                  : "";
  } else if (dynamic_cast<const std::bad_alloc*>(&raised) != nullptr) {
    to.name = "bad_alloc";
  } else {
    for (const standard_type& each : standard_types) {
      if (each.is(raised)) {
        to.name = each.name;
        break;
      }
    }
  }
  if (const auto* const origin = dynamic_cast<const remote_origin*>(&raised)) {
    to.rank = origin->rank();  // the exception has crossed ranks before
    to.function = origin->function();
    to.type = origin->type();
  }
}

/// Returns the text of a std::system_error without the part that its constructor appends.
std::string own_text(const record& from, const std::error_code& code) {
  const std::string appended = ": " + code.message();
  return from.text.ends_with(appended) ? from.text.substr(0, from.text.size() - appended.size())
                                       : from.text;
}

}  // namespace

std::vector<std::byte> exception_bytes(const std::exception_ptr& raised,
                                       int rank,
                                       std::string_view function) {
  record all;
  all.function = function;
  all.rank = rank;
  try {
    std::rethrow_exception(raised);
  } catch (const std::exception& known) {
    describe(all, known);
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    all.type = type != nullptr ? demangled(type->name()) : "an unknown type";
    all.text = "an exception of type " + all.type;
  }
  output_archive to(SIZE_MAX);
  to(all);
  return to.take_bytes();
}

std::exception_ptr exception_from(std::span<const std::byte> bytes) {
  record all;
  input_archive from(bytes);
  from(all);
  from.finish();
  if (all.name == "operation_stopped") {
    return stopped_call();
  }
  remote_origin origin(all.rank, all.function, all.type);
  if (all.name == "channel_closed") {
    return std::make_exception_ptr(remote_copy<channel_closed>(std::move(origin), all.text));
  }
  if (all.name == "error") {
    return std::make_exception_ptr(
        remote_copy<weft::error>(std::move(origin), static_cast<errc>(all.code), all.text));
  }
  if (all.name == "bad_alloc") {
    return std::make_exception_ptr(remote_copy<std::bad_alloc>(std::move(origin)));
  }
  if (all.name == "system_error") {
    const bool is_generic = all.category == std::generic_category().name();
    const std::error_code code(static_cast<int>(all.code),
                               is_generic ? std::generic_category() : std::system_category());
    return std::make_exception_ptr(
        remote_copy<std::system_error>(std::move(origin), code, own_text(all, code)));
  }
  for (const standard_type& each : standard_types) {
    if (all.name == each.name) {
      return each.make(std::move(origin), all.text);
    }
  }
  return std::make_exception_ptr(remote_error(all.text, std::move(origin)));
}

}  // namespace weft::distributed::detail

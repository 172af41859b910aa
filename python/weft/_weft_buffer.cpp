// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks buffers and finds the type of their numbers.
#include "_weft_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // IWYU pragma: keep

// NOLINTBEGIN(misc-include-cleaner): Python.h's parts may not be included one by one
namespace weft::python {

namespace nb = nanobind;

namespace {

/// The type that a format of Python's module `struct` names, in this machine's byte order.
std::optional<number_kind> kind_of(std::string_view format, std::ptrdiff_t item_bytes) {
  if (!format.empty() && std::string_view("@=<").find(format.front()) != std::string_view::npos) {
    format.remove_prefix(1);
  }
  if (format.size() != 1 || (item_bytes != 4 && item_bytes != 8)) {
    return std::nullopt;
  }
  const bool is_short = item_bytes == 4;
  switch (format.front()) {
    case 'i':
    case 'l':
    case 'q':
      return is_short ? number_kind::int32 : number_kind::int64;
    case 'I':
    case 'L':
    case 'Q':
      return is_short ? number_kind::uint32 : number_kind::uint64;
    case 'f':
    case 'd':
      return is_short ? number_kind::float32 : number_kind::float64;
    default:
      return std::nullopt;
  }
}

std::string type_of(const nb::object& object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

/// Whether it is a NumPy array some of whose numbers do not count, which its buffer does not say.
bool is_masked(const nb::object& object) {
  const nb::dict modules = nb::module_::import_("sys").attr("modules");
  return modules.contains("numpy.ma") &&
         nb::isinstance(object, modules["numpy.ma"].attr("MaskedArray"));
}

}  // namespace

buffer::buffer(const nb::object& from, access wanted, const std::string& name) {
  if (PyObject_GetBuffer(from.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    throw nb::type_error(
        (name + " is a " + type_of(from) +
         " without a buffer of numbers; pass a NumPy array of int32, int64, uint32, uint64, "
         "float32 or float64")
            .c_str());
  }
  try {
    if (is_masked(from)) {
      throw nb::type_error(
          (name + " is a masked array; pass " + name + ".compressed() or " + name + ".filled(...)")
              .c_str());
    }
    const std::string_view format = view_.format == nullptr ? "B" : view_.format;
    const auto found = kind_of(format, view_.itemsize);
    if (!found) {
      throw nb::type_error((name + " has items of format '" + std::string(format) +
                            "'; accepted are int32, int64, uint32, uint64, float32 and float64 in "
                            "this machine's byte order")
                               .c_str());
    }
    kind_ = *found;
    check(wanted, name);
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
}

buffer::~buffer() { PyBuffer_Release(&view_); }

void buffer::check(access wanted, const std::string& name) const {
  if (view_.ndim != 1) {
    throw nb::value_error((name + " has " + std::to_string(view_.ndim) +
                           " dimensions instead of 1; pass " + name + ".reshape(-1)")
                              .c_str());
  }
  // Arrays of ctypes have no gaps and no strides.
  if (size() > 1 && view_.strides != nullptr && view_.strides[0] != view_.itemsize) {
    throw nb::value_error((name + " is not contiguous: its numbers are " +
                           std::to_string(view_.strides[0]) + " bytes apart instead of " +
                           std::to_string(view_.itemsize) + "; pass a copy")
                              .c_str());
  }
  // NOLINTNEXTLINE(*-reinterpret-cast): its bits are asked for
  if (reinterpret_cast<std::uintptr_t>(view_.buf) % static_cast<std::size_t>(view_.itemsize) != 0) {
    throw nb::value_error(
        (name + " is not aligned to the size of its numbers; pass a copy").c_str());
  }
  if (wanted == access::write && view_.readonly != 0) {
    throw nb::value_error((name + " is read-only, and would be written; pass a copy").c_str());
  }
}

}  // namespace weft::python
// NOLINTEND(misc-include-cleaner)

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite's description of a problem, made from a class template over the element type.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {

using make_result = std::variant<std::unique_ptr<experiment>, skip>;

/// One row of the suite's table. Problems and backends are independent of each other.
struct problem {
  std::string_view name;
  std::span<const parameter> parameters;
  /// Peak memory with this backend. Units: bytes.
  std::size_t (*memory_bytes)(const cell& what, const backend& with);
  make_result (*make)(const cell& what, const backend& with);
};

/// All problems of this program, sorted by name.
const std::vector<problem>& problems();

/// Adds a problem to the table before `main`; for objects at namespace scope in lab/stl/problems.
class registration {
 public:
  explicit registration(const problem& what);
};

/// The arguments of an experiment's constructor.
template <class T>
struct setup {
  const cell& what;
  const operations<T>& offered;

  /// Returns uninitialised elements, first touched as the cell's allocator says.
  [[nodiscard]] guarded_array<T> input(std::size_t size) const {
    return guarded_array<T>(size, guard_byte::of_input, touch());
  }

  /// Returns poisoned elements, first touched as the cell's allocator says.
  [[nodiscard]] guarded_array<T> output(std::size_t size) const {
    guarded_array<T> elements(size, guard_byte::of_output, touch());
    elements.poison_elements();
    return elements;
  }

 private:
  [[nodiscard]] auto touch() const {
    return what.allocator == "first_touch" ? offered.touch : nullptr;
  }
};

/// Calls `body(T{})` with the element type that `type` names.
template <class Body>
auto with_element_type(const std::string& type, Body body) {
  if (type == "int") {
    return body(int{});
  }
  if (type == "float") {
    return body(float{});
  }
  if (type == "double") {
    return body(double{});
  }
  throw bad_cell("type",
                 unknown_name("type", type, std::vector<std::string>{"int", "float", "double"}));
}

/// Returns `bytes` as an integer; the largest integer if `bytes` exceeds it.
std::size_t countable_bytes(double bytes);

/// Returns `make(setup)` if the backend offers the algorithm and the operations that touch its
/// memory.
template <class T, class Make>
make_result make_if_offered(const cell& what, const backend& with, bool is_offered, Make make) {
  const auto& offered = std::get<operations<T>>(with.typed_operations);
  const std::string who = "backend " + std::string(with.name);
  if (!is_offered) {
    return skip{.code = "not_offered",
                .message = who + " has no parallel " + what.problem + " for " + what.type,
                .remedy = "run this cell with another backend"};
  }
  if (what.allocator == "first_touch" && offered.touch == nullptr) {
    return skip{.code = "not_offered",
                .message = who + " cannot touch memory in parallel",
                .remedy = "use allocator \"default\""};
  }
  return make(setup<T>{what, offered});
}

/// Units: bytes, of the arrays and of a backend's own memory in an algorithm of this kind.
template <class T>
std::size_t bytes_with_scratch(double array_bytes, double scratch, const cell& what) {
  return countable_bytes(array_bytes + scratch * static_cast<double>(what.size) * sizeof(T));
}

template <template <class> class Experiment, class T>
make_result make_experiment(const cell& what, const backend& with) {
  const auto& offered = std::get<operations<T>>(with.typed_operations);
  const bool is_offered = offered.*Experiment<T>::needs != nullptr;
  return make_if_offered<T>(what, with, is_offered, [](const setup<T>& given) {
    return std::make_unique<Experiment<T>>(given);
  });
}

/// Makes a problem of a class template of experiments.
///
/// Shape: `Experiment<T>` is constructible from `setup<T>` and has the static members `needs`
///        (pointer to the member of `operations<T>` it calls), `scratch` (pointer to the member of
///        `scratch_factors` that applies) and `array_bytes(size)`, a double, since the size may
///        exceed the integers.
template <template <class> class Experiment>
problem describe(std::string_view name, std::span<const parameter> parameters = {}) {
  return {.name = name,
          .parameters = parameters,
          .memory_bytes =
              [](const cell& what, const backend& with) {
                return with_element_type(what.type, [&]<class T>(T) {
                  return bytes_with_scratch<T>(
                      Experiment<T>::array_bytes(static_cast<double>(what.size)),
                      with.scratch.*Experiment<T>::scratch,
                      what);
                });
              },
          .make =
              [](const cell& what, const backend& with) {
                return with_element_type(what.type, [&]<class T>(T) {
                  return make_experiment<Experiment, T>(what, with);
                });
              }};
}

/// For experiments whose calls neither change their input nor depend on its values: no preparation,
/// any number of calls.
template <class T>
class repeatable_experiment : public experiment {
 public:
  void prepare(std::size_t /*count*/) override {}
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30U; }
};

}  // namespace weft::lab::stl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime seq: the serial oracle of every problem, the baseline of every speed-up.
#include <any>
#include <tuple>
#include <vector>

#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/inncabs/row.hpp"
#include "lab/inncabs/table.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::inncabs {
namespace {

template <class Input>
result_of<Input> solve_serially(const Input& from, launch_policy /*how*/) {
  return run_serial(from);
}

std::vector<std::any> oracles() {
  return std::apply(
      []<class... Input>(const row<Input>&...) -> std::vector<std::any> {
        return {body_of<Input>(solve_serially<Input>)...};
      },
      table);
}

}  // namespace

const backend& linked_backend() {
  static const backend seq{
      .name = "seq",
      .is_serial = true,
      .bodies = oracles(),
      .has_policy = [](launch_policy which) { return which == launch_policy::async; },
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return seq;
}

}  // namespace weft::lab::inncabs

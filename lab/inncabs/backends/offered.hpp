// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All problems of the table, solved by one runtime.
#pragma once

#include <any>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "lab/inncabs/launch_policy.hpp"
#include "lab/inncabs/row.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/table.hpp"

namespace weft::lab::inncabs {

/// Every runtime has `enter(body)`, which runs `body` where tasks may be made and waits for it. A
/// runtime with futures also has `launch_of(policy)`, which returns its own policy, if it has that
/// one.
template <class Runtime>
bool has_policy(launch_policy which) {
  if constexpr (futures_runtime<Runtime>) {
    return Runtime::launch_of(which).has_value();
  } else {
    return which == launch_policy::async;
  }
}

/// Shape:   the runtime has the policy `how`.
template <class Runtime, class Input>
result_of<Input> solve(const Input& from, launch_policy how) {
  std::optional<result_of<Input>> found;
  Runtime::enter([&] {
    if constexpr (futures_runtime<Runtime>) {
      found.emplace(run_futures<Runtime>(from, Runtime::launch_of(how).value()));
    } else {
      found.emplace(run_groups<Runtime>(from));
    }
  });
  return *std::move(found);  // NOLINT(bugprone-unchecked-optional-access): `enter` has run it
}

/// One body for each row of the table, in its order.
template <class Runtime>
std::vector<std::any> offered_by() {
  return std::apply(
      []<class... Input>(const row<Input>&...) -> std::vector<std::any> {
        return {body_of<Input>(solve<Runtime, Input>)...};
      },
      table);
}

}  // namespace weft::lab::inncabs

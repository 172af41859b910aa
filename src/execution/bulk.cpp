// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halves a range until its pieces are small enough, and offers the second halves to other workers.
#include "weft/execution/bulk.hpp"

#include <cstddef>
#include <new>
#include <optional>

#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution::detail {
namespace {

void run_halves(std::size_t first, std::size_t last, std::size_t grain, const chunk_call& call) {
  if (last - first <= grain) {
    call.run(call.context, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  const auto in_parallel = [&] {
    fork_join([&] { run_halves(first, middle, grain, call); },
              [&] { run_halves(middle, last, grain, call); });
  };
  if (!call.is_nothrow) {
    in_parallel();
    return;
  }
  try {
    in_parallel();
  } catch (const std::bad_alloc&) {  // the fork failed: neither half has run
    run_halves(first, middle, grain, call);
    run_halves(middle, last, grain, call);
  }
}

}  // namespace

void run_chunks(std::size_t n, const std::optional<std::size_t>& grain, const chunk_call& call) {
  if (n == 0) {
    return;
  }
  if (tasks::self() == nullptr) {
    call.run(call.context, 0, n);
    return;
  }
  run_halves(0, n, tasks::detail::bulk_grain(n, grain), call);
}

}  // namespace weft::execution::detail

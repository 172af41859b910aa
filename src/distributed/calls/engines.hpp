// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engines of this process: one, except in tests with several ranks in one process.
#pragma once

#include "weft/distributed/detail/engine.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::distributed::detail {

/// Registers the engine: tasks of `home` find `one`, and so do all threads while it is the only
/// engine.
void register_engine(engine& one, const tasks::scheduler& home);
void unregister_engine(const engine& one) noexcept;
[[nodiscard]] bool has_engines() noexcept;

/// While it lives, `engine::current()` of this thread is `one`: threads that poll may not be workers.
class polling_scope {
 public:
  explicit polling_scope(engine& one) noexcept;
  polling_scope(const polling_scope&) = delete;
  polling_scope& operator=(const polling_scope&) = delete;
  ~polling_scope();
};

}  // namespace weft::distributed::detail

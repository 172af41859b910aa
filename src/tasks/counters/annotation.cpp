// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the beginning and the end of annotations.
#include "weft/tasks/annotation.hpp"

#include <string_view>

#include "weft/counters/trace.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"

namespace weft {

using counters::trace_kind;

scoped_annotation::scoped_annotation(std::string_view name) noexcept : is_recorded_(false) {
  tasks::detail::worker* const w = tasks::detail::self();
  if (w != nullptr && w->clock.is_traced()) {
    w->clock.trace(trace_kind::annotate, counters::trace_name(name));
    is_recorded_ = true;
  }
}

scoped_annotation::~scoped_annotation() {
  // A coroutine may have resumed on another worker since the constructor ran.
  tasks::detail::worker* const w = is_recorded_ ? tasks::detail::self() : nullptr;
  if (w != nullptr && w->clock.is_traced()) {
    w->clock.trace(trace_kind::end);
  }
}

}  // namespace weft

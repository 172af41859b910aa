// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option that switches policies off.
#pragma once

namespace weft::base {
class option_registry;
}

namespace weft::tasks::detail {

void register_policy_option(base::option_registry& registry);

/// Lets policies act, or not, as `registry` was told.
void set_policies(const base::option_registry& registry);

}  // namespace weft::tasks::detail

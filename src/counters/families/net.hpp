// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the traffic through network interfaces: /net.
#pragma once

#include <filesystem>
#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// One instance per interface, including other processes' traffic. `root` is the folder that
/// contains proc/.
///
/// Source: proc_pid_net(5), /proc/net/dev.
[[nodiscard]] std::vector<counter_family> net_families(const std::filesystem::path& root);

}  // namespace weft::counters::detail

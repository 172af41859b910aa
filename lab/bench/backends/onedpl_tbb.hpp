// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend onedpl_tbb: oneDPL's host algorithms on oneTBB.
#pragma once

#include <string_view>

#include "lab/bench/onedpl_members.hpp"
#include "lab/stl/backends/tbb_threads.hpp"

namespace weft::bench {

struct onedpl_tbb_name {
  static constexpr std::string_view backend_name = "onedpl_tbb";
};

struct onedpl_tbb : in_onedpl::onedpl_members<onedpl_tbb_name> {
  static lab::stl::library_versions libraries() {
    return {in_onedpl::onedpl_library(), lab::stl::tbb_library()};
  }
  static constexpr auto with_threads = lab::stl::with_tbb_threads;
};

}  // namespace weft::bench

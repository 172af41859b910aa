// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend onedpl_omp: oneDPL's host algorithms on OpenMP.
#pragma once

#include <string_view>

#include "lab/bench/onedpl_members.hpp"
#include "lab/stl/backends/openmp_threads.hpp"

namespace weft::bench {

struct onedpl_omp_name {
  static constexpr std::string_view backend_name = "onedpl_omp";
};

struct onedpl_omp : in_onedpl::onedpl_members<onedpl_omp_name> {
  static lab::stl::library_versions libraries() {
    return {in_onedpl::onedpl_library(), lab::stl::openmp_library()};
  }
  static constexpr auto with_threads = lab::stl::with_openmp_threads;
};

}  // namespace weft::bench

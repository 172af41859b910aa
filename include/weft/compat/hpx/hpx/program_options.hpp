// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines of programs: Boost.Program_options, of which HPX's are a copy.
#pragma once

#if !defined(WEFT_HAS_BOOST_PROGRAM_OPTIONS)
#error \
    "hpx::program_options is Boost's: install libboost-program-options-dev (boost-devel), then configure weft and this program again; without CMake, compile with -DWEFT_HAS_BOOST_PROGRAM_OPTIONS and link with -lboost_program_options"
#endif

#include <boost/program_options/cmdline.hpp>              // IWYU pragma: export
#include <boost/program_options/errors.hpp>               // IWYU pragma: export
#include <boost/program_options/option.hpp>               // IWYU pragma: export
#include <boost/program_options/options_description.hpp>  // IWYU pragma: export
#include <boost/program_options/parsers.hpp>              // IWYU pragma: export
#include <boost/program_options/positional_options.hpp>   // IWYU pragma: export
#include <boost/program_options/value_semantic.hpp>       // IWYU pragma: export
#include <boost/program_options/variables_map.hpp>        // IWYU pragma: export

namespace hpx {
namespace program_options = boost::program_options;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of the halo bench program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {

/// The part of an exchange that is timed.
enum class measuring : std::uint8_t {
  exchange,  // the whole exchange
  steps,     // pack, transfer, unpack
  overlap,   // the exchange, a computation, one after the other, and both at once
};

/// Units: `_s` seconds.
struct options {
  measuring how = measuring::exchange;
  std::vector<problem> cases;
  std::size_t num_samples = 11;
  double min_sample_s = 0.02;
  std::vector<std::string> only;  // names of contestants; empty: all
  int expect_ranks = 0;           // 0: any number
  bool is_functional = false;     // ranks share CPUs: times mean little
  bool wants_reports = false;
  bool wants_help = false;
};

/// The text that `--help` prints.
[[nodiscard]] std::string_view help();

/// Errors: `std::invalid_argument` with the error and the help.
[[nodiscard]] options parsed(const std::vector<std::string_view>& arguments);

}  // namespace weft::lab::halo_bench

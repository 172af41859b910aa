// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the command line of the halo bench program.
#include "lab/mpi/halo/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("error: " + why + "\n" + std::string(help()));
}

[[noreturn]] void bad_value(std::string_view option, std::string_view value) {
  refuse(std::string(option) + " does not take \"" + std::string(value) + "\"");
}

int whole_number(std::string_view option, std::string_view text, int least) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < least) {
    bad_value(option, text);
  }
  return number;
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

std::array<int, 3> three(std::string_view option, std::string_view text, int least) {
  const std::vector<std::string> parts = listed(text);
  if (parts.size() != 3) {
    bad_value(option, text);
  }
  std::array<int, 3> numbers{};
  for (std::size_t d = 0; d < 3; ++d) {
    numbers[d] = whole_number(option, parts[d], least);
  }
  return numbers;
}

cells_3d size_of(std::string_view option, std::string_view text) {
  if (text.find(',') == std::string_view::npos) {
    const int side = whole_number(option, text, 1);
    return {side, side, side};
  }
  const std::array<int, 3> sides = three(option, text, 1);
  return {sides[0], sides[1], sides[2]};
}

void take(options& into, problem& what, std::string_view option, std::string_view value) {
  if (option == "--size") {
    what.size = size_of(option, value);
  } else if (option == "--halo") {
    what.width = whole_number(option, value, 1);
  } else if (option == "--fields") {
    what.num_fields = whole_number(option, value, 1);
    if (what.num_fields > 3) {
      bad_value(option, value);
    }
  } else if (option == "--dims") {
    what.dims = three(option, value, 0);
  } else if (option == "--samples") {
    into.num_samples = static_cast<std::size_t>(whole_number(option, value, 1));
  } else if (option == "--sample-ms") {
    into.min_sample_s = whole_number(option, value, 0) * 1e-3;
  } else if (option == "--only") {
    into.only = listed(value);
  } else if (option == "--expect-ranks") {
    into.expect_ranks = whole_number(option, value, 1);
  } else if (option == "--functional") {
    into.is_functional = value == "yes";
  } else {
    refuse("no option " + std::string(option));
  }
}

measuring named(std::string_view word) {
  if (word == "exchange") {
    return measuring::exchange;
  }
  if (word == "steps") {
    return measuring::steps;
  }
  if (word == "overlap") {
    return measuring::overlap;
  }
  refuse("nothing is called \"" + std::string(word) + "\"");
}

void check(const problem& what, measuring how) {
  for (const std::ptrdiff_t size : what.size) {
    if (what.width > size) {
      refuse("--halo " + std::to_string(what.width) + " is wider than --size " +
             std::to_string(size));
    }
    if (how == measuring::overlap && size <= 2 * what.width) {
      refuse("--size " + std::to_string(size) + " leaves nothing to compute inside two halos of " +
             std::to_string(what.width));
    }
  }
}

}  // namespace

std::string_view help() {
  return "mpirun -n RANKS weft_mpi_halo [exchange|steps|overlap] [--size CELLS|I,J,K] [--halo "
         "CELLS]\n"
         "  [--fields 1..3] [--dims I,J,K] [--open|--periodic] [--next ...] [--samples N]\n"
         "  [--sample-ms T] [--only NAME,NAME] [--report]\n"
         "  --size    inner cells per rank and dimension (64)   --dims    processes, 0: MPI's "
         "choice\n"
         "  --open    boundaries are not periodic               --samples per contestant (11)\n"
         "  --report  adds what goes where by which path, as rank 0 sees it\n"
         "  --next    another case, which keeps what is not given anew\n";
}

options parsed(const std::vector<std::string_view>& arguments) {
  options made;
  problem what;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    const std::string_view word = arguments[n];
    if (n == 0 && !word.starts_with("-")) {
      made.how = named(word);
    } else if (word == "--help") {
      made.wants_help = true;
    } else if (word == "--open" || word == "--periodic") {
      what.is_periodic = word == "--periodic";
    } else if (word == "--report") {
      made.wants_reports = true;
    } else if (word == "--next") {
      check(what, made.how);
      made.cases.push_back(what);
    } else if (n + 1 < arguments.size()) {
      take(made, what, word, arguments[n + 1]);
      ++n;
    } else {
      refuse(std::string(word) + " needs a value");
    }
  }
  check(what, made.how);
  made.cases.push_back(what);
  return made;
}

}  // namespace weft::lab::halo_bench

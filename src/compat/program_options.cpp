// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the command lines of HPX programs with Boost: the one source that needs it.
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <hpx/init.hpp>
#include <hpx/program_options.hpp>

namespace hpx::compat {

described_options::described_options(const program_options::options_description& all) {
  if (all.options().empty()) {
    return;
  }
  std::ostringstream text;
  text << all;
  help = text.str();
  const auto kept = std::make_shared<const program_options::options_description>(all);
  read = [kept](const std::vector<std::string>& arguments, bool allows_unknown) {
    program_options::command_line_parser parser(arguments);
    parser.options(*kept);
    if (allows_unknown) {
      parser.allow_unregistered();
    }
    auto values = std::make_shared<program_options::variables_map>();
    program_options::store(parser.run(), *values);
    program_options::notify(*values);
    return values;
  };
}

program_options::variables_map& values_of(command_line& line) {
  if (line.values == nullptr) {
    line.values = std::make_shared<program_options::variables_map>();
  }
  return *line.values;
}

}  // namespace hpx::compat

bool hpx::util::retrieve_commandline_arguments(const program_options::options_description& options,
                                               program_options::variables_map& values) {
  values = *compat::described_options(options).read(compat::own_arguments(), true);
  return true;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for HPX with an option of its own, which Boost reads.
#include <hpx/hpx_init.hpp>

int hpx_main(hpx::program_options::variables_map& values) {
  return values["count"].as<int>() == 3 ? hpx::finalize() : 1;
}

int main(int argc, char** argv) {
  hpx::program_options::options_description options("options");
  options.add_options()("count", hpx::program_options::value<int>(), "three");
  hpx::init_params params;
  params.desc_cmdline = options;
  return hpx::init(argc, argv, params);
}

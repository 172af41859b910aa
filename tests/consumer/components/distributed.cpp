// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::distributed: a value goes through a stream and comes back.
#include <sstream>
#include <string>

#include <weft/distributed.hpp>

int main() {
  std::stringstream stream;
  weft::distributed::save_checkpoint(stream, std::string("forty-two"));
  std::string loaded;
  weft::distributed::load_checkpoint(stream, loaded);
  return loaded == "forty-two" ? 0 : 1;
}

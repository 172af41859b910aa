// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of a latch on its rank.
#include "weft/distributed/latch.hpp"

#include <cstddef>
#include <string>

#include "weft/base/error.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/launch.hpp"

namespace weft::distributed {

void latch::count_down(std::ptrdiff_t num_arrived) const {
  gate_.post([](weft::latch& gate, std::ptrdiff_t by) { gate.count_down(by); }, num_arrived);
}

future<void> latch::wait() const {
  return gate_.async([](const weft::latch& gate) { gate.wait(); });
}

future<void> latch::arrive_and_wait(std::ptrdiff_t num_arrived) const {
  return gate_.async([](weft::latch& gate, std::ptrdiff_t by) { gate.arrive_and_wait(by); },
                     num_arrived);
}

future<bool> latch::try_wait() const {
  return gate_.async([](const weft::latch& gate) { return gate.try_wait(); });
}

future<latch> make_latch(locality where, std::ptrdiff_t count) {
  if (count < 0) {
    throw error(errc::bad_parameter,
                "a latch cannot count down from " + std::to_string(count) +
                    ": give make_latch the number of arrivals, 0 or more");
  }
  return make_remote<weft::latch>(where, count)
      .then(launch::sync, [](future<remote<weft::latch>> made) { return latch(made.get()); });
}

}  // namespace weft::distributed

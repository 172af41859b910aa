// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs written for HPX as jobs of several localities.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <hpx/compat/collectives.hpp>
#include <hpx/runtime.hpp>

#include "weft/distributed/collectives.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/runtime.hpp"

#include "compat/job.hpp"

namespace hpx::compat {

namespace {

std::unique_ptr<weft::distributed::runtime>& joined() {
  static std::unique_ptr<weft::distributed::runtime> instance;
  return instance;
}

}  // namespace

bool join_localities() noexcept {
  this_job = {
      .join = [] { joined() = std::make_unique<weft::distributed::runtime>(); },
      .meet = [] { weft::distributed::quiescence().get(); },
      .leave = [] { joined().reset(); },
      .id =
          []() noexcept {
            return static_cast<std::uint32_t>(joined() ? weft::distributed::here().rank() : 0);
          },
      .size =
          []() noexcept {
            return static_cast<std::uint32_t>(joined() ? weft::distributed::num_localities() : 1);
          }};
  return true;
}

std::size_t next_generation(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::size_t> num_started;
  const std::scoped_lock guard(mutex);
  return num_started[name]++;
}

}  // namespace hpx::compat

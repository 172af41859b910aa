// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own MPI requests, which the default runtime polls.
#pragma once

#include <memory>

namespace weft::distributed::detail {

class mpi_requests;

/// Takes requests of the program while it lives. One at a time exists, while MPI is initialised.
class polled_requests {
 public:
  polled_requests();
  polled_requests(const polled_requests&) = delete;
  polled_requests& operator=(const polled_requests&) = delete;
  /// The futures of requests that are not complete fail.
  ~polled_requests();

 private:
  std::unique_ptr<mpi_requests> requests_;
};

}  // namespace weft::distributed::detail

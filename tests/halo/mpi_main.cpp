// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs GoogleTest on all ranks: rank 0 tells of all tests, others of what failed there.
#include <cstdio>

#include <gtest/gtest.h>
#include <mpi.h>

#include "tests/support/selected_file.hpp"

namespace {

class failures_only final : public testing::EmptyTestEventListener {
 public:
  explicit failures_only(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      std::fprintf(stderr,
                   "rank %d: %s:%d: %s\n",
                   rank_,
                   result.file_name() == nullptr ? "?" : result.file_name(),
                   result.line_number(),
                   result.message());
    }
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  testing::InitGoogleTest(&argc, argv);
  weft::test::select_file(argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new failures_only(rank));
  }
  const int failed = RUN_ALL_TESTS();
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_failed;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked calls of MPI, and collective steps that several problems use.
#include "lab/mpi/world.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace weft::lab::mpi {

namespace {

std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    return "error " + std::to_string(code);
  }
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

void check(int code, std::string_view call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  throw mpi_error(std::string(call) + " failed on rank " + std::to_string(rank) + ": " +
                  error_text(code));
}

world::world(int* argc, char*** argv, int level) {
  int provided = 0;
  check(MPI_Init_thread(argc, argv, level, &provided), "MPI_Init_thread");
  if (provided < level) {
    throw mpi_error("MPI_Init_thread gives a lower level of threads than the program asks for");
  }
  check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

world::~world() {
  MPI_Comm_free(&comm_);
  MPI_Finalize();
}

void world::barrier() const { check(MPI_Barrier(comm_), "MPI_Barrier"); }

long long world::agree(long long value) const {
  check(MPI_Bcast(&value, 1, MPI_LONG_LONG, 0, comm_), "MPI_Bcast");
  return value;
}

bool world::all(bool mine) const {
  const int own = mine ? 1 : 0;
  int every = 0;
  check(MPI_Allreduce(&own, &every, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  return every == 1;
}

std::vector<double> world::max_of(const std::vector<double>& mine) const {
  std::vector<double> every(mine.size());
  check(MPI_Allreduce(
            mine.data(), every.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, comm_),
        "MPI_Allreduce");
  return every;
}

std::vector<double> world::gather(double mine) const {
  std::vector<double> every(is_root() ? static_cast<std::size_t>(size_) : 0);
  check(MPI_Gather(&mine, 1, MPI_DOUBLE, every.data(), 1, MPI_DOUBLE, 0, comm_), "MPI_Gather");
  return every;
}

std::vector<std::string> world::gather(const std::string& mine) const {
  const int own = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_));
  check(MPI_Gather(&own, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm_), "MPI_Gather");
  std::vector<int> offsets(lengths.size());
  for (std::size_t rank = 1; rank < lengths.size(); ++rank) {
    offsets[rank] = offsets[rank - 1] + lengths[rank - 1];
  }
  std::string joined(is_root() ? static_cast<std::size_t>(offsets.back()) +
                                     static_cast<std::size_t>(lengths.back())
                               : 0,
                     ' ');
  check(MPI_Gatherv(mine.data(),
                    own,
                    MPI_CHAR,
                    joined.data(),
                    lengths.data(),
                    offsets.data(),
                    MPI_CHAR,
                    0,
                    comm_),
        "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t rank = 0; is_root() && rank < lengths.size(); ++rank) {
    texts.push_back(joined.substr(static_cast<std::size_t>(offsets[rank]),
                                  static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  // Some MPIs count the terminating zero as part of the text.
  constexpr std::string_view ends("\n\0", 2);
  return whole.substr(0, whole.find_first_of(ends));
}

}  // namespace weft::lab::mpi

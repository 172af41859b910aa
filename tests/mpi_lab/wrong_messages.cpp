// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked into the MPI bench program: every message arrives with one bit changed, which it must see;
// where WEFT_WRONG says scatter or gather, only what is moved that way.
#include <cstdlib>
#include <string_view>

#include <mpi.h>

namespace {

/// Where the last non-blocking or persistent receive puts its message; the former only once.
char* awaited = nullptr;
bool is_awaited_again = false;

/// Whether what is moved this way arrives changed.
bool changes(std::string_view way) {
  const char* const only = std::getenv("WEFT_WRONG");  // NOLINT(concurrency-mt-unsafe): one thread
  return only == nullptr || way == only;
}

/// The second byte from the end of the first element: of a number, one that rounding does not hide.
char* byte_of(void* buffer, int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if (buffer == nullptr || count < 1 || size < 1) {
    return nullptr;
  }
  return static_cast<char*>(buffer) + (size > 1 ? size - 2 : 0);
}

void change(char* byte) {
  if (byte != nullptr) {
    *byte = static_cast<char>(*byte ^ 0x10);
  }
}

}  // namespace

// MPI's profiling interface: the program's definition comes before the library's.
// NOLINTBEGIN(readability-function-size): the parameters are MPI's
extern "C" {
int MPI_Recv(
    void* in, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Recv(in, count, type, from, tag, comm, status);
  change(byte_of(in, count, type));
  return code;
}
int MPI_Sendrecv(const void* out,
                 int num_out,
                 MPI_Datatype type_out,
                 int to,
                 int tag_out,
                 void* in,
                 int num_in,
                 MPI_Datatype type_in,
                 int from,
                 int tag_in,
                 MPI_Comm comm,
                 MPI_Status* status) {
  const int code = PMPI_Sendrecv(
      out, num_out, type_out, to, tag_out, in, num_in, type_in, from, tag_in, comm, status);
  change(byte_of(in, num_in, type_in));
  return code;
}
int MPI_Irecv(void* in,
              int count,
              MPI_Datatype type,
              int from,
              int tag,
              MPI_Comm comm,
              MPI_Request* request) {
  awaited = byte_of(in, count, type);
  is_awaited_again = false;
  return PMPI_Irecv(in, count, type, from, tag, comm, request);
}
int MPI_Recv_init(void* in,
                  int count,
                  MPI_Datatype type,
                  int from,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request* request) {
  awaited = byte_of(in, count, type);
  is_awaited_again = true;
  return PMPI_Recv_init(in, count, type, from, tag, comm, request);
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const int code = PMPI_Waitall(count, requests, statuses);
  change(awaited);
  if (!is_awaited_again) {
    awaited = nullptr;
  }
  return code;
}
int MPI_Neighbor_alltoall(const void* out,
                          int num_out,
                          MPI_Datatype type_out,
                          void* in,
                          int num_in,
                          MPI_Datatype type_in,
                          MPI_Comm comm) {
  const int code = PMPI_Neighbor_alltoall(out, num_out, type_out, in, num_in, type_in, comm);
  change(byte_of(in, num_in, type_in));
  return code;
}
int MPI_Scatterv(const void* out,
                 const int* counts,
                 const int* offsets,
                 MPI_Datatype type_out,
                 void* in,
                 int num_in,
                 MPI_Datatype type_in,
                 int root,
                 MPI_Comm comm) {
  const int code = PMPI_Scatterv(out, counts, offsets, type_out, in, num_in, type_in, root, comm);
  if (changes("scatter")) {
    change(byte_of(in, num_in, type_in));
  }
  return code;
}
int MPI_Gatherv(const void* out,
                int num_out,
                MPI_Datatype type_out,
                void* in,
                const int* counts,
                const int* offsets,
                MPI_Datatype type_in,
                int root,
                MPI_Comm comm) {
  // Texts about ranks are gathered, too, and stay as they are.
  const int code = PMPI_Gatherv(out, num_out, type_out, in, counts, offsets, type_in, root, comm);
  if (type_in == MPI_DOUBLE && in != nullptr && changes("gather")) {
    change(byte_of(in, counts[0], type_in));
  }
  return code;
}
int MPI_Alltoallw(const void* out,
                  const int* num_out,
                  const int* offsets_out,
                  const MPI_Datatype* types_out,
                  void* in,
                  const int* num_in,
                  const int* offsets_in,
                  const MPI_Datatype* types_in,
                  MPI_Comm comm) {
  const int code =
      PMPI_Alltoallw(out, num_out, offsets_out, types_out, in, num_in, offsets_in, types_in, comm);
  // What comes as numbers is a part; what comes as a box of the whole is gathered.
  if (changes(types_in[0] == MPI_DOUBLE ? "scatter" : "gather")) {
    change(byte_of(in, num_in[0], MPI_DOUBLE));
  }
  return code;
}
}
// NOLINTEND(readability-function-size)

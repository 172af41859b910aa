// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages that travel once around a ring of ranks in both directions; each rank changes them.
#include <array>
#include <string>
#include <string_view>

#include <mpi.h>

#include "lab/mpi/options.hpp"
#include "lab/mpi/problems.hpp"
#include "lab/mpi/record.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

constexpr int tag_step = 10;
constexpr int no_tag = -1;

/// A message: its sender's tag, the sum added to it, and its direction.
struct message {
  int value = 0;
  int tag = 0;
  int goes_left = 0;
};

struct ring {
  MPI_Comm comm;
  int rank;
  int size;
  int left;
  int right;
};

struct outcome {
  message leftgoing;
  message rightgoing;
  int received = 0;  // with the expected tag
};

/// One step of all ranks: sends both messages to the next ranks and receives two.
class stepper {
 public:
  stepper(const ring& in, std::string_view how) : ring_(in), how_(how) {
    if (how_ == "persistent") {
      init();
    }
  }
  stepper(const stepper&) = delete;
  stepper& operator=(const stepper&) = delete;
  ~stepper() {
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) {
        MPI_Request_free(&request);
      }
    }
  }

  void step(message& leftgoing, message& rightgoing) {
    if (how_ == "sendrecv") {
      sendrecv(leftgoing, ring_.left, ring_.right);
      sendrecv(rightgoing, ring_.right, ring_.left);
    } else if (how_ == "isend") {
      isend(leftgoing, rightgoing);
    } else {
      out_ = {leftgoing, rightgoing};
      in_.fill({.tag = no_tag});
      exchange_payloads();
      // With two ranks, both neighbours are the same rank, and the library decides which message is
      // first.
      const bool is_in_order = in_[0].goes_left != 0;
      leftgoing = in_[is_in_order ? 0 : 1];
      rightgoing = in_[is_in_order ? 1 : 0];
    }
  }

 private:
  static constexpr int ints = 3;

  void init() {
    const MPI_Comm comm = ring_.comm;
    check(MPI_Recv_init(&in_[0], ints, MPI_INT, ring_.right, 0, comm, &requests_[0]),
          "MPI_Recv_init");
    check(MPI_Recv_init(&in_[1], ints, MPI_INT, ring_.left, 1, comm, &requests_[1]),
          "MPI_Recv_init");
    check(MPI_Send_init(&out_[0], ints, MPI_INT, ring_.left, 0, comm, &requests_[2]),
          "MPI_Send_init");
    check(MPI_Send_init(&out_[1], ints, MPI_INT, ring_.right, 1, comm, &requests_[3]),
          "MPI_Send_init");
  }

  void exchange_payloads() {
    if (how_ == "persistent") {
      check(MPI_Startall(4, requests_.data()), "MPI_Startall");
      check(MPI_Waitall(4, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    } else {
      check(
          MPI_Neighbor_alltoall(out_.data(), ints, MPI_INT, in_.data(), ints, MPI_INT, ring_.comm),
          "MPI_Neighbor_alltoall");
    }
  }

  void sendrecv(message& what, int to, int from) const {
    int came = 0;
    MPI_Status status;
    check(MPI_Sendrecv(&what.value,
                       1,
                       MPI_INT,
                       to,
                       what.tag,
                       &came,
                       1,
                       MPI_INT,
                       from,
                       MPI_ANY_TAG,
                       ring_.comm,
                       &status),
          "MPI_Sendrecv");
    what.value = came;
    what.tag = status.MPI_TAG;
  }

  void isend(message& leftgoing, message& rightgoing) const {
    std::array<int, 2> came{};
    std::array<MPI_Request, 4> requests{};
    std::array<MPI_Status, 4> statuses{};
    const MPI_Comm comm = ring_.comm;
    check(MPI_Irecv(&came[0], 1, MPI_INT, ring_.right, MPI_ANY_TAG, comm, &requests[0]),
          "MPI_Irecv");
    check(MPI_Irecv(&came[1], 1, MPI_INT, ring_.left, MPI_ANY_TAG, comm, &requests[1]),
          "MPI_Irecv");
    check(MPI_Isend(&leftgoing.value, 1, MPI_INT, ring_.left, leftgoing.tag, comm, &requests[2]),
          "MPI_Isend");
    check(MPI_Isend(&rightgoing.value, 1, MPI_INT, ring_.right, rightgoing.tag, comm, &requests[3]),
          "MPI_Isend");
    check(MPI_Waitall(4, requests.data(), statuses.data()), "MPI_Waitall");
    leftgoing.value = came[0];
    leftgoing.tag = statuses[0].MPI_TAG;
    rightgoing.value = came[1];
    rightgoing.tag = statuses[1].MPI_TAG;
  }

  const ring& ring_;
  std::string_view how_;
  std::array<message, 2> out_{};
  std::array<message, 2> in_{};
  std::array<MPI_Request, 4> requests_{
      MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

outcome cycle(const ring& in, stepper& with) {
  outcome end{{in.rank, tag_step * in.rank, 1}, {-in.rank, tag_step * in.rank, 0}};
  for (int step = 0; step < in.size; ++step) {
    if (step != 0) {
      end.leftgoing.value += in.rank;
      end.rightgoing.value -= in.rank;
    }
    with.step(end.leftgoing, end.rightgoing);
    // The tag identifies the first sender.
    const int of_leftgoing = tag_step * ((in.rank + step + 1) % in.size);
    const int of_rightgoing = tag_step * ((in.rank - step - 1 + in.size) % in.size);
    end.received += end.leftgoing.tag == of_leftgoing ? 1 : 0;
    end.received += end.rightgoing.tag == of_rightgoing ? 1 : 0;
  }
  return end;
}

/// Checks the report's final state: own tags, every rank added once, two messages per step.
void verify(const ring& in, const outcome& end, const world& ranks) {
  const int sum = in.size * (in.size - 1) / 2;
  const int tag = tag_step * in.rank;
  const bool is_right = end.leftgoing.value == sum && end.rightgoing.value == -sum &&
                        end.leftgoing.tag == tag && end.rightgoing.tag == tag &&
                        end.received == 2 * in.size;
  if (!ranks.all(is_right)) {
    throw wrong_answer("a message came home changed otherwise than by " + std::to_string(sum) +
                       ", or with another's tag");
  }
}

MPI_Comm communicator(const world& ranks, bool is_cartesian) {
  if (!is_cartesian) {
    return ranks.comm();
  }
  const int size = ranks.size();
  const int is_periodic = 1;
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Cart_create(ranks.comm(), 1, &size, &is_periodic, 0, &comm), "MPI_Cart_create");
  check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return comm;
}

}  // namespace

void run_ring(const setting& with) {
  static constexpr std::array<std::string_view, 4> impls{
      "sendrecv", "isend", "persistent", "neighbor"};
  static constexpr std::array<std::string_view, 2> topologies{"world", "cart"};
  const world& ranks = with.ranks;
  const std::string impl = with.given.word("impl", impls);
  const bool is_cart = with.given.word("topology", topologies) == "cart" || impl == "neighbor";
  const sampling how = with.given.samples();
  with.given.refuse_rest();
  const int size = ranks.size();
  const ring in{communicator(ranks, is_cart),
                ranks.rank(),
                size,
                (ranks.rank() + size - 1) % size,
                (ranks.rank() + 1) % size};
  {
    stepper steps(in, impl);
    verify(in, cycle(in, steps), ranks);
    outcome last;
    const timed times = sample(ranks, how, [&] { last = cycle(in, steps); });
    verify(in, last, ranks);
    say_result(ranks,
               {{"problem", "ring"},
                {"params", {{"impl", impl}, {"topology", is_cart ? "cart" : "world"}}},
                {"final",
                 {{"messages_received", last.received},
                  {"tag", last.leftgoing.tag},
                  {"values", {last.rightgoing.value, last.leftgoing.value}}}}},
               times,
               with.is_functional);
  }
  if (in.comm != ranks.comm()) {
    MPI_Comm comm = in.comm;
    MPI_Comm_free(&comm);
  }
}

}  // namespace weft::lab::mpi

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rate of posts of 8 bytes, and the bandwidth of a `vector<double>` argument, beside windows of
// MPI_Isend.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "weft/distributed.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

namespace wd = weft::distributed;
constexpr int tag = 11;
constexpr std::size_t messages_at_once = 64;    // of small messages by MPI
constexpr std::size_t bytes_at_once = 4 << 20;  // of large messages
constexpr std::size_t most_at_once = 16;

// Posts that this rank received: how many, their sum, and how many are expected.
std::atomic<long> num_posts{0};
std::atomic<long> sum_of_posts{0};
std::atomic<long> num_expected{0};
// On rank 0: the sum that the last post reports.
promise<long> all_arrived;

void report(long sum) { all_arrived.set_value(sum); }

void take_post(long number) {
  sum_of_posts.fetch_add(number);
  if (num_posts.fetch_add(1) + 1 == num_expected.load()) {
    wd::post<&report>(wd::locality(0), sum_of_posts.load());
  }
}

void expect_posts(long count) {
  num_posts.store(0);
  sum_of_posts.store(0);
  num_expected.store(count);
}

constexpr long sum_below(long count) { return count * (count - 1) / 2; }

bool post_all(const setting& with, std::size_t calls) {
  const wd::locality there(last_rank(with));
  const auto count = static_cast<long>(calls);
  all_arrived = {};
  future<long> sum = all_arrived.get_future();
  wd::async<&expect_posts>(there, count).get();
  for (long n = 0; n < count; ++n) {
    wd::post<&take_post>(there, n);
  }
  return sum.get() == sum_below(count);
}

/// Sends windows of messages, and waits for an answer to each window.
bool send_windows(const setting& with, std::size_t calls) {
  const MPI_Comm comm = with.ranks.comm();
  std::vector<long> numbers(messages_at_once);
  std::vector<MPI_Request> requests(messages_at_once, MPI_REQUEST_NULL);
  long sum = 0;
  for (std::size_t sent = 0; sent < calls; sent += messages_at_once) {
    const std::size_t count = std::min(messages_at_once, calls - sent);
    if (with.ranks.is_root()) {
      for (std::size_t n = 0; n < count; ++n) {
        numbers[n] = static_cast<long>(sent + n);
        MPI_Isend(&numbers[n], 1, MPI_LONG, last_rank(with), tag, comm, &requests[n]);
      }
      MPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE);
      MPI_Recv(&sum, 1, MPI_LONG, last_rank(with), tag, comm, MPI_STATUS_IGNORE);
    } else if (with.ranks.rank() == last_rank(with)) {
      for (std::size_t n = 0; n < count; ++n) {
        MPI_Irecv(&numbers[n], 1, MPI_LONG, 0, tag, comm, &requests[n]);
      }
      MPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE);
      for (std::size_t n = 0; n < count; ++n) {
        sum += numbers[n];
      }
      MPI_Send(&sum, 1, MPI_LONG, 0, tag, comm);
    }
  }
  return !with.ranks.is_root() || sum == sum_below(static_cast<long>(calls));
}

/// The vectors of one size.
struct load {
  std::size_t count = 1;    // doubles
  std::size_t at_once = 1;  // vectors that are under way at the same time
  [[nodiscard]] static load of(long long size_bytes) {
    const auto size = static_cast<std::size_t>(size_bytes);
    return {.count = size / sizeof(double),
            .at_once = std::clamp<std::size_t>(bytes_at_once / size, 2, most_at_once)};
  }
  [[nodiscard]] std::vector<double> make(std::size_t number) const {
    return std::vector<double>(count, static_cast<double>(number));
  }
  /// The answer that the receiver of vector `number` computes.
  [[nodiscard]] double expected(std::size_t number) const {
    return static_cast<double>(2 * number + count);
  }
};

double summary_of(const double* data, std::size_t count) {
  return data[0] + data[count - 1] + static_cast<double>(count);
}
double summarised(const std::vector<double>& all) { return summary_of(all.data(), all.size()); }

bool call_with_vectors(const setting& with, const load& what, std::size_t calls) {
  const wd::locality there(last_rank(with));
  std::vector<future<double>> answers(what.at_once);
  bool is_right = true;
  for (std::size_t sent = 0; sent < calls; sent += what.at_once) {
    const std::size_t count = std::min(what.at_once, calls - sent);
    for (std::size_t n = 0; n < count; ++n) {
      answers[n] = wd::async<&summarised>(there, what.make(sent + n));
    }
    for (std::size_t n = 0; n < count; ++n) {
      is_right = answers[n].get() == what.expected(sent + n) && is_right;
    }
  }
  return is_right;
}

/// Sends the answers of the last rank to the root.
void return_answers(const setting& with, std::span<double> answers) {
  const MPI_Comm comm = with.ranks.comm();
  const auto num = static_cast<int>(answers.size());
  if (with.ranks.is_root()) {
    MPI_Recv(answers.data(), num, MPI_DOUBLE, last_rank(with), tag, comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(answers.data(), num, MPI_DOUBLE, 0, tag, comm);
  }
}

/// `are_fresh`: every message has memory of its own, as an argument that a call takes over.
bool send_vectors(const setting& with, const load& what, std::size_t calls, bool are_fresh) {
  const MPI_Comm comm = with.ranks.comm();
  const bool is_root = with.ranks.is_root();
  if (!is_root && with.ranks.rank() != last_rank(with)) {
    return true;
  }
  std::vector<std::vector<double>> sent_now(what.at_once);
  std::vector<std::unique_ptr<double[]>> received(what.at_once);
  std::vector<double> answers(what.at_once);
  std::vector<MPI_Request> requests(what.at_once, MPI_REQUEST_NULL);
  const auto size = static_cast<int>(what.count);
  bool is_right = true;
  for (std::size_t sent = 0; sent < calls; sent += what.at_once) {
    const std::size_t count = std::min(what.at_once, calls - sent);
    const auto num = static_cast<int>(count);
    const bool is_new = are_fresh || sent == 0;
    const auto send = [&](std::size_t n) {
      if (is_new) {
        sent_now[n] = what.make(sent + n);
      }
      sent_now[n].front() = sent_now[n].back() = static_cast<double>(sent + n);
      MPI_Isend(sent_now[n].data(), size, MPI_DOUBLE, last_rank(with), tag, comm, &requests[n]);
    };
    const auto receive = [&](std::size_t n) {
      if (is_new) {
        received[n] = std::make_unique_for_overwrite<double[]>(what.count);
      }
      MPI_Irecv(received[n].get(), size, MPI_DOUBLE, 0, tag, comm, &requests[n]);
    };
    for (std::size_t n = 0; n < count; ++n) {
      is_root ? send(n) : receive(n);
    }
    MPI_Waitall(num, requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t n = 0; n < count && !is_root; ++n) {
      answers[n] = summary_of(received[n].get(), what.count);
    }
    return_answers(with, std::span(answers).first(count));
    for (std::size_t n = 0; n < count; ++n) {
      is_right = (!is_root || answers[n] == what.expected(sent + n)) && is_right;
      if (are_fresh) {
        sent_now[n] = {};
        received[n] = nullptr;
      }
    }
  }
  return is_right;
}

}  // namespace

std::vector<cell> post_rate_cells(const setting& with) {
  const auto from_thread = [&with](std::size_t calls) { return post_all(with, calls); };
  return {{.name = "post_rate",
           .params = {{"size_bytes", sizeof(long)}},
           .contestants = {{"mpi",
                            false,
                            [&with](std::size_t calls) {
                              return timed_by_mpi(with, calls, [&with](std::size_t n) {
                                return send_windows(with, n);
                              });
                            }},
                           {"weft_task",
                            true,
                            [&with, from_thread](std::size_t calls) {
                              return timed_by_root(with, calls, in_task(from_thread));
                            }},
                           {"weft_thread", true, [&with, from_thread](std::size_t calls) {
                              return timed_by_root(with, calls, from_thread);
                            }}}}};
}

std::vector<cell> bandwidth_cells(const setting& with) {
  std::vector<cell> all;
  for (const long long size : with.sizes_bytes) {
    const load what = load::of(size);
    const auto by_mpi = [&with, what](bool are_fresh) {
      return [&with, what, are_fresh](std::size_t calls) {
        return timed_by_mpi(
            with, calls, [&](std::size_t n) { return send_vectors(with, what, n, are_fresh); });
      };
    };
    const auto by_weft = [&with, what](std::size_t calls) {
      return timed_by_root(with, calls, in_task([&with, what](std::size_t n) {
                             return call_with_vectors(with, what, n);
                           }));
    };
    all.push_back(
        {.name = "bandwidth",
         .params = {{"size_bytes", what.count * sizeof(double)}, {"at_once", what.at_once}},
         .contestants = {{"mpi", false, by_mpi(false)},
                         {"mpi_fresh_memory", false, by_mpi(true)},
                         {"weft_task", true, by_weft}}});
  }
  return all;
}

}  // namespace weft::lab::calls

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between pairs of ranks: round trips, both directions at once, many pairs, and their
// costs.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <nlohmann/json.hpp>

#include "lab/mpi/options.hpp"
#include "lab/mpi/placement.hpp"
#include "lab/mpi/problems.hpp"
#include "lab/mpi/record.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

using nlohmann::json;

// Larger than any last-level cache's share, so that cold buffers are not in a cache.
constexpr std::size_t cold_bytes = std::size_t{128} << 20;
constexpr int tag = 7;
constexpr int burst = 64;

/// Buffers of one size. There are many cold ones, used in rotation, so that none is in a cache when
/// it is used.
class buffers {
 public:
  buffers(std::size_t size, bool is_cold)
      : size_(std::max(size, std::size_t{1})),
        stride_((size_ + 63) / 64 * 64),
        num_(is_cold ? std::max(std::size_t{2}, cold_bytes / stride_) : 1),
        out_(num_ * stride_),
        in_(num_ * stride_) {}

  /// Touches all memory, and writes the values to check into the first buffer.
  void fill(int rank) {
    std::ranges::fill(out_, static_cast<char>(rank));
    std::ranges::fill(in_, static_cast<char>(0x5A));
    for (std::size_t index = 0; index < size_; ++index) {
      out_[index] = pattern(index, rank);
    }
  }
  /// Whether the last receive buffer contains the bytes that `rank` sends.
  [[nodiscard]] bool holds(int rank, std::size_t size) const {
    const char* const got = in_.data() + stride_ * ((next_ + num_ - 1) % num_);
    for (std::size_t index = 0; index < size; ++index) {
      if (got[index] != pattern(index, rank)) {
        return false;
      }
    }
    return true;
  }
  void advance() { next_ = next_ + 1 == num_ ? 0 : next_ + 1; }
  [[nodiscard]] char* out() { return out_.data() + stride_ * next_; }
  [[nodiscard]] char* in() { return in_.data() + stride_ * next_; }

 private:
  static char pattern(std::size_t index, int rank) {
    return static_cast<char>((index * 31 + static_cast<std::size_t>(rank) * 17 + index / 251) %
                             251);
  }

  std::size_t size_, stride_, num_, next_ = 0;
  std::vector<char> out_, in_;
};

struct pairing {
  int partner = -1;  // -1: this rank only waits
  bool is_first = false;
  int source = MPI_ANY_SOURCE;  // the rank that messages are received from
};

/// The ranks whose messages are timed: two ranks, or each rank of the first half with one of the
/// second.
struct ends {
  int first = 0;
  int last = 0;
  bool are_many = false;
};

pairing partner_of(const world& ranks, const ends& of) {
  const int half = ranks.size() / 2;
  if (of.are_many && ranks.rank() < 2 * half) {
    const bool is_first = ranks.rank() < half;
    return {is_first ? ranks.rank() + half : ranks.rank() - half, is_first};
  }
  if (!of.are_many && ranks.rank() == of.first) {
    return {of.last, true};
  }
  return {!of.are_many && ranks.rank() == of.last ? of.first : -1, false};
}

void send(const world& ranks, const pairing& with, buffers& data, int size) {
  check(MPI_Send(data.out(), size, MPI_CHAR, with.partner, tag, ranks.comm()), "MPI_Send");
}

void receive(const world& ranks, const pairing& with, buffers& data, int size) {
  check(MPI_Recv(data.in(), size, MPI_CHAR, with.source, tag, ranks.comm(), MPI_STATUS_IGNORE),
        "MPI_Recv");
}

void there_and_back(const world& ranks, const pairing& with, buffers& data, int size) {
  if (with.is_first) {
    send(ranks, with, data, size);
    receive(ranks, with, data, size);
  } else {
    receive(ranks, with, data, size);
    send(ranks, with, data, size);
  }
}

void both_at_once(
    const world& ranks, const pairing& with, buffers& data, int size, bool is_pinged) {
  if (!is_pinged) {
    check(MPI_Sendrecv(data.out(),
                       size,
                       MPI_CHAR,
                       with.partner,
                       tag,
                       data.in(),
                       size,
                       MPI_CHAR,
                       with.source,
                       tag,
                       ranks.comm(),
                       MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(data.out(), size, MPI_CHAR, with.partner, tag, ranks.comm(), &request),
        "MPI_Isend");
  receive(ranks, with, data, size);
  check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

void wait_s(double seconds) {
  const double end_s = now_s() + seconds;
  while (now_s() < end_s) {
  }
}

/// The cost of a message inside its calls, for one rank; the ranks change roles half-way.
struct overheads {
  std::vector<double> send_s, receive_s, gap_s;
};

overheads measure_overheads(const world& ranks,
                            const pairing& with,
                            buffers& data,
                            int size,
                            double trip_s,
                            std::size_t rounds) {
  overheads found;
  for (std::size_t round = 0; with.partner >= 0 && round < rounds; ++round) {
    if (with.is_first) {
      double begin_s = now_s();
      send(ranks, with, data, size);
      found.send_s.push_back(now_s() - begin_s);
      wait_s(4.0 * trip_s);  // so that the answer has arrived before it is received
      begin_s = now_s();
      receive(ranks, with, data, size);
      found.receive_s.push_back(now_s() - begin_s);
      begin_s = now_s();
      for (int message = 0; message < burst; ++message) {
        send(ranks, with, data, size);
      }
      receive(ranks, with, data, 0);
      found.gap_s.push_back((now_s() - begin_s) / burst);
    } else {
      receive(ranks, with, data, size);
      send(ranks, with, data, size);
      for (int message = 0; message < burst; ++message) {
        receive(ranks, with, data, size);
      }
      send(ranks, with, data, 0);
    }
  }
  return found;
}

struct request {
  std::string mode;
  bool is_cold;
  bool from_any;
  std::vector<long long> sizes;
  // of a sample with a fixed number of calls; large messages get fewer calls
  long long sample_bytes;
};

request read(const setting& with) {
  static constexpr std::array<std::string_view, 7> modes{
      "pingpong", "pingping", "exchange", "multipair", "loggp", "pairs", "placements"};
  static constexpr std::array<std::string_view, 2> caches{"hot", "cold"};
  static constexpr std::array<std::string_view, 2> sources{"partner", "any"};
  request what;
  what.mode = with.given.word("mode", modes);
  what.is_cold = with.given.word("cache", caches) == "cold";
  what.from_any = with.given.word("source", sources) == "any";
  what.sizes = with.given.numbers("sizes", {1, 1024, 1 << 20}, 0);
  what.sample_bytes =
      with.given.number("bytes-per-sample", std::numeric_limits<long long>::max(), 1);
  for (const long long size : what.sizes) {
    if (size > std::numeric_limits<int>::max()) {
      throw bad_request("a message of " + std::to_string(size) +
                        " bytes is more than MPI-3.1's counts hold; choose one below 2^31");
    }
  }
  if (with.ranks.size() < 2) {
    throw bad_request(
        "a message needs two ranks and there is one; start with -n 2. If you did, the "
        "launcher and the library are not of one MPI, and each rank is a world alone");
  }
  return what;
}

/// Returns how many messages of a size a sample may have.
std::size_t calls_max(const request& what, int size) {
  return static_cast<std::size_t>(std::max(what.sample_bytes / std::max(size, 1), 1LL));
}

/// Returns the pairs to measure one after the other: all pairs, the first pair of each class, or
/// the first and the last of all ranks.
std::vector<ends> pairs_of(const setting& with, const request& what) {
  const int num_ranks = with.ranks.size();
  if (what.mode != "pairs" && what.mode != "placements") {
    const bool are_many = what.mode == "multipair";
    return {{0, are_many ? num_ranks / 2 : num_ranks - 1, are_many}};
  }
  std::vector<ends> pairs;
  std::set<std::string> known;
  for (int first = 0; first < num_ranks; ++first) {
    for (int last = first + 1; last < num_ranks; ++last) {
      const std::string own = pair_class(with.places[static_cast<std::size_t>(first)],
                                         with.places[static_cast<std::size_t>(last)]);
      if (what.mode == "pairs" || known.insert(own).second) {
        pairs.push_back({first, last, false});
      }
    }
  }
  return pairs;
}

json described(const setting& with, const request& what, int size, const ends& of) {
  const place& first = with.places[static_cast<std::size_t>(of.first)];
  const place& last = with.places[static_cast<std::size_t>(of.last)];
  return {{"problem", "pingpong"},
          {"params",
           {{"mode", what.mode},
            {"size_bytes", size},
            {"cache", what.is_cold ? "cold" : "hot"},
            {"source", what.from_any ? "any" : "partner"},
            {"num_pairs", of.are_many ? with.ranks.size() / 2 : 1}}},
          {"pair_ranks", {of.first, of.last}},
          {"pair", pair_class(first, last)}};
}

void run_size(
    const setting& with, const request& what, const sampling& how, int size, const ends& of) {
  const world& ranks = with.ranks;
  pairing pair = partner_of(ranks, of);
  pair.source = what.from_any ? MPI_ANY_SOURCE : pair.partner;
  buffers data(static_cast<std::size_t>(size), what.is_cold);
  data.fill(ranks.rank());
  const bool is_trip = what.mode != "pingping" && what.mode != "exchange";
  const auto once = [&] {
    if (pair.partner < 0) {
      return;
    }
    if (is_trip) {
      there_and_back(ranks, pair, data, size);
    } else {
      both_at_once(ranks, pair, data, size, what.mode == "pingping");
    }
    data.advance();
  };
  once();
  const bool is_right =
      pair.partner < 0 || data.holds(pair.partner, static_cast<std::size_t>(size));
  if (!ranks.all(is_right)) {
    throw wrong_answer("a message of " + std::to_string(size) + " bytes arrived changed");
  }
  sampling loop = how;
  loop.calls = std::min(how.calls, calls_max(what, size));
  timed times = sample(ranks, loop, once);
  if (is_trip) {
    for (std::vector<double>* const each : {&times.samples_s, &times.own_s}) {
      std::ranges::transform(*each, each->begin(), [](double trip_s) { return 0.5 * trip_s; });
    }
  }
  json line = described(with, what, size, of);
  if (what.mode == "loggp") {
    const double trip_s = 2.0 * ranks.max_of({median(times.samples_s)})[0];
    const overheads found = measure_overheads(ranks, pair, data, size, trip_s, how.min_samples * 4);
    if (ranks.is_root()) {
      line["send_s"] = median(found.send_s);
      line["receive_s"] = median(found.receive_s);
      line["gap_s"] = median(found.gap_s);
    }
  }
  say_result(ranks, line, times, with.is_functional);
}

}  // namespace

void run_pingpong(const setting& with) {
  const request what = read(with);
  const sampling how = with.given.samples();
  with.given.refuse_rest();
  const std::vector<ends> pairs = pairs_of(with, what);
  for (const ends& of : pairs) {
    for (const long long size : what.sizes) {
      run_size(with, what, how, static_cast<int>(size), of);
    }
  }
}

}  // namespace weft::lab::mpi

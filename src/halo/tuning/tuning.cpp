// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First times every candidate a few times. Then times the best three alternately, so that
// disturbances of the machine affect all of them alike.
#include "halo/tuning/tuning.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/detail/engine.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/tuning.hpp"

#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/tuning/tuning_file.hpp"

namespace weft::halo::detail {
namespace {

using clock = std::chrono::steady_clock;

constexpr int num_first_samples = 3;
constexpr std::size_t num_finalists = 3;
// a sample has enough exchanges to last this long, so that the clock's resolution does not matter
constexpr double sample_s = 200e-6;
constexpr double most_per_sample = 100;
// smaller differences do not count: the earlier candidate is chosen
constexpr double margin = 0.02;

/// Whether MPI_Pack cannot count the bytes.
bool is_too_large_for_mpi_pack(const tuned_exchange& about) {
  double bytes = 0;
  for (const shape& field : about.fields) {
    double all = static_cast<double>(field.element_bytes);
    double inner = all;
    for (std::size_t d = 0; d < field.num_dims; ++d) {
      const axis& along = field.axes[d];
      all *= static_cast<double>(along.minus + along.size() + along.plus);
      inner *= static_cast<double>(along.size());
    }
    bytes += all - inner;
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, about.processes->comm()),
            "MPI_Allreduce");
  return bytes > INT_MAX / 2.0;
}

std::vector<candidate> all_candidates(const tuned_exchange& about) {
  std::vector<packing> packings{packing::loops};
  int most_on_node = about.processes->node_size();
  check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, &most_on_node, 1, MPI_INT, MPI_MIN, about.processes->comm()),
      "MPI_Allreduce");
  // If no messages are sent, `direct` is the same as `loops`.
  if (most_on_node < about.processes->size() || about.options.transport != transport::automatic) {
    packings.push_back(packing::direct);
  }
  packings.push_back(packing::mpi_datatype);
  if (!is_too_large_for_mpi_pack(about)) {
    packings.push_back(packing::mpi_pack);
  }
  std::vector<candidate> all;
  for (const packing how : packings) {
    all.push_back({how, schedule::automatic});
    if (about.options.directions == directions::all) {
      all.push_back({how, schedule::bulk});
      all.push_back({how, schedule::staged});
    }
  }
  return all;
}

/// A candidate that is being timed.
struct contender {
  std::size_t index = 0;
  std::shared_ptr<engine> running = nullptr;
  std::vector<double> samples_s = {};
};

contender made_for(const tuned_exchange& about,
                   const candidate& what,
                   std::size_t index,
                   const std::source_location& where) {
  exchange_options options = about.options;
  options.packing = what.packing;
  options.schedule = what.schedule;
  return {.index = index,
          .running =
              std::make_shared<engine>(about.processes,
                                       options,
                                       std::vector<shape>(about.fields.begin(), about.fields.end()),
                                       false,
                                       where)};
}

/// Returns the seconds of one exchange on this rank.
double time_of(const tuned_exchange& about, engine& running, int num_exchanges) {
  check_mpi(MPI_Barrier(about.processes->comm()), "MPI_Barrier");
  const auto begin = clock::now();
  for (int n = 0; n < num_exchanges; ++n) {
    running.begin(about.pointers);
    running.finish();
  }
  return std::chrono::duration<double>(clock::now() - begin).count() / num_exchanges;
}

/// Replaces each sample by that of the slowest rank: an exchange ends when it has ended everywhere.
void take_slowest(const grid& processes, std::vector<double>& samples_s) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE,
                          samples_s.data(),
                          static_cast<int>(samples_s.size()),
                          MPI_DOUBLE,
                          MPI_MAX,
                          processes.comm()),
            "MPI_Allreduce");
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  if (numbers.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

/// Times every candidate a few times. Returns the fastest ones, ordered by their shortest times.
std::vector<contender> first_round(const tuned_exchange& about,
                                   const std::vector<candidate>& candidates,
                                   std::vector<tuning::timed>& tried,
                                   const std::source_location& where) {
  std::vector<contender> best;
  for (std::size_t n = 0; n < candidates.size(); ++n) {
    contender next = made_for(about, candidates[n], n, where);
    static_cast<void>(time_of(about, *next.running, 1));  // creates messages and finds addresses
    for (int sample = 0; sample < num_first_samples; ++sample) {
      next.samples_s.push_back(time_of(about, *next.running, 1));
    }
    take_slowest(*about.processes, next.samples_s);
    tried.push_back({candidates[n], median(next.samples_s)});
    best.push_back(std::move(next));
    std::ranges::sort(best, {}, [](const contender& each) {
      return std::pair(std::ranges::min(each.samples_s), each.index);
    });
    best.resize(std::min(best.size(), num_finalists));
  }
  return best;
}

void last_round(const tuned_exchange& about, std::vector<contender>& finalists, int num_samples) {
  std::vector<int> num_exchanges;
  for (contender& each : finalists) {
    const double once_s = std::ranges::min(each.samples_s);
    num_exchanges.push_back(
        static_cast<int>(std::clamp(std::ceil(sample_s / once_s), 1.0, most_per_sample)));
    each.samples_s.clear();
  }
  for (int sample = 0; sample < num_samples; ++sample) {
    for (std::size_t n = 0; n < finalists.size(); ++n) {
      finalists[n].samples_s.push_back(time_of(about, *finalists[n].running, num_exchanges[n]));
    }
  }
  for (contender& each : finalists) {
    take_slowest(*about.processes, each.samples_s);
  }
}

tuned time_all(const tuned_exchange& about,
               const tuning_options& how,
               const std::source_location& where) {
  const std::vector<candidate> candidates =
      how.candidates.empty() ? all_candidates(about) : how.candidates;
  tuned made;
  std::vector<contender> finalists = first_round(about, candidates, made.found.tried, where);
  last_round(about, finalists, how.num_samples);
  double least_s = HUGE_VAL;
  for (const contender& each : finalists) {
    made.found.tried[each.index].seconds = median(each.samples_s);
    least_s = std::min(least_s, made.found.tried[each.index].seconds);
  }
  std::ranges::sort(finalists, {}, &contender::index);
  const auto winner = std::ranges::find_if(finalists, [&](const contender& each) {
    return made.found.tried[each.index].seconds <= least_s * (1 + margin);
  });
  made.found.best = candidates[winner->index];
  made.found.seconds = made.found.tried[winner->index].seconds;
  made.fastest = std::move(winner->running);
  return made;
}

/// " loops bulk, direct staged"
std::string listed(const std::vector<candidate>& candidates) {
  std::string text;
  for (const candidate& each : candidates) {
    text += (text.empty() ? " " : ", ") + std::string(to_string(each.packing)) + " " +
            std::string(to_string(each.schedule));
  }
  return text;
}

/// Collective: returns which requested options, here or on other ranks, are invalid.
refusal trouble_with(const tuned_exchange& about, const tuning_options& how) {
  const std::uint64_t hash = hash_of(std::to_string(how.num_samples) +
                                     (how.file.empty() ? "" : " file") + listed(how.candidates));
  std::array<std::uint64_t, 2> most{hash, ~hash};
  check_mpi(
      MPI_Allreduce(
          MPI_IN_PLACE, most.data(), most.size(), MPI_UINT64_T, MPI_MAX, about.processes->comm()),
      "MPI_Allreduce");
  if (how.num_samples < 1) {
    return {"tuning with num_samples=" + std::to_string(how.num_samples) + "; it takes at least 1"};
  }
  const auto nowhere = std::ranges::find(about.pointers, nullptr);
  if (nowhere != about.pointers.end()) {
    return {"field " + std::to_string(nowhere - about.pointers.begin()) + " is a null pointer",
            errc::bad_field};
  }
  return most[0] == ~most[1] ? refusal{}
                             : refusal{
                                   "ranks tune with different options; pass the same "
                                   "candidates, num_samples and file on all of them",
                                   errc::ranks_disagree};
}

/// Calls `body` on rank 0; if that fails, all ranks throw.
template <class Body>
void on_rank_0(const grid& processes, const std::source_location& where, const Body& body) {
  refusal trouble;
  if (processes.rank() == 0) {
    try {
      body();
    } catch (const error& failed) {
      trouble = {std::string(failed.sentence()), failed.code()};
    }
  }
  refuse_together(processes, trouble, where);
}

/// Returns true if the file has the key. All ranks learn the choice from rank 0.
bool take_from_file(const grid& processes,
                    const std::string& file,
                    tuning& into,
                    const std::source_location& where) {
  std::array<std::int64_t, 3> told{};
  on_rank_0(processes, where, [&] {
    for (const kept_choice& each : read_choices(file)) {
      if (each.key == into.key) {
        told = {1,
                static_cast<std::int64_t>(each.best.packing),
                static_cast<std::int64_t>(each.best.schedule)};
        into.seconds = each.seconds;
      }
    }
  });
  check_mpi(MPI_Bcast(told.data(), told.size(), MPI_INT64_T, 0, processes.comm()), "MPI_Bcast");
  check_mpi(MPI_Bcast(&into.seconds, 1, MPI_DOUBLE, 0, processes.comm()), "MPI_Bcast");
  into.is_from_file = told[0] != 0;
  into.best = {static_cast<packing>(told[1]), static_cast<schedule>(told[2])};
  return into.is_from_file;
}

}  // namespace

tuned tune(const tuned_exchange& about,
           const tuning_options& how,
           const std::source_location& where) {
  const grid& processes = *about.processes;
  refuse_together(processes, trouble_with(about, how), where);
  std::string key = tuning_key(about);
  if (!how.candidates.empty()) {
    key += "; of" + listed(how.candidates);
  }
  tuning known{.key = key};
  if (!how.file.empty() && take_from_file(processes, how.file, known, where)) {
    auto fastest = made_for(about, known.best, 0, where).running;
    return {std::move(known), std::move(fastest)};
  }
  tuned made = time_all(about, how, where);
  made.found.key = std::move(key);
  if (!how.file.empty()) {
    on_rank_0(processes, where, [&] {
      keep_choice(how.file, {made.found.best, made.found.seconds, made.found.key});
    });
  }
  return made;
}

}  // namespace weft::halo::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of a measurement: check, memory, build, verify, warm up, sample and verify, verify,
// probe.
#include "lab/harness/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

#include "lab/harness/clock.hpp"
#include "lab/harness/counted_samples.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/memory.hpp"
#include "lab/harness/names.hpp"
#include "lab/harness/parallelism.hpp"
#include "lab/harness/process_readings.hpp"
#include "lab/harness/records.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {
namespace {

class stopwatch {
 public:
  explicit stopwatch(clock_source& clock) : clock_(clock), begin_ns_(clock.now_ns()) {}
  [[nodiscard]] double elapsed_s() const { return seconds(clock_.now_ns() - begin_ns_); }

 private:
  clock_source& clock_;
  std::int64_t begin_ns_;
};

/// Checks answers again while samples are taken, since a library may do less work from some call
/// on, or occasionally. Checks one random sample of those that are always taken; then one of each
/// stretch, which is twice as long as the previous one. Skips a check if checks have taken more than
/// `share_max` of the time. Launches of the same cell may check different samples.
class recheck {
 public:
  recheck(clock_source& clock,
          experiment& subject,
          const schedule& plan,
          std::size_t num_certain,
          std::uint64_t seed)
      : clock_(clock),
        subject_(subject),
        plan_(plan),
        chance_(seed),
        stretch_(num_certain),
        at_sample_(one_of_stretch()) {}

  /// Checks the answer after a sample that was chosen. Returns whether the answer is right.
  bool after_sample() {
    if (++num_samples_ != at_sample_) {
      return true;
    }
    before_stretch_ += stretch_;
    stretch_ *= 2;
    at_sample_ = one_of_stretch();
    if (took_s_ > share_max * since_.elapsed_s()) {
      return true;
    }
    const bool is_right = check();
    if (is_right) {
      sampler::warm_again(subject_, plan_);
    }
    return is_right;
  }
  /// Returns whether the answer is right.
  bool check() {
    const stopwatch verification(clock_);
    found_ = subject_.verify_again();
    took_s_ += verification.elapsed_s();
    return found_.is_right();
  }

  [[nodiscard]] double took_s() const noexcept { return took_s_; }
  /// Returns what was wrong, and after how many samples.
  [[nodiscard]] std::string mismatch() const {
    return found_.is_right() ? ""
                             : "right before it was timed, wrong after " +
                                   std::to_string(num_samples_) + " samples: " + found_.mismatch;
  }

 private:
  static constexpr double share_max = 0.2;

  std::size_t one_of_stretch() {
    return before_stretch_ + std::uniform_int_distribution<std::size_t>(1, stretch_)(chance_);
  }

  clock_source& clock_;
  experiment& subject_;
  const schedule& plan_;
  std::mt19937_64 chance_;
  std::size_t before_stretch_ = 0;
  std::size_t stretch_;
  std::size_t at_sample_;
  std::size_t num_samples_ = 0;
  stopwatch since_{clock_};
  double took_s_ = 0;
  verdict found_;
};

/// Returns how many samples are taken even if they exceed the time.
std::size_t num_certain(const sampling_limits& limits) {
  return std::max<std::size_t>(
      std::min({limits.min_samples, limits.few_samples, limits.max_samples}), 1);
}

/// The process's counters are read inside the runtime's, which take longer to read.
class counted_batches final : public batch_observer {
 public:
  counted_batches(process_readings& process,
                  counted_samples& samples,
                  recheck& answers,
                  std::size_t calls_per_sample)
      : process_(process),
        samples_(samples),
        answers_(answers),
        calls_per_sample_(calls_per_sample) {}

  void before_batch() override {
    samples_.begin();
    process_.start();
  }
  void after_batch() override {
    process_.stop();
    samples_.end();
  }
  bool after_sample() override {
    samples_.finish_sample(calls_per_sample_);
    return answers_.after_sample();
  }

 private:
  process_readings& process_;
  counted_samples& samples_;
  recheck& answers_;
  std::size_t calls_per_sample_;
};

std::vector<counter_value> shared_out(const std::vector<process_reading>& sums,
                                      std::size_t num_calls) {
  std::vector<counter_value> values;
  for (const process_reading& sum : sums) {
    counter_value& value = values.emplace_back();
    value.name = sum.name;
    value.unit = sum.unit;
    value.reason = sum.reason;
    value.scale = sum.scale;
    value.value = sum.value;
    value.per = sum.includes_pauses ? "phase" : "call";
    if (sum.value && !sum.includes_pauses) {
      value.value = *sum.value / static_cast<double>(num_calls);
    }
  }
  return values;
}

/// As counters of the record; counted in an untimed call.
std::vector<counter_value> as_counters(const allocation_counts& of_call) {
  std::vector<counter_value> values(2);
  values[0].name = "allocations";
  values[0].unit = "events";
  values[0].value = static_cast<double>(of_call.calls);
  values[1].name = "allocated";
  values[1].unit = "bytes";
  values[1].value = static_cast<double>(of_call.bytes);
  return values;
}

void check(const cell& what, const suite& from) {
  const std::vector<std::string> problems = from.problems();
  if (std::find(problems.begin(), problems.end(), what.problem) == problems.end()) {
    throw bad_cell("problem", unknown_name("problem", what.problem, problems));
  }
  from.check(what);
}

std::optional<skip> too_large(std::size_t needed_bytes) {
  constexpr double usable_share = 0.8;
  const std::optional<std::size_t> available = available_memory_bytes();
  if (!available ||
      static_cast<double>(needed_bytes) <= usable_share * static_cast<double>(*available)) {
    return std::nullopt;
  }
  return skip{"memory",
              "needs " + std::to_string(needed_bytes) + " bytes; 80 % of the " +
                  std::to_string(*available) + " bytes available may be used",
              "ask for a smaller size, or give the machine or cgroup more memory"};
}

/// The part inside `suite::with_threads`. It lets no exception out, since a thread pool might not
/// pass it on.
class attempt {
 public:
  attempt(const cell& what, const suite& from, int cpus_usable, instruments& with)
      : what_(what), from_(from), cpus_usable_(cpus_usable), with_(with) {}

  void run(outcome& answer) noexcept {
    try {
      verify_and_measure(answer);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (thrown_) {
      std::rethrow_exception(thrown_);
    }
  }

 private:
  void verify_and_measure(outcome& answer) {
    const stopwatch setup(with_.clock);
    give_back_freed_memory();  // of earlier cells
    const bool has_own_peak = reset_peak_resident();
    auto made = from_.make(what_);
    answer.setup_s = setup.elapsed_s();
    if (const skip* cannot = std::get_if<skip>(&made)) {
      refuse(answer, *cannot);
      return;
    }
    experiment& subject = *std::get<std::unique_ptr<experiment>>(made);
    const std::optional<double> cold_s = cold_call_s(subject);
    const stopwatch verification(with_.clock);
    const verdict found = subject.verify();
    answer.verify_s = verification.elapsed_s();
    if (!found.is_right()) {
      answer.how = status::wrong;
      answer.message = found.mismatch;
      return;
    }
    measurement result = time(subject, answer);
    if (answer.how == status::wrong) {
      return;
    }
    result.cold_call_s = cold_s;
    const stopwatch watching(with_.clock);
    result.threads = watch_threads(subject, result.plan);
    answer.probe_s = what_.probe == "no" ? 0 : watching.elapsed_s();
    if (has_own_peak) {
      result.peak_rss_bytes = peak_resident_bytes();
    }
    answer.measured = std::move(result);
    answer.how = status::ok;
  }

  /// Times the first call of a problem and type; its answer is checked afterwards.
  std::optional<double> cold_call_s(experiment& subject) {
    static std::set<std::pair<std::string, std::string>> known;
    if (!from_.times_cold_calls() || !known.emplace(what_.problem, what_.type).second) {
      return std::nullopt;
    }
    return sampler(with_.clock, with_.timer).cold_call_s(subject);
  }

  /// The answer is wrong if any check between the samples or after them failed.
  measurement time(experiment& subject, outcome& answer) {
    const sampling_limits limits = limits_of(what_);
    sampler timer(with_.clock, with_.timer);
    measurement result;
    result.plan = timer.warm_up(subject, limits);
    with_.counters.reset();
    counted_samples of_samples(from_.sample_counters());
    recheck answers(with_.clock,
                    subject,
                    result.plan,
                    num_certain(limits),
                    what_.seed ^ static_cast<std::uint64_t>(getpid()));
    counted_batches counted(with_.counters, of_samples, answers, result.plan.calls_per_sample());
    const auto rss_before = resident_bytes();
    const stopwatch phase(with_.clock);
    result.taken = timer.take(subject, result.plan, limits, &counted);
    result.phase_s = phase.elapsed_s();
    const auto rss_after = resident_bytes();
    if (rss_before && rss_after) {
      result.rss_growth_bytes =
          static_cast<std::ptrdiff_t>(*rss_after) - static_cast<std::ptrdiff_t>(*rss_before);
    }
    result.counters = shared_out(with_.counters.readings(), result.taken.num_calls);
    std::ranges::move(of_samples.values(), std::back_inserter(result.counters));
    if (const auto allocations = subject.allocations()) {
      std::ranges::move(as_counters(*allocations), std::back_inserter(result.counters));
    }
    const bool wants_mean = what_.protocol == "paper";
    result.statistic = wants_mean ? "mean" : "median";
    result.statistic_s =
        wants_mean ? mean(result.taken.per_call_s) : median(result.taken.per_call_s);
    result.bytes_min = subject.bytes_min();
    result.num_tasks = subject.num_tasks();
    result.num_nodes = subject.num_nodes();
    result.num_operations = subject.num_operations();
    result.scaled = subject.scaled();
    result.fingerprint = subject.fingerprint();
    result.is_oversubscribed = what_.threads > cpus_usable_;
    if (!answers.mismatch().empty() || !answers.check()) {
      answer.how = status::wrong;
      answer.message = answers.mismatch();
    }
    answer.verify_s += answers.took_s();
    return result;
  }

  [[nodiscard]] parallelism watch_threads(experiment& subject, const schedule& plan) const {
    if (what_.probe == "no") {
      parallelism unknown;
      unknown.reason = "not asked for (probe: no)";
      return unknown;
    }
    return probe_parallelism(subject, plan, what_.threads);
  }

  const cell& what_;
  const suite& from_;
  int cpus_usable_;
  instruments& with_;
  std::exception_ptr thrown_;
};

struct attempt_call {
  attempt* what;
  outcome* answer;
};

void answer_cell(const cell& what, const suite& from, attempt& work, outcome& answer) {
  check(what, from);
  if (const auto cannot = too_large(from.memory_bytes(what))) {
    refuse(answer, *cannot);
    return;
  }
  attempt_call call{.what = &work, .answer = &answer};
  from.with_threads(
      what.threads,
      [](void* context) {
        const auto* made = static_cast<attempt_call*>(context);
        made->what->run(*made->answer);
      },
      &call);
  work.rethrow();
}

double unix_time_s() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_epoch).count();
}

}  // namespace

outcome measure(const cell& what, const suite& from, int cpus_usable, instruments& with) {
  const stopwatch wall(with.clock);
  outcome answer;
  answer.what = what;
  answer.started_unix_s = unix_time_s();
  try {
    attempt work(what, from, cpus_usable, with);
    answer_cell(what, from, work, answer);
  } catch (const bad_cell& problem) {
    reject(answer, problem.field(), problem.what());
  } catch (const cannot_run& problem) {
    refuse(answer, problem.reason());
  } catch (const std::bad_alloc&) {
    refuse(answer,
           {.code = "memory",
            .message = "memory ran out while the experiment was built or run",
            .remedy = "ask for a smaller size"});
  } catch (const std::exception& problem) {
    reject(answer, {}, what.problem + " threw: " + problem.what());
  } catch (...) {
    reject(answer, {}, what.problem + " threw something that is no std::exception");
  }
  answer.wall_s = wall.elapsed_s();
  return answer;
}

}  // namespace weft::lab

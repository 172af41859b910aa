// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many workers an executor has, and how a piece of work is shared among them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/sharing/crew.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/execution/executor_concept.hpp"

namespace weft::algorithms::detail {

/// Starts the default runtime if the caller is not a worker and there is none yet.
[[nodiscard]] std::size_t num_workers(const default_executor& executor);
[[nodiscard]] std::size_t num_workers(const runtime_executor& executor);
template <execution::executor Executor>
[[nodiscard]] std::size_t num_workers(const Executor& executor) {
  return static_cast<std::size_t>(executor.num_workers());
}

/// Whether a worker other than the caller is awake and would see an offer at once.
[[nodiscard]] bool is_anyone_awake(const default_executor& executor);
[[nodiscard]] bool is_anyone_awake(const runtime_executor& executor);
template <execution::executor Executor>
[[nodiscard]] bool is_anyone_awake(const Executor& executor) {
  if constexpr (runtime_backed_executor<Executor>) {
    return executor.home() == nullptr ? is_anyone_awake(default_executor())
                                      : is_anyone_awake(runtime_executor(*executor.home()));
  } else {
    return true;
  }
}

void invite(crew& all, const default_executor& executor);
void invite(crew& all, const runtime_executor& executor);
template <runtime_backed_executor Executor>
void invite(crew& all, const Executor& executor) {
  if (executor.home() == nullptr) {
    invite(all, default_executor());
  } else {
    invite(all, runtime_executor(*executor.home()));
  }
}
/// By `try_execute` where there is one: it may refuse.
template <execution::executor Executor>
void invite(crew& all, const Executor& executor) noexcept {
  for (std::size_t i = 1; i <= all.num_guests(); ++i) {
    all.enlist_one();
    guest next(all, i);
    try {
      if constexpr (requires { executor.try_execute(std::move(next)); }) {
        static_cast<void>(executor.try_execute(std::move(next)));
      } else {
        executor.execute(std::move(next));
      }
    } catch (...) {  // an executor that refuses: the caller does without
      return;
    }
  }
}

/// The above for one type of executor.
struct executor_calls {
  std::size_t (*num_workers)(const void* executor);
  bool (*is_anyone_awake)(const void* executor);
  void (*invite)(crew& all, const void* executor);
};
template <class Executor>
inline constexpr executor_calls calls_of{
    .num_workers = [](const void* executor) -> std::size_t {
      return num_workers(*static_cast<const Executor*>(executor));
    },
    .is_anyone_awake = [](const void* executor) -> bool {
      return is_anyone_awake(*static_cast<const Executor*>(executor));
    },
    .invite = [](crew& all,
                 const void* executor) { invite(all, *static_cast<const Executor*>(executor)); }};

/// The source of the chunk size: the measured time of elements, or the policy.
enum class chunk_choice : unsigned char { measured, in_time, kept, fixed, dynamic, guided };

using kept_auto_chunk_size = kept<persistent_auto_chunk_size>;

/// What loops ask of a policy, without its type: so the library has them compiled once.
///
/// Lives no longer than the policy that it is made of.
class loop_policy {
 public:
  static constexpr bool is_parallel = true;  // perhaps: num_shares() tells

  // NOLINTBEGIN(google-explicit-constructor, hicpp-explicit-conversions): stands for its policy
  template <execution_kind kind, class Executor, class... Properties>
  [[gnu::noinline]] loop_policy(const execution_policy_of<kind, Executor, Properties...>& how) {
    using policy = execution_policy_of<kind, Executor, Properties...>;
    if constexpr (policy::is_parallel) {
      calls = &calls_of<Executor>;
      executor = std::addressof(how.executor());
    }
    (take(how.template get<Properties>()), ...);
  }
  // NOLINTEND(google-explicit-constructor, hicpp-explicit-conversions)

  const executor_calls* calls = nullptr;  // null: the caller is alone
  const void* executor = nullptr;
  std::optional<std::size_t> most_cores;   // none: all
  std::optional<std::size_t> most_chunks;  // none: any number
  chunk_choice choice = chunk_choice::measured;
  std::optional<std::size_t> chunk_size;             // of fixed, dynamic and guided chunks
  float chunk_ns = 0;                                // what those chosen by time take
  const persistent_auto_chunk_size* kept = nullptr;  // where the size found is kept
  chunking_parameters* chosen = nullptr;             // who wants to know

  /// Whether the policy says how large chunks are, so that nothing is measured first.
  [[nodiscard]] bool has_own_chunks() const noexcept { return choice >= chunk_choice::fixed; }
  /// Whether a short loop may run without a plan.
  [[nodiscard]] bool may_be_short() const noexcept {
    return !has_own_chunks() && choice != chunk_choice::kept && chosen == nullptr;
  }
  /// Whether it says something of how large they are, or how many.
  [[nodiscard]] bool chooses_chunks() const noexcept {
    return choice != chunk_choice::measured || most_chunks.has_value();
  }

 private:
  template <class Property>
  void take(const Property& /*property*/) noexcept {}
  void take(const num_cores& limit) noexcept { most_cores = limit.count; }
  void take(const max_num_chunks& limit) noexcept { most_chunks = limit.count; }
  void take(const collect_chunking_parameters& wish) noexcept { chosen = wish.into; }
  void take(const static_chunk_size& chunks) noexcept { choose(chunk_choice::fixed, chunks.size); }
  void take(const dynamic_chunk_size& chunks) noexcept {
    choose(chunk_choice::dynamic, chunks.size);
  }
  void take(const guided_chunk_size& chunks) noexcept {
    choose(chunk_choice::guided, chunks.min_size);
  }
  void take(const auto_chunk_size& chunks) noexcept {
    choice = chunk_choice::in_time;
    chunk_ns = static_cast<float>(chunks.time.count());
  }
  void take(const kept_auto_chunk_size& chunks) noexcept {
    choice = chunk_choice::kept;
    kept = chunks.object;
    chunk_ns = static_cast<float>(kept->time().count());
  }
  void choose(chunk_choice how, std::optional<std::size_t> size) noexcept {
    choice = how;
    chunk_size = size;
  }
};

/// Workers that may take part; 1: only the caller.
[[nodiscard]] std::size_t num_shares(const loop_policy& how);

/// Whether the policy has more than one worker, and one that is awake beside the caller. Starts
/// none.
[[nodiscard]] bool are_workers_awake(const loop_policy& how);

/// Whether others are there for `rest_ns` of work, and may be expected to come in time.
[[nodiscard]] bool would_help(const loop_policy& how, float rest_ns);

/// Tells the policy's owner what was chosen, if it wants to know.
inline void report(const loop_policy& how, const chunking_parameters& chosen) noexcept {
  if (how.chosen != nullptr) {
    *how.chosen = chosen;
  }
}

/// Does `work` as `region` says.
void run_region(const loop_policy& how, std::size_t max_shares, const crew_work& work);

/// Calls `share(0)` here, and `share(1)`, `share(2)`, ... on workers that join while it runs;
/// returns when all started shares have ended. `facts` is read at the end.
///
/// A share that no worker takes is not called, so shares claim their work from each other.
/// Errors: the first exception that a share throws; the others are counted and dropped.
template <class Share>
void region(const loop_policy& how,
            std::size_t max_shares,
            Share&& share,
            const loop_facts* facts = nullptr) {
  using share_type = std::remove_reference_t<Share>;
  run_region(how,
             max_shares,
             {.call = [](void* context, std::size_t i) { (*static_cast<share_type*>(context))(i); },
              .context = const_cast<void*>(static_cast<const void*>(std::addressof(share))),
              .facts = facts});
}

}  // namespace weft::algorithms::detail

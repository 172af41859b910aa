// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One owner and several thieves do everything at once to a deque, and every task is counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "weft/tasks/detail/deque/split_deque.hpp"

#include "tasks/waiting/futex.hpp"

namespace weft::tests {

namespace detail = tasks::detail;

inline detail::waiter* never_run(detail::task& /*unused*/) noexcept { return nullptr; }

struct item : detail::task {
  item() : task(never_run) {}
  std::atomic<int> times_taken{0};
  detail::split_deque::slot* place = nullptr;
};

struct deque_stress {
  std::size_t num_items = 60'000;
  unsigned num_thieves = 1;
  std::size_t capacity = 4;
  unsigned seed = 1;
  bool is_fenced = false;                                // as where there is no membarrier(2)
  void (*barrier)() noexcept = detail::barrier_for_all;  // what a thief that forces passes
};

class stressed_deque {
 public:
  explicit stressed_deque(const deque_stress& options)
      : options_(options), tasks_(options.capacity), items_(options.num_items) {
    if (options.is_fenced || !detail::enable_barrier_for_all()) {
      options_.barrier = []() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); };
      tasks_.ask(detail::request::fenced);
    }
  }

  std::ptrdiff_t num_not_taken_once() {
    {
      std::vector<std::jthread> thieves;
      thieves.reserve(options_.num_thieves);
      for (unsigned n = 0; n < options_.num_thieves; ++n) {
        thieves.emplace_back([this, n] { be_a_thief(options_.seed + n + 1); });
      }
      be_the_owner();
      pop_all();
      is_done_.store(true);
    }
    pop_all();
    return std::ranges::count_if(items_, [](const item& i) { return i.times_taken != 1; });
  }

 private:
  void be_a_thief(unsigned seed) {
    std::mt19937 random(seed);
    while (!is_done_.load()) {
      if (auto* stolen = static_cast<item*>(tasks_.steal())) {
        ++stolen->times_taken;
      } else if (random() % 4 == 0) {
        tasks_.force_publish(options_.barrier);
      } else {
        tasks_.ask(detail::request::publish);
      }
    }
  }

  void be_the_owner() {
    constexpr std::size_t most_pending = 200;
    std::mt19937 random(options_.seed);
    for (std::size_t next = 0; next < items_.size();) {
      const auto dice = random() % 16;
      if (pending_.empty() || dice < 8) {
        push(items_[next++]);
      } else if (dice < 11) {
        take_back(pending_.size() - 1);
      } else if (dice < 14) {  // two that are waited for in the order of their start
        take_back(pending_.size() - std::min<std::size_t>(pending_.size(), 2));
      } else if (dice == 14) {
        take_back(random() % pending_.size());
      } else {
        pop();
      }
      if (pending_.size() > most_pending) {
        pending_.clear();  // left to thieves and pops
      }
    }
  }

  void push(item& fresh) {
    fresh.place = tasks_.push(fresh);
    pending_.push_back(&fresh);
    if (tasks_.is_asked()) {
      (void)tasks_.answer();
    }
  }

  void take_back(std::size_t position) {
    item* chosen = pending_[position];
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(position));
    if (tasks_.claim_any(*chosen) || tasks_.claim_inside(*chosen, chosen->place) ||
        tasks_.claim_slowly(*chosen, chosen->place) == detail::claim::mine) {
      ++chosen->times_taken;
    }
  }

  bool pop() {
    auto* popped = static_cast<item*>(tasks_.pop());
    if (popped != nullptr) {
      ++popped->times_taken;
    }
    return popped != nullptr;
  }

  void pop_all() {
    while (pop()) {
    }
  }

  deque_stress options_;
  detail::split_deque tasks_;
  std::deque<item> items_;
  std::vector<item*> pending_;
  std::atomic<bool> is_done_{false};
};

/// How many tasks were taken by nobody or more than once: 0 for a deque that works.
inline std::ptrdiff_t num_not_taken_once(const deque_stress& options) {
  return stressed_deque(options).num_not_taken_once();
}

}  // namespace weft::tests

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector whose elements are spread over the ranks of a job.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/checkpoint.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/detail/exchange.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/local_of.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"

namespace weft::distributed {

namespace detail {

/// Calls a function without captures on an element of the owner's part.
template <class T, class F>
struct element_callee {
  template <class... Args>
  auto operator()(std::vector<T>& all, std::size_t i, Args&&... args) const
      -> decltype(F()(all[i], std::forward<Args>(args)...)) {
    return F()(all[i], std::forward<Args>(args)...);
  }
};

/// Errors: `weft::error` on all ranks if two ranks differ, with both. Collective.
void require_same_everywhere(std::size_t size, distribution spread);
[[noreturn]] void refuse_index(std::size_t i, std::size_t size);

/// The data of a stored vector that its files share.
struct stored_vector {
  std::uint64_t version;  // of the files: a new one each time the vector is stored
  std::uint64_t size;
  std::uint64_t block_size;
  int num_ranks;

  [[nodiscard]] element_layout layout() const noexcept {
    return {size, num_ranks, {.block_size = block_size}};
  }
};
[[nodiscard]] std::filesystem::path file_of_rank(const std::filesystem::path& file,
                                                 const stored_vector& stored,
                                                 int rank);
/// Returns how a vector is to be stored at `file`, and how the one there is stored. Collective.
[[nodiscard]] std::pair<stored_vector, stored_vector> next_version(
    const std::filesystem::path& file, const element_layout& layout);
/// Makes the files of `next` the stored vector, and removes those of `former`. Collective.
void replace_version(const std::filesystem::path& file,
                     const stored_vector& former,
                     const stored_vector& next);
/// Errors: `checkpoint_error`, on all ranks. Collective.
[[nodiscard]] stored_vector read_stored_vector(const std::filesystem::path& file);

}  // namespace detail

/// A vector of a fixed size; each element belongs to one rank, its owner. All ranks make it together.
///
/// `local()` is this rank's part. Functions of weft/distributed/algorithms.hpp work on the whole.
/// Elements are those of a `std::vector` on their owner: two accesses of one element at a time are a
/// race, unless both read. Any rank calls the functions below that take an index, at any time. They
/// do not order themselves: `barrier` or `quiescence` separates phases.
/// Shape:   any size, also 0, and less than the number of ranks. `T` is `serializable`, not bool.
/// Cost:    memory of a `std::vector` on each rank; one all_gather to make it.
/// Threads: made by all ranks in the same order, as a `local_of`. Destroy it when no rank uses it.
/// Errors:  `weft::error` on all ranks if ranks pass other sizes or distributions, with the values.
/// Example: tests/distributed/vector_test.cpp: any_rank_reads_and_writes_any_element.
template <class T>
class vector {
  static_assert(detail::explain<T, detail::direction::reading>());
  static_assert(!std::same_as<T, bool>,
                "weft::distributed::vector<bool> has no elements in memory: use char");

 public:
  using value_type = T;

  /// Collective.
  explicit vector(std::size_t size, distribution spread = block, const T& value = T())
      : layout_(agreed_layout(size, spread)),
        rank_(here().rank()),
        all_(std::make_unique<local_of<std::vector<T>>>(layout_.local_size(rank_), value)) {}

  [[nodiscard]] std::size_t size() const noexcept { return layout_.size(); }
  [[nodiscard]] const element_layout& layout() const noexcept { return layout_; }
  /// Errors: `weft::error` if there is no such element.
  [[nodiscard]] locality owner_of(std::size_t i) const { return locality(rank_of(i)); }

  /// This rank's elements, by ascending index.
  [[nodiscard]] std::span<T> local() noexcept { return **all_; }
  [[nodiscard]] std::span<const T> local() const noexcept { return **all_; }
  /// The index in the whole vector of `local()[i]`.
  [[nodiscard]] std::size_t global_index(std::size_t i) const noexcept {
    return layout_.global_index(rank_, i);
  }

  /// Reads element `i`.
  /// Cost:    of the own rank: a copy; otherwise a call.
  /// Errors:  `weft::error` if there is no such element.
  [[nodiscard]] future<T> get(std::size_t i) const {
    const int owner = rank_of(i);
    if (owner == rank_) {
      return make_ready_future(T(local()[layout_.local_index(i)]));
    }
    return (*all_)[owner].async([](const std::vector<T>& all, std::size_t at) { return all[at]; },
                                layout_.local_index(i));
  }
  /// Writes element `i`. Ready when the owner has it.
  [[nodiscard]] future<void> set(std::size_t i, T value) {
    const int owner = rank_of(i);
    if (owner == rank_) {
      local()[layout_.local_index(i)] = std::move(value);
      return make_ready_future();
    }
    return (*all_)[owner].async(
        [](std::vector<T>& all, std::size_t at, T given) { all[at] = std::move(given); },
        layout_.local_index(i),
        std::move(value));
  }

  /// Reads the elements from `first` to before `last`.
  /// Cost:    a call of each owner among them.
  /// Errors:  `weft::error` if there are no such elements.
  /// Example: tests/distributed/vector_test.cpp: ranges_are_read_and_written_at_once.
  [[nodiscard]] future<std::vector<T>> get_range(std::size_t first, std::size_t last) const {
    check_range(first, last);
    std::vector<future<std::vector<T>>> pieces;
    for_each_owner(first, last, [&](int owner, std::size_t begin, std::size_t end) {
      pieces.push_back((*all_)[owner].async(
          [](const std::vector<T>& all, std::size_t from, std::size_t to) {
            const std::span<const T> piece = std::span(all).subspan(from, to - from);
            return std::vector<T>(piece.begin(), piece.end());
          },
          begin,
          end));
    });
    return weft::async([layout = layout_, first, last, pieces = std::move(pieces)]() mutable {
      std::vector<T> values(last - first);
      std::size_t next = 0;
      visit_owners(layout, first, last, [&](int owner, std::size_t begin, std::size_t) {
        for (T& each : pieces[next++].get()) {
          values[layout.global_index(owner, begin++) - first] = std::move(each);
        }
      });
      return values;
    });
  }
  /// Writes the elements from `first` on. Ready when the owners have them.
  [[nodiscard]] future<void> set_range(std::size_t first, const std::vector<T>& values) {
    check_range(first, first + values.size());
    std::vector<future<void>> sent;
    for_each_owner(
        first, first + values.size(), [&](int owner, std::size_t begin, std::size_t end) {
          std::vector<T> piece;
          piece.reserve(end - begin);
          for (std::size_t i = begin; i < end; ++i) {
            piece.push_back(values[layout_.global_index(owner, i) - first]);
          }
          sent.push_back((*all_)[owner].async(
              [](std::vector<T>& all, std::size_t from, std::vector<T> given) {
                std::ranges::move(given, all.begin() + static_cast<std::ptrdiff_t>(from));
              },
              begin,
              std::move(piece)));
        });
    return weft::async([sent = std::move(sent)]() mutable {
      for (future<void>& each : sent) {
        each.get();
      }
    });
  }

  /// Calls `f(element, args...)` on the owner of element `i`. `f` is a lambda without captures.
  ///
  /// Calls run at the same time, also for one element: use `std::atomic_ref` to count.
  /// Example: tests/distributed/vector_test.cpp: functions_are_called_with_elements.
  template <class F, class... Args>
  [[nodiscard]] auto async(std::size_t i, F /*f*/, Args&&... args) {
    return (*all_)[rank_of(i)].async(
        detail::element_callee<T, F>(), layout_.local_index(i), std::forward<Args>(args)...);
  }
  /// The same without an answer; `quiescence` waits for it.
  template <class F, class... Args>
  void post(std::size_t i, F /*f*/, Args&&... args) {
    (*all_)[rank_of(i)].post(
        detail::element_callee<T, F>(), layout_.local_index(i), std::forward<Args>(args)...);
  }

  /// Stores the vector in `file` and in a file beside it for each rank. Collective.
  ///
  /// All ranks see the same folder. The former vector of that name is replaced at once: whatever
  /// stops the job, `load` gives the former vector or this one.
  /// Errors:  `checkpoint_error` on all ranks.
  /// Example: tests/distributed/vector_test.cpp: a_stored_vector_is_loaded_by_other_ranks.
  void save(const std::filesystem::path& file) const {
    const auto [former, next] = detail::next_version(file, layout_);
    static_cast<void>(detail::gather_parts(
        [&] { save_checkpoint(detail::file_of_rank(file, next, rank_), next.version, **all_); }));
    detail::replace_version(file, former, next);
  }
  /// Loads what `save` stored, on any number of ranks and with any distribution. Collective.
  /// Errors:  `checkpoint_error` on all ranks.
  [[nodiscard]] static vector load(const std::filesystem::path& file, distribution spread = block) {
    const detail::stored_vector stored = detail::read_stored_vector(file);
    vector loaded(stored.size, spread);
    for (int first = 0; first < stored.num_ranks; first += num_localities()) {
      std::vector<T> part;
      static_cast<void>(detail::gather_parts([&] {
        if (const int rank = first + loaded.rank_; rank < stored.num_ranks) {
          load_part(detail::file_of_rank(file, stored, rank), stored, rank, part);
        }
      }));
      detail::move_elements<T>(stored.layout(), first, part, loaded.layout_, loaded.local());
    }
    return loaded;
  }

 private:
  static element_layout agreed_layout(std::size_t size, distribution spread) {
    detail::require_same_everywhere(size, spread);
    return {size, num_localities(), spread};
  }
  static void load_part(const std::filesystem::path& file,
                        const detail::stored_vector& stored,
                        int rank,
                        std::vector<T>& part) {
    std::uint64_t version = 0;
    load_checkpoint(file, version, part);
    if (version != stored.version || part.size() != stored.layout().local_size(rank)) {
      throw checkpoint_error(file.string() +
                             " belongs to another distributed vector: load the "
                             "vector from the folder that save() wrote");
    }
  }

  [[nodiscard]] int rank_of(std::size_t i) const {
    if (i >= size()) {
      detail::refuse_index(i, size());
    }
    return layout_.owner_of(i);
  }
  void check_range(std::size_t first, std::size_t last) const {
    if (first > last || last > size()) {
      detail::refuse_index(std::max(first, last), size());
    }
  }
  /// Calls `f(owner, begin, end)` for each rank that owns elements of a range: its elements are
  /// contiguous there, too.
  template <class F>
  static void visit_owners(const element_layout& layout, std::size_t first, std::size_t last, F f) {
    for (int rank = 0; rank < layout.num_ranks(); ++rank) {
      const std::size_t begin = layout.num_before(rank, first);
      const std::size_t end = layout.num_before(rank, last);
      if (begin != end) {
        f(rank, begin, end);
      }
    }
  }
  template <class F>
  void for_each_owner(std::size_t first, std::size_t last, F f) const {
    visit_owners(layout_, first, last, f);
  }

  element_layout layout_;
  int rank_;
  std::unique_ptr<local_of<std::vector<T>>> all_;
};

}  // namespace weft::distributed

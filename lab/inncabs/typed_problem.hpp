// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of the table as a problem: input, answer and check behind the harness's interface.
#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/inncabs/parameters.hpp"
#include "lab/inncabs/problem.hpp"
#include "lab/inncabs/row.hpp"

namespace weft::lab::inncabs {

/// Found in the namespace of `Input`; the members of the same name below would hide these
/// functions.
template <class Input>
std::optional<std::uint64_t> num_tasks_of(const Input& from) {
  return num_tasks(from);
}

/// A search whose number of tasks can be limited.
template <class Input>
concept limitable = requires(Input& from) {
  { from.task_limit } -> std::same_as<std::optional<std::uint64_t>&>;
};

/// The study's program had another task graph, which can be selected.
template <class Input>
concept has_two_graphs = requires(Input& from) { use_original_graph(from); };

/// The answer of a search contains the number of visited nodes.
template <class Result>
concept counts_nodes = requires(const Result& found) {
  { found.nodes } -> std::convertible_to<std::uint64_t>;
};

template <class Input>
class typed_experiment final : public experiment {
 public:
  typed_experiment(Input from, body_of<Input> body, launch_policy how, std::string scaled)
      : from_(std::move(from)), body_(body), how_(how), scaled_(std::move(scaled)) {}

  verdict verify() override {
    last_.reset();
    last_.emplace(body_(from_, how_));
    return {mismatch(from_, *last_)};
  }
  verdict verify_again() override { return last_ ? verdict{mismatch(from_, *last_)} : verify(); }

  void prepare(std::size_t /*count*/) override { last_.reset(); }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      last_.emplace(body_(from_, how_));
      keep(*last_);
    }
  }

  /// One if freeing an answer's memory would be timed.
  [[nodiscard]] std::size_t max_calls() const override {
    return std::is_trivially_destructible_v<result_of<Input>> ? std::size_t{1} << 30U : 1;
  }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> num_tasks() const override {
    return num_tasks_of(from_);
  }
  [[nodiscard]] std::optional<std::uint64_t> num_nodes() const override {
    if constexpr (counts_nodes<result_of<Input>>) {
      return last_ ? std::optional(last_->nodes) : std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  [[nodiscard]] std::string scaled() const override { return scaled_; }

 private:
  Input from_;
  body_of<Input> body_;
  launch_policy how_;
  std::string scaled_;
  std::optional<result_of<Input>> last_;
};

template <class Input>
class typed_problem final : public problem {
 public:
  explicit typed_problem(const row<Input>& what) : row_(what) {}

  [[nodiscard]] const description& about() const noexcept override { return row_.about; }
  [[nodiscard]] std::string scaled(input_class which) const override { return row_.scaled(which); }
  [[nodiscard]] std::span<const parameter> parameters() const noexcept override {
    if constexpr (limitable<Input>) {
      return parameters_of_searches;
    } else if constexpr (has_two_graphs<Input>) {
      return parameters_of_two_graphs;
    } else {
      return parameters_of_all;
    }
  }
  [[nodiscard]] std::size_t memory_bytes(input_class which) const override {
    return row_.memory_bytes == nullptr ? 0 : row_.memory_bytes(which);
  }
  [[nodiscard]] std::unique_ptr<experiment> start(const request& what,
                                                  const std::any& body) const override {
    Input from = row_.make(what.which, what.seed);
    if constexpr (limitable<Input>) {
      if (what.max_tasks > 0) {
        from.task_limit = what.max_tasks;
      }
    }
    if constexpr (has_two_graphs<Input>) {
      if (what.has_original_graph) {
        use_original_graph(from);
      }
    }
    return std::make_unique<typed_experiment<Input>>(
        std::move(from), std::any_cast<body_of<Input>>(body), what.how, row_.scaled(what.which));
  }

 private:
  row<Input> row_;
};

}  // namespace weft::lab::inncabs

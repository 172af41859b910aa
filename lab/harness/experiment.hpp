// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between a suite and the harness: a cell to measure, an experiment that can be
// verified and timed, and the suite's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lab/harness/errors.hpp"

namespace weft::lab {

/// One point of a measurement: field names and defaults as in docs/reference/records.md.
struct cell {
  std::string id;
  std::string problem;
  std::string type = "double";
  std::size_t size = std::size_t{1} << 20;  // elements
  int threads = 0;                          // 0: all usable CPUs; set before a suite gets it
  std::string allocator = "default";
  std::string placement = "none";
  std::string smt = "on";
  std::map<std::string, std::int64_t> params;
  std::uint64_t seed = 42;
  std::string protocol = "robust";
  std::size_t min_samples = 10;
  std::size_t max_samples = 1000;
  double min_time_s = 0.02;
  double max_time_s = 0.5;
  std::string probe = "yes";  // whether to watch the threads, in a separate, untimed pass
};

/// A checker's verdict on an answer: an empty `mismatch` means right.
struct verdict {
  std::string mismatch;  // "element 17 is 3, expected 4"
  [[nodiscard]] bool is_right() const noexcept { return mismatch.empty(); }
};

/// The memory that one call requested from the allocator, also if the call freed it.
struct allocation_counts {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
};

/// Inputs, an answer that can be checked, and calls that can be timed.
///
/// The harness calls `verify()`. Then, for each sample, it calls `prepare(count)` untimed and
/// `run(count)` timed. After some randomly chosen samples, and after the last one, it calls
/// `verify_again()`. `run` performs `count` calls back to back in its own loop, so that the harness
/// adds one indirect call per sample. It passes every result to `keep()`, so that the compiler
/// cannot delete a call.
///
/// Threads: all members are called by the thread that made the experiment.
class experiment {
 public:
  experiment() = default;
  experiment(const experiment&) = delete;
  experiment& operator=(const experiment&) = delete;
  virtual ~experiment() = default;

  /// Makes one call on fresh input and compares its answer with a serial oracle that is not a peer.
  virtual verdict verify() = 0;
  /// As `verify`, between and after timed calls. An experiment that keeps the answer of its last
  /// timed call may compare that answer.
  virtual verdict verify_again() { return verify(); }
  /// Restores the input of the next `count` calls. Does nothing for a problem that does not change
  /// its input.
  virtual void prepare(std::size_t count) = 0;
  /// Performs `count` calls; `count <= max_calls()`.
  virtual void run(std::size_t count) = 0;
  /// The largest batch that `prepare` has room for.
  [[nodiscard]] virtual std::size_t max_calls() const = 0;
  /// The least bytes that any implementation must move per call.
  [[nodiscard]] virtual std::size_t bytes_min() const = 0;
  /// Tasks that one call makes; empty if the problem has no tasks.
  [[nodiscard]] virtual std::optional<std::uint64_t> num_tasks() const { return std::nullopt; }
  /// Nodes of a search tree that the last call visited, which may vary; empty if the problem has no
  /// tree.
  [[nodiscard]] virtual std::optional<std::uint64_t> num_nodes() const { return std::nullopt; }
  /// Arithmetic operations of one call, if the problem defines them.
  [[nodiscard]] virtual std::optional<double> num_operations() const { return std::nullopt; }
  /// The allocations of one call; empty if they are not counted.
  [[nodiscard]] virtual std::optional<allocation_counts> allocations() const {
    return std::nullopt;
  }
  /// All digits of an answer that does not depend on the order of work; empty if it does.
  [[nodiscard]] virtual std::string fingerprint() const { return {}; }
  /// The part of the input that is smaller than its name promises, and by how much; empty: none.
  [[nodiscard]] virtual std::string scaled() const { return {}; }
};

/// A number reported for every sample, and the counter of weft's registry that it is read from.
struct sample_counter {
  std::string_view name;  // in the record, as is `unit`
  std::string_view unit;
  std::string_view counter;  // in full: "/threads{locality#0/total}/count/cumulative"
  double unit_per_count = 1;
};

/// The cell is valid but cannot be run here: `code` as in docs/reference/records.md.
struct skip {
  std::string code;
  std::string message;
  std::string remedy;
};

/// Thrown by `suite::with_threads` if the backend's library rejects that many threads.
class cannot_run : public std::runtime_error {
 public:
  explicit cannot_run(skip reason)
      : std::runtime_error(reason.message), reason_(std::move(reason)) {}
  [[nodiscard]] const skip& reason() const noexcept { return reason_; }

 private:
  skip reason_;
};

/// The text of `--help` for `--size`: its meaning, and a valid example.
struct size_words {
  std::string_view meaning = "elements, such as 1048576 or 2^20 (default)";
  std::string_view example = "2^20";
};

/// A suite compiled with one backend; a bench program's `main` passes it to `bench_main`.
class suite {
 public:
  suite() = default;
  suite(const suite&) = delete;
  suite& operator=(const suite&) = delete;
  virtual ~suite() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;     // "stl"
  [[nodiscard]] virtual std::string_view backend() const = 0;  // "gnu"
  /// Library name to version, found at run time if the library reports it.
  [[nodiscard]] virtual std::map<std::string, std::string> libraries() const = 0;
  [[nodiscard]] virtual std::vector<std::string> problems() const = 0;
  [[nodiscard]] virtual size_words about_sizes() const { return {}; }
  /// True if the backend only uses one thread (`seq`).
  [[nodiscard]] virtual bool is_serial() const = 0;
  /// The counters of the backend's runtime for every sample; read inside `with_threads`.
  [[nodiscard]] virtual std::span<const sample_counter> sample_counters() const { return {}; }

  /// Whether the process's first call of each problem and type is timed, before its answer is
  /// checked: the cost of a program's first call.
  [[nodiscard]] virtual bool times_cold_calls() const { return false; }

  /// Throws `bad_cell` if `what` names a problem, type or parameter that does not exist.
  virtual void check(const cell& what) const = 0;
  /// The peak memory of the experiment, with inputs, oracle and the backend's scratch memory.
  /// Units: bytes.
  [[nodiscard]] virtual std::size_t memory_bytes(const cell& what) const = 0;
  /// Builds the experiment, or returns why it cannot run.
  virtual std::variant<std::unique_ptr<experiment>, skip> make(const cell& what) const = 0;
  /// Calls `body(context)` while the backend's pool has exactly `threads` threads. Throws
  /// `cannot_run` if the library rejects that many.
  virtual void with_threads(int threads, void (*body)(void* context), void* context) const = 0;
};

/// The `main` of every bench program: parses the command line or the stream, measures, writes
/// records, returns the exit code.
int bench_main(int argc, char** argv, const suite& what);

}  // namespace weft::lab

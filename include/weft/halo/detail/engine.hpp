// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled part of an exchange: one plan for fields of known shapes, whose addresses come late.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/tuning.hpp"

namespace weft::halo::detail {

class running_exchange;

/// Runs one plan, repeatedly.
///
/// Threads: construction and each exchange are collective over the grid's communicator; one thread
///          at a time.
class engine {
 public:
  engine(std::shared_ptr<grid> processes,
         const exchange_options& options,
         std::vector<shape> fields,
         bool is_reverse,
         const std::source_location& where);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  [[nodiscard]] const std::vector<shape>& fields() const noexcept;
  [[nodiscard]] const exchange_options& options() const noexcept;

  /// The steps of an exchange. Errors: `halo::error` (`wrong_state`) in any other order, and
  /// (`bad_field`) for null pointers, fields that overlap, or others than `pack` was given.
  void pack(std::span<std::byte* const> fields);
  void start();
  void wait();
  void unpack(std::span<std::byte* const> fields, std::span<const combining> how = {});

  /// `pack` and `start`; then `advance` until it returns true, or `finish`.
  void begin(std::span<std::byte* const> fields);
  bool advance();
  /// As `advance`, and lets others run if there was nothing to do.
  void advance_or_pause();
  void finish();
  /// A direction whose halo cells arrived since the last call; empty: none.
  [[nodiscard]] std::optional<direction> next_arrival();
  [[nodiscard]] bool is_idle() const noexcept;

  [[nodiscard]] std::string report() const;
  void self_test();
  /// Where a message about a long wait says that it was made.
  void name_place(const std::string& text);
  /// For destructors: an error becomes a message.
  void finish_quietly() noexcept;

 private:
  std::source_location where_;  // of whoever made the exchange: errors name it
  std::unique_ptr<running_exchange> impl_;
};

/// Engines of one exchange object, by the fields' shapes.
class engine_cache {
 public:
  /// `where`: the line that made the exchange object, which errors name.
  engine_cache(std::shared_ptr<grid> processes,
               const exchange_options& options,
               const std::source_location& where);

  /// Of languages without std::source_location: where the exchange object was made, as
  /// "heat.c:12", which only messages about long waits name.
  void name_place(std::string text) { place_ = std::move(text); }
  /// The engine for such fields; a new one is made collectively.
  std::shared_ptr<engine> find(std::span<const shape> fields, bool is_reverse);
  /// Another engine for them, collectively, of the choices that `find` has.
  [[nodiscard]] std::shared_ptr<engine> make(std::span<const shape> fields) const;
  /// Times ways to exchange these fields; the fastest is what `find` returns from now on.
  tuning tune(std::span<const shape> fields,
              std::span<std::byte* const> pointers,
              const tuning_options& how);
  /// Errors: `halo::error` (`too_many_fields`) beyond `max_fields`.
  void check_number(std::size_t num_fields) const;
  /// Throws with the exchange's line.
  [[noreturn]] void refuse(errc code, const std::string& why) const;
  [[nodiscard]] const std::shared_ptr<grid>& processes() const noexcept { return processes_; }
  [[nodiscard]] const exchange_options& options() const noexcept { return options_; }
  /// Those for such fields, which may have been tuned.
  [[nodiscard]] const exchange_options& options_for(std::span<const shape> fields) const;
  [[nodiscard]] std::string report() const;

 private:
  struct entry {
    bool is_reverse;
    std::shared_ptr<engine> made;
  };
  [[nodiscard]] std::vector<entry>::iterator position(std::span<const shape> fields,
                                                      bool is_reverse);

  std::shared_ptr<grid> processes_;
  exchange_options options_;
  std::source_location where_;
  std::string place_;
  std::vector<entry> entries_;  // the one used last is first
};

}  // namespace weft::halo::detail

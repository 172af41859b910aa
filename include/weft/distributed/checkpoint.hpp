// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores objects in a file and loads them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/archive_part.hpp"
#include "weft/distributed/detail/type_signature.hpp"

namespace weft::distributed {

/// Thrown for a checkpoint that cannot be written, or that is no undamaged checkpoint of the types
/// asked for.
///
/// Example: tests/distributed/checkpoint_test.cpp: every_flipped_bit_is_found.
class checkpoint_error : public error {
 public:
  using error::error;
};

namespace detail {

/// Writes header, bytes, parts and checksum.
void write_checkpoint(std::ostream& to,
                      std::uint64_t types,
                      std::span<const std::byte> bytes,
                      std::span<const part> parts);
void write_checkpoint(const std::filesystem::path& file,
                      std::uint64_t types,
                      std::span<const std::byte> bytes,
                      std::span<const part> parts);

/// Whether other data may follow a checkpoint.
enum class stream_end : std::uint8_t { of_checkpoint, anywhere };

/// Reads a checkpoint; between header and checksum its user receives the parts.
class checkpoint_reader {
 public:
  /// Reads the header and the bytes, and checks both. `name` stands in errors.
  checkpoint_reader(std::istream& from, std::uint64_t types, std::string name, stream_end end);

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t num_part_bytes() const noexcept { return num_part_bytes_; }

  /// Reads the parts, and checks them.
  void finish(std::span<const part_to_fill> parts);

  /// Throws `checkpoint_error`. `reason` names the defect of the checkpoint.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  void read(void* to, std::size_t size);
  void check_sum();

  std::istream& from_;
  std::string name_;
  std::vector<std::byte> bytes_;
  std::size_t num_part_bytes_ = 0;
  std::uint64_t checksum_ = 0;
};

/// Calls `load` with a stream that reads the file.
void with_checkpoint_file(const std::filesystem::path& file,
                          void (*load)(std::istream& from, const std::string& name, void* values),
                          void* values);

template <class... T>
void load_values(std::istream& from,
                 const std::string& name,
                 stream_end end,
                 std::tuple<T&...> values) {
  std::tuple<T...> loaded;
  checkpoint_reader reader(from, signature_of<T...>(), name, end);
  input_archive in(reader.bytes(), reader.num_part_bytes());
  try {
    std::apply([&](T&... each) { in(each...); }, loaded);
    in.finish();
  } catch (const archive_error& damage) {
    reader.fail(damage.what());
  }
  reader.finish(in.parts_to_fill());
  [&]<std::size_t... i>(std::index_sequence<i...> /*values*/) {
    ((std::get<i>(values) = std::move(std::get<i>(loaded))), ...);
  }(std::index_sequence_for<T...>{});
}

}  // namespace detail

/// Writes `values` to a file, which it replaces in one step.
///
/// If the program or the machine stops meanwhile, the file holds either the old values or the new
/// ones.
///
/// Cost:    one pass over the data for its checksum, one to write it; large data is not copied.
/// Threads: any; blocks until the file is on disk. The values must not change meanwhile.
/// Errors:  `checkpoint_error`; the file is then as it was.
/// Example: tests/distributed/checkpoint_test.cpp: values_come_back_from_a_file.
template <serializable... T>
void save_checkpoint(const std::filesystem::path& file, const T&... values) {
  output_archive out;
  out(values...);
  detail::write_checkpoint(file, detail::signature_of<T...>(), out.bytes(), out.parts());
}

/// The same for a binary stream, at its present position.
template <serializable... T>
void save_checkpoint(std::ostream& to, const T&... values) {
  output_archive out;
  out(values...);
  detail::write_checkpoint(to, detail::signature_of<T...>(), out.bytes(), out.parts());
}

/// Reads what `save_checkpoint` wrote, into values of the same types.
///
/// Cost:    one pass over the data; the values exist twice until all of them are loaded.
/// Threads: any; blocks until the file is read.
/// Errors:  `checkpoint_error` if the file is missing, damaged, of another version, machine or of
///          other types; the values are then as they were.
/// Example: tests/distributed/checkpoint_test.cpp: values_come_back_from_a_file.
template <serializable... T>
void load_checkpoint(const std::filesystem::path& file, T&... values) {
  std::tuple<T&...> into(values...);
  detail::with_checkpoint_file(
      file,
      [](std::istream& from, const std::string& name, void* to) {
        detail::load_values(
            from, name, detail::stream_end::of_checkpoint, *static_cast<std::tuple<T&...>*>(to));
      },
      &into);
}

/// The same for a binary stream that can seek; it stands behind the checkpoint then.
template <serializable... T>
void load_checkpoint(std::istream& from, T&... values) {
  detail::load_values(
      from, "in the stream", detail::stream_end::anywhere, std::tuple<T&...>(values...));
}

}  // namespace weft::distributed

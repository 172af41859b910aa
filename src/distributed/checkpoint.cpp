// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format of checkpoints: a header, the bytes of an archive, their checksum, the archive's
// parts, and a checksum of the whole file.
#include "weft/distributed/checkpoint.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <istream>
#include <ostream>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/archive_part.hpp"

#include "base/output_file.hpp"
#include "distributed/checksum.hpp"

namespace weft::distributed::detail {

namespace {

constexpr std::uint64_t magic = 0x0a54504b43544657;  // "WFTCKPT\n" in little-endian order
constexpr std::uint64_t format_version = 1;

/// Eight-byte fields only, so that it has no padding.
struct checkpoint_header {
  std::uint64_t magic;
  std::uint64_t version;
  std::uint64_t layout;
  std::uint64_t types;
  std::uint64_t num_bytes;
  std::uint64_t num_part_bytes;
  std::uint64_t checksum;  // of the fields above
};

std::uint64_t checksum_of(const checkpoint_header& header) {
  return crc64(std::as_bytes(std::span(&header, 1)).first(offsetof(checkpoint_header, checksum)));
}

/// Two checksums follow the data.
constexpr std::size_t least_file_bytes = sizeof(checkpoint_header) + 2 * sizeof(std::uint64_t);

using write_function = std::function<void(std::span<const std::byte>)>;

void write_all(const write_function& write,
               std::uint64_t types,
               std::span<const std::byte> bytes,
               std::span<const part> parts) {
  checkpoint_header header{.magic = magic,
                           .version = format_version,
                           .layout = archive_layout(),
                           .types = types,
                           .num_bytes = bytes.size(),
                           .num_part_bytes = 0,
                           .checksum = 0};
  for (const part& each : parts) {
    header.num_part_bytes += each.size;
  }
  header.checksum = checksum_of(header);
  std::uint64_t sum = 0;
  const auto add = [&](std::span<const std::byte> some) {
    sum = crc64(some, sum);
    write(some);
  };
  add(std::as_bytes(std::span(&header, 1)));
  add(bytes);
  write(std::as_bytes(std::span(&sum, 1)));
  for (const part& each : parts) {
    add({each.data, each.size});
  }
  write(std::as_bytes(std::span(&sum, 1)));
}

/// The bytes between the stream's position and its end.
std::uint64_t bytes_left(std::istream& from) {
  const auto here = from.tellg();
  from.seekg(0, std::ios::end);
  const auto end = from.tellg();
  from.seekg(here);
  return from && end >= here ? static_cast<std::uint64_t>(end - here) : 0;
}

std::string text_of(int code) { return std::generic_category().message(code); }

[[noreturn]] void fail_to_write(const std::string& name, const std::string& reason) {
  throw checkpoint_error(errc::filesystem_error,
                         "the checkpoint " + name + " cannot be written: " + reason);
}

/// A file that is deleted unless it is renamed.
class unfinished_file {
 public:
  explicit unfinished_file(const std::filesystem::path& file)
      : path_(file), name_("'" + file.string() + "'") {
    // threads that save to the same path use different temporary files
    static std::atomic<unsigned> num_made = 0;
    path_ += ".unfinished." + std::to_string(getpid()) + "." +
             std::to_string(num_made.fetch_add(1, std::memory_order_relaxed));
    const weft::detail::opened_file opened = weft::detail::create_own_file(path_);
    if (!opened.is_open()) {
      fail_to_write(name_, opened.problem);
    }
    number_ = opened.number;
    stream_ = weft::detail::stream_of(opened);
    if (stream_ == nullptr) {
      fail_to_write(name_, text_of(errno));
    }
  }
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  ~unfinished_file() {
    if (!path_.empty()) {
      std::error_code ignored;
      std::filesystem::remove(path_, ignored);
    }
  }

  void write(std::span<const std::byte> some) {
    if (std::fwrite(some.data(), 1, some.size(), stream_.get()) != some.size()) {
      fail_to_write(name_, text_of(errno));
    }
  }

  void become(const std::filesystem::path& file) {
    if (std::fflush(stream_.get()) != 0 || fsync(number_) != 0 ||
        std::fclose(stream_.release()) != 0) {
      fail_to_write(name_, text_of(errno));
    }
    std::error_code problem;
    std::filesystem::rename(path_, file, problem);
    if (problem) {
      fail_to_write(name_, problem.message());
    }
    path_.clear();
  }

 private:
  std::filesystem::path path_;
  std::string name_;
  int number_ = -1;  // of the descriptor in stream_
  weft::detail::output_stream stream_;
};

}  // namespace

void write_checkpoint(std::ostream& to,
                      std::uint64_t types,
                      std::span<const std::byte> bytes,
                      std::span<const part> parts) {
  write_all(
      [&](std::span<const std::byte> some) {
        to.write(reinterpret_cast<const char*>(some.data()),
                 static_cast<std::streamsize>(some.size()));
      },
      types,
      bytes,
      parts);
  if (!to.flush()) {
    fail_to_write("for a stream", "the stream reports an error");
  }
}

void write_checkpoint(const std::filesystem::path& file,
                      std::uint64_t types,
                      std::span<const std::byte> bytes,
                      std::span<const part> parts) {
  unfinished_file made(file);
  write_all([&](std::span<const std::byte> some) { made.write(some); }, types, bytes, parts);
  made.become(file);
}

checkpoint_reader::checkpoint_reader(std::istream& from,
                                     std::uint64_t types,
                                     std::string name,
                                     stream_end end)
    : from_(from), name_(std::move(name)) {
  const std::uint64_t there = bytes_left(from);
  checkpoint_header header{};
  if (there < least_file_bytes) {
    fail("it is too short");
  }
  read(&header, sizeof header);
  if (header.magic != magic) {
    fail("it is no checkpoint of weft, or one of a machine with another byte order");
  }
  if (header.checksum != checksum_of(header)) {
    fail("its header is damaged");
  }
  if (header.version != format_version) {
    fail("its format has version " + std::to_string(header.version) + ", and this program reads " +
         std::to_string(format_version));
  }
  if (header.layout != archive_layout()) {
    fail("a machine wrote it that stores numbers in another way");
  }
  if (header.types != types) {
    fail("it has values of other types: load the types that were saved, in the same order");
  }
  const std::uint64_t data = there - least_file_bytes;
  if (header.num_bytes > data || header.num_part_bytes > data - header.num_bytes) {
    fail("it is too short for the data that its header announces");
  }
  if (end == stream_end::of_checkpoint && data != header.num_bytes + header.num_part_bytes) {
    fail("bytes follow its end");
  }
  num_part_bytes_ = header.num_part_bytes;
  bytes_.resize(header.num_bytes);
  read(bytes_.data(), bytes_.size());
  check_sum();
}

void checkpoint_reader::check_sum() {
  std::uint64_t stored = 0;
  const bool is_read =
      static_cast<bool>(from_.read(reinterpret_cast<char*>(&stored), sizeof stored));
  if (!is_read || stored != checksum_) {
    fail("its checksum is wrong");
  }
}

void checkpoint_reader::read(void* to, std::size_t size) {
  if (!from_.read(static_cast<char*>(to), static_cast<std::streamsize>(size))) {
    fail("it cannot be read to its end");
  }
  checksum_ = crc64({static_cast<const std::byte*>(to), size}, checksum_);
}

void checkpoint_reader::finish(std::span<const part_to_fill> parts) {
  std::size_t sum = 0;
  for (const part_to_fill& each : parts) {
    sum += each.size;
  }
  if (sum != num_part_bytes_) {
    fail("its parts have " + std::to_string(num_part_bytes_) + " bytes, and its values " +
         std::to_string(sum));
  }
  for (const part_to_fill& each : parts) {
    read(each.data, each.size);
  }
  check_sum();
}

void checkpoint_reader::fail(const std::string& reason) const {
  throw checkpoint_error(errc::invalid_data,
                         "the checkpoint " + name_ + " cannot be loaded: " + reason);
}

void with_checkpoint_file(const std::filesystem::path& file,
                          void (*load)(std::istream& from, const std::string& name, void* values),
                          void* values) {
  const std::string name = "'" + file.string() + "'";
  std::ifstream from(file, std::ios::binary);
  if (!from) {
    throw checkpoint_error(errc::filesystem_error,
                           "the checkpoint " + name + " cannot be opened: " + text_of(errno));
  }
  load(from, name, values);
}

}  // namespace weft::distributed::detail

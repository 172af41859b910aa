// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serialised data: any bytes are refused by `archive_error` or are a value, which is written and read
// again; its copy takes as many bytes. The first byte chooses the type.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "weft/distributed/archive.hpp"

#include "tests/fuzz/input_file.hpp"

namespace {

using weft::distributed::archive_error;
using weft::distributed::input_archive;
using weft::distributed::output_archive;

constexpr std::size_t max_part_bytes = 1 << 16;

struct record {
  std::int32_t id = 0;
  bool is_new = false;
  double weight = 0;
  std::string name;
  std::optional<std::vector<float>> values;
};

struct tree {
  std::uint8_t value = 0;
  std::vector<tree> children;
};

struct chain {
  std::unique_ptr<chain> next;
};

struct empty {};

class account {
 public:
  template <class Archive>
  void serialize(Archive& archive) {
    archive(owner_, bookings_);
  }

 private:
  std::string owner_;
  std::vector<record> bookings_;
};

using types = std::tuple<std::vector<double>,
                         std::string,
                         std::vector<bool>,
                         std::vector<record>,
                         tree,
                         chain,
                         std::vector<empty>,
                         account,
                         std::map<std::string, std::vector<std::uint16_t>>,
                         std::set<std::vector<int>>,
                         std::unordered_map<std::uint32_t, std::deque<std::string>>,
                         std::variant<std::monostate, int, std::string, std::vector<account>>,
                         std::array<double, 200>,
                         std::tuple<char, std::vector<std::array<std::int64_t, 2>>>,
                         std::vector<std::optional<std::pair<bool, long double>>>>;

/// Bytes of a value, and how large its parts are.
template <class T>
std::pair<std::vector<std::byte>, std::size_t> written(const T& value) {
  output_archive out(1024);
  out(value);
  std::size_t num_part_bytes = 0;
  for (const auto& each : out.parts()) {
    num_part_bytes += each.size;
  }
  return {out.take_bytes(), num_part_bytes};
}

template <class T>
void read(std::span<const std::byte> bytes) {
  auto value = std::make_unique<T>();
  try {
    input_archive in(bytes, max_part_bytes);
    in(*value);
    std::size_t num_part_bytes = 0;
    for (const auto& each : in.parts_to_fill()) {
      std::memset(each.data, 1, each.size);
      num_part_bytes += each.size;
    }
    weft::fuzz::require(num_part_bytes <= max_part_bytes);
    in.finish();
  } catch (const archive_error& found) {
    weft::fuzz::require(found.offset_bytes() <= bytes.size());
    return;
  }
  const auto [again, part_bytes] = written(*value);
  auto copy = std::make_unique<T>();
  input_archive in(again, part_bytes);
  in(*copy);
  in.finish();
  // Not the bytes themselves: a copy of a hash table may have another order.
  const auto [once_more, same_part_bytes] = written(*copy);
  weft::fuzz::require(once_more.size() == again.size() && same_part_bytes == part_bytes);
}

template <std::size_t... i>
void read_type(std::size_t type,
               std::span<const std::byte> bytes,
               std::index_sequence<i...> /*types*/) {
  ((type == i ? read<std::tuple_element_t<i, types>>(bytes) : void()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  constexpr std::size_t num_types = std::tuple_size_v<types>;
  // A copy, so that AddressSanitizer sees the end of the bytes.
  const auto copy = std::make_unique<std::byte[]>(size - 1);
  std::copy_n(reinterpret_cast<const std::byte*>(data) + 1, size - 1, copy.get());
  read_type(data[0] % num_types, {copy.get(), size - 1}, std::make_index_sequence<num_types>{});
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where handles lead, and how ranks learn that an object has moved.
#include <cstdint>
#include <memory>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/object_call.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/distributed/detail/rank_tables.hpp"

namespace weft::distributed::detail {
namespace {

/// Called on a rank that has a handle, when the object has moved.
struct learn_target {
  using arguments = std::tuple<object_id, std::int32_t>;
  using result = void;
  static void call(engine& home, object_id&& id, std::int32_t&& place) {
    objects_of(home).learn(id, place);
  }
};

/// Called on the home of an object.
struct note_place_target {
  using arguments = std::tuple<object_id, std::int32_t, std::uint64_t>;
  using result = void;
  static void call(engine& home, object_id&& id, std::int32_t&& place, std::uint64_t&& version) {
    objects_of(home).note_place(id, place, version);
  }
};

}  // namespace

object_table& objects_of(engine& home) noexcept { return *home.tables().objects; }

object_reference& known(const std::shared_ptr<object_reference>& one) {
  if (one == nullptr) {
    throw error(errc::invalid_status,
                "this remote handle is empty: use the one that the future of make_remote gives");
  }
  return *one;
}

std::shared_ptr<object_reference> joined(const sent_reference& sent) {
  return sent.object.home < 0 ? nullptr : objects_of(engine::current()).join(sent);
}

void tell_place(engine& home, int caller, object_id id, int place) {
  if (caller == home.rank()) {
    objects_of(home).learn(id, place);
  } else {
    start_post<learn_target>(home, caller, {id, place});
  }
}

void take_in(engine& home,
             object_id id,
             std::shared_ptr<void> object,
             const std::type_info& type,
             std::uint64_t version) {
  object_table& all = objects_of(home);
  all.install(id, std::move(object), type, version);
  try {
    start_call<note_place_target>(home, id.home, {id, home.rank(), version}).get();
  } catch (...) {
    all.destroy(id);
    throw;
  }
}

}  // namespace weft::distributed::detail

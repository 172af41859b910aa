// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled part of weft/halo.py: grids, plans for fields of known shapes, shared memory.
// halo.py itself converts all objects of NumPy and mpi4py.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
// Type conversions; no code names these headers.
#include <nanobind/stl/optional.h>    // IWYU pragma: keep
#include <nanobind/stl/pair.h>        // IWYU pragma: keep
#include <nanobind/stl/shared_ptr.h>  // IWYU pragma: keep
#include <nanobind/stl/string.h>      // IWYU pragma: keep
#include <nanobind/stl/vector.h>      // IWYU pragma: keep

#include "weft/halo.hpp"
#include "weft/halo/detail/engine.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"

#include "_weft_parts.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/overlaps.hpp"
#include "halo/plan/plan.hpp"

namespace {

namespace nb = nanobind;
namespace halo = weft::halo;
namespace detail = weft::halo::detail;

using grid_ptr = std::shared_ptr<detail::grid>;
using numbers = std::vector<std::ptrdiff_t>;

/// Five numbers per dimension, strides in bytes, element size and the name of the type.
detail::shape shape_of(const std::vector<numbers>& box,
                       const numbers& strides,
                       std::size_t element_bytes,
                       const std::string& type) {
  if (box.empty() || box.size() > detail::max_dims) {
    throw halo::error(halo::errc::bad_field,
                      "a field of " + std::to_string(box.size()) +
                          " dimensions; fields have 1 to " + std::to_string(detail::max_dims));
  }
  detail::shape made{.num_dims = box.size(),
                     .element_bytes = element_bytes,
                     .type = detail::hash_of("numpy " + type)};
  for (std::size_t d = 0; d < box.size(); ++d) {
    const numbers& five = box[d];
    made.axes[d] = halo::axis(five.at(0), five.at(1), five.at(2), five.at(3), five.at(4));
    made.strides[d] = strides.at(d);
  }
  return made;
}

template <class Enum>
Enum named(const std::string& option, const std::string& name, std::initializer_list<Enum> all) {
  std::string known;
  for (const Enum each : all) {
    if (to_string(each) == name) {
      return each;
    }
    known += (known.empty() ? "" : ", ") + std::string(to_string(each));
  }
  throw std::invalid_argument(option + "='" + name + "' does not exist; there are " + known);
}

/// An exchange of fields whose shapes are passed at the call.
class exchanger {
 public:
  exchanger(const grid_ptr& grid,
            const std::vector<std::string>& names,
            int validate,
            double patience_s,
            const std::string& made_at)
      : engines_(grid, options_of(names, validate, patience_s), std::source_location()) {
    engines_.name_place(made_at);
  }

  /// Whether ranks compare their arguments at each call.
  [[nodiscard]] bool is_watched() const {
    return engines_.options().validate >= halo::validation::check_sums;
  }
  void prepare(const std::vector<detail::shape>& shapes) {
    running_ = engines_.find(shapes, false);
    if (std::ranges::find(planned_, shapes) == planned_.end()) {
      planned_.push_back(shapes);
    }
  }
  void begin(const std::vector<detail::shape>& shapes, const std::vector<std::uintptr_t>& fields) {
    detail::refusal trouble;
    if (running_ != nullptr && !running_->is_idle()) {
      trouble = {
          "an exchange is under way; wait for it before the next one, or use a second "
          "exchange object",
          halo::errc::wrong_state};
    } else {
      pointers_.clear();
      for (const std::uintptr_t each : fields) {
        // NOLINTNEXTLINE(*-reinterpret-cast,performance-no-int-to-ptr): NumPy's are numbers
        pointers_.push_back(reinterpret_cast<std::byte*>(each));
      }
    }
    if (is_watched()) {
      compare(shapes, std::move(trouble));
    } else if (!trouble.why.empty()) {
      throw halo::error(trouble.code, trouble.why);
    }
    prepare(shapes);
    running_->begin(pointers_);
  }
  void finish() {
    if (running_ != nullptr) {
      running_->finish();
    }
  }
  bool advance() { return running_ == nullptr || running_->is_idle() || running_->advance(); }
  std::optional<std::vector<int>> wait_any_side(std::size_t num_dims) {
    while (running_ != nullptr) {
      if (const auto found = running_->next_arrival(); found.has_value()) {
        return std::vector<int>(found->begin(),
                                found->begin() + static_cast<std::ptrdiff_t>(num_dims));
      }
      if (running_->is_idle()) {
        break;
      }
      running_->advance_or_pause();
    }
    return std::nullopt;
  }
  void self_test(const std::vector<detail::shape>& shapes) {
    engines_.find(shapes, false)->self_test();
  }
  [[nodiscard]] std::string report() const { return engines_.report(); }
  void close() {
    if (running_ != nullptr) {
      running_->finish_quietly();
      running_.reset();
    }
    engines_ = detail::engine_cache(nullptr, engines_.options(), std::source_location());
  }

 private:
  static halo::exchange_options options_of(const std::vector<std::string>& names,
                                           int validate,
                                           double patience_s) {
    constexpr double most_patience_s = 1e9;
    // Tests for the valid range: a test for invalid values would let NaN pass.
    if (!(patience_s >= 0 && patience_s <= most_patience_s)) {
      throw std::invalid_argument("patience_s=" + std::to_string(patience_s) +
                                  ": it may be 0 for no message, to 1e9");
    }
    using halo::validation;
    if (validate < static_cast<int>(validation::automatic) ||
        validate > static_cast<int>(validation::cells)) {
      throw std::invalid_argument("validate=" + std::to_string(validate) +
                                  ": it may be 0 to 3, or -1 for what WEFT_HALO_VALIDATE says");
    }
    const auto patience =
        std::chrono::round<std::chrono::milliseconds>(std::chrono::duration<double>(patience_s));
    using halo::directions;
    using halo::packing;
    using halo::schedule;
    using halo::transport;
    return {
        .packing = named("packing",
                         names.at(0),
                         {packing::automatic,
                          packing::loops,
                          packing::mpi_pack,
                          packing::mpi_datatype,
                          packing::direct}),
        .schedule =
            named("schedule", names.at(1), {schedule::automatic, schedule::bulk, schedule::staged}),
        .directions = named("directions",
                            names.at(2),
                            {directions::faces, directions::faces_edges, directions::all}),
        .transport = named("transport", names.at(3), {transport::automatic, transport::messages}),
        .validate = static_cast<validation>(validate),
        .patience = patience_s == 0 ? std::nullopt : std::optional(patience)};
  }

  /// Raises on all ranks if one rank cannot begin, or if their lists of fields differ. Also raises
  /// for fields that are new to only one rank, as no other rank would plan with it. Collective.
  void compare(const std::vector<detail::shape>& shapes, detail::refusal trouble) const {
    const detail::grid& processes = *engines_.processes();
    if (trouble.why.empty()) {
      trouble = {detail::overlap_finder().among(shapes, pointers_), halo::errc::bad_field};
    }
    detail::refuse_together(processes, trouble, std::source_location());
    const auto found = std::ranges::find(planned_, shapes);
    const auto number =
        found == planned_.end() ? -1 : static_cast<int>(std::distance(planned_.begin(), found));
    struct of_rank {  // the layout of MPI_2INT
      int number;
      int rank;
    };
    std::array<of_rank, 2> most{{{number, processes.rank()}, {-number, processes.rank()}}};
    detail::check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_2INT, MPI_MAXLOC, processes.comm()),
        "MPI_Allreduce");
    const auto [last, first] = most;
    if (last.number != -first.number) {
      throw halo::error(halo::errc::ranks_disagree,
                        "ranks disagree: " + passed(first.rank, -first.number) + ", " +
                            passed(last.rank, last.number) +
                            "; pass the same fields in the same order on all ranks");
    }
  }
  static std::string passed(int rank, int number) {
    return "rank " + std::to_string(rank) +
           (number < 0 ? " passes fields that are new to it"
                       : " passes list " + std::to_string(number) + " of those it has exchanged");
  }

  detail::engine_cache engines_;
  std::shared_ptr<detail::engine> running_;
  std::vector<std::vector<detail::shape>> planned_;  // in the same order on all ranks
  std::vector<std::byte*> pointers_;
};

/// Memory that ranks of a node share.
class memory {
 public:
  memory(grid_ptr grid, std::size_t num_bytes)
      : grid_(std::move(grid)), size_(num_bytes), segment_(grid_->share(num_bytes)) {
    data_ = grid_->shared_memory(segment_, grid_->node_rank());
    // Touched first by its owner, so that the pages are on the owner's NUMA node.
    std::fill_n(data_, size_, std::byte{0});
  }
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() { close(); }

  void close() {
    if (grid_ != nullptr) {
      grid_->unshare(segment_);
      grid_.reset();
    }
  }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  grid_ptr grid_;
  std::size_t size_;
  std::int64_t segment_;
  std::byte* data_ = nullptr;
};

const char* name_of(halo::errc code) {
  using halo::errc;
  switch (code) {
    case errc::bad_axis:
      return "bad_axis";
    case errc::bad_grid:
      return "bad_grid";
    case errc::bad_field:
      return "bad_field";
    case errc::narrow_inner:
      return "narrow_inner";
    case errc::ranks_disagree:
      return "ranks_disagree";
    case errc::too_many_fields:
      return "too_many_fields";
    case errc::wrong_state:
      return "wrong_state";
    case errc::unsupported:
      return "unsupported";
    case errc::mpi_call:
      return "mpi_call";
    case errc::validation_failed:
      return "validation_failed";
    case errc::other_rank_refused:
      return "other_rank_refused";
    default:
      return "failed";
  }
}

/// Raises weft.halo.error for halo::error.
void translate(const std::exception_ptr& thrown, void* raised) {
  try {
    std::rethrow_exception(thrown);
  } catch (const halo::error& error) {
    const nb::object arguments =
        nb::make_tuple(std::string(error.sentence()), name_of(error.code()), error.rank());
    // NOLINTNEXTLINE(misc-include-cleaner): Python.h's parts may not be included one by one
    PyErr_SetObject(static_cast<PyObject*>(raised), arguments.ptr());
  }
}

std::atomic<int> num_calls = 0;

/// A call without the GIL, during which the program must not free what the call uses.
class unlocked_call {
 public:
  unlocked_call() noexcept = default;
  unlocked_call(const unlocked_call&) = delete;
  unlocked_call& operator=(const unlocked_call&) = delete;
  ~unlocked_call() { --num_calls; }

 private:
  [[maybe_unused]] int number_ = ++num_calls;  // before the GIL is released
  weft::python::gil_released unlocked_;
};

std::vector<int> first(const std::array<int, detail::max_dims>& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

grid_ptr made_grid(int comm,
                   const std::vector<int>& dims,
                   const std::vector<bool>& periodic,
                   const std::vector<int>& maps_to) {
  detail::grid_request what{.num_dims = dims.size()};
  what.dims.fill(1);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    what.dims.at(d) = dims[d];
    what.periodic.at(d) = periodic.at(d);
    what.maps_to.at(d) = maps_to.at(d);
  }
  return std::make_shared<detail::grid>(MPI_Comm_f2c(comm), what, std::source_location::current());
}

/// Raises on all ranks if `why` is not empty on any rank.
void refuse_together(const grid_ptr& grid, const std::string& why) {
  const detail::refusal trouble{why, halo::errc::wrong_state};
  detail::refuse_together(*grid, trouble, std::source_location());
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

NB_MODULE(_halo, m) {            // NOLINT(*)
  nb::set_leak_warnings(false);  // programs may end while fields and exchanges still exist
  m.def("library_version", &library_version);
  m.def("row_padding", &detail::row_padding);
  m.def("translate_errors_to", [](const nb::object& type) {
    nb::register_exception_translator(translate, type.inc_ref().ptr());
  });
  nb::class_<detail::shape>(m, "shape")
      .def("__init__",
           [](detail::shape* self,
              const std::vector<numbers>& box,
              const numbers& strides,
              std::size_t element_bytes,
              const std::string& type) {
             new (self) detail::shape(shape_of(box, strides, element_bytes, type));
           })
      .def("__eq__", [](const detail::shape& a, const detail::shape& b) { return a == b; });
  nb::class_<detail::grid>(m, "grid")
      .def_prop_ro("rank", &detail::grid::rank)
      .def_prop_ro("size", &detail::grid::size)
      .def_prop_ro("dims",
                   [](const detail::grid& self) { return first(self.dims(), self.num_dims()); })
      .def_prop_ro("coords",
                   [](const detail::grid& self) { return first(self.coords(), self.num_dims()); })
      .def("neighbour", [](const detail::grid& self, const std::vector<int>& towards) {
        detail::direction found{};
        for (std::size_t d = 0; d < towards.size(); ++d) {
          found.at(d) = towards[d];
        }
        return self.neighbour(found);
      });
  m.def("make_grid", &made_grid);
  const nb::call_guard<unlocked_call> unlocked;
  m.def("is_in_call", [] { return num_calls != 0; });
  m.def("refuse_together", &refuse_together, unlocked);
  nb::class_<exchanger>(m, "exchanger")
      .def(nb::init<const grid_ptr&,
                    const std::vector<std::string>&,
                    int,
                    double,
                    const std::string&>())
      .def_prop_ro("is_watched", &exchanger::is_watched)
      .def("prepare", &exchanger::prepare, unlocked)
      .def("begin", &exchanger::begin, unlocked)
      .def("finish", &exchanger::finish, unlocked)
      .def("advance", &exchanger::advance, unlocked)
      .def("wait_any_side", &exchanger::wait_any_side, unlocked)
      .def("self_test", &exchanger::self_test, unlocked)
      .def("report", &exchanger::report)
      .def("close", &exchanger::close);
  nb::class_<memory>(m, "memory")
      .def(nb::init<grid_ptr, std::size_t>())
      .def("close", &memory::close)
      .def("bytes", [](const nb::object& self) {
        const auto& owner = nb::cast<const memory&>(self);
        return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(
            owner.data(), {owner.size()}, self);
      });
}

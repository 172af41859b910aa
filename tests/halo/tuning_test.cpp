// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices that are measured: the same on all ranks, kept in a file, and refused from any other.
#include "weft/halo/tuning.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <locale>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include "weft/halo.hpp"

#include "halo/caught.hpp"
#include "halo/world.hpp"

namespace weft::halo::test {
namespace tuning_test {

using testing::HasSubstr;
using plane = layout::right<2>;

struct tried_field {
  explicit tried_field(const cart<2>& grid, std::ptrdiff_t width = 2)
      : around{.periodic = {true, true}, .cells_per_process = {8, 8}} {
    for (std::size_t d = 0; d < 2; ++d) {
      around.processes[d] = grid.num_processes(d);
      around.position[d] = grid.position(d);
      box[d] = axis::inner(around.inner(d)).halo(width);
    }
    cells.resize(static_cast<std::size_t>(box[0].length * box[1].length));
  }
  void expect_right_after(auto&& exchange_it) {
    known_field<double, 2> known(around, field(cells.data(), box), 1);
    known.fill(1);
    exchange_it();
    EXPECT_EQ(known.mismatch(), "");
  }

  world<2> around;
  axes<2> box;
  std::vector<double> cells;
};

cart<2> torus() { return cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}); }

/// A file that all ranks name alike, and that is gone at the end.
class shared_file {
 public:
  explicit shared_file(const std::string& folder = testing::TempDir()) {
    int id = getpid();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path = folder + "weft_tuning_" + std::to_string(id);
  }
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;
  ~shared_file() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      std::remove(path.c_str());
    }
  }
  void write(const std::string& text) const {
    if (rank_ == 0) {
      std::ofstream(path) << text;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  [[nodiscard]] std::string text() const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string path;

 private:
  int rank_ = 0;
};

TEST(Tuning, all_ranks_choose_the_same_and_cells_stay_right) {
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);

  const tuning found = ex.tune(data.cells.data());

  std::array<int, 4> choice{static_cast<int>(found.best.packing),
                            -static_cast<int>(found.best.packing),
                            static_cast<int>(found.best.schedule),
                            -static_cast<int>(found.best.schedule)};
  const std::array<int, 4> mine = choice;
  MPI_Allreduce(MPI_IN_PLACE, choice.data(), 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(choice, mine);
  EXPECT_EQ(found.tried.size(), 9U);  // three packings by three schedules: there is one node
  EXPECT_FALSE(found.is_from_file);
  for (const tuning::timed& each : found.tried) {
    EXPECT_GT(each.seconds, 0);
    EXPECT_TRUE(each.what != found.best || each.seconds == found.seconds);
  }
  data.expect_right_after([&] { ex(data.cells.data()); });
  EXPECT_THAT(ex.report(),
              HasSubstr("packing " + std::string(to_string(found.best.packing)) + ", schedule " +
                        std::string(to_string(found.best.schedule))));
}

TEST(Tuning, only_what_was_asked_for_is_tried_and_bound_exchanges_follow) {
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);
  exchange_any<2> any(grid);
  const tuning_options only{.candidates = {{packing::mpi_datatype, schedule::bulk}},
                            .num_samples = 2};

  const tuning found = ex.tune(only, data.cells.data());
  any.tune(only, field(data.cells.data(), data.box));

  EXPECT_EQ(found.best, only.candidates.front());
  EXPECT_EQ(found.tried.size(), 1U);
  auto bound = ex.bind(data.cells.data());
  auto bound_any = any.bind(field(data.cells.data(), data.box));
  EXPECT_THAT(bound.report(), HasSubstr("packing mpi_datatype, schedule bulk"));
  EXPECT_THAT(bound_any.report(), HasSubstr("packing mpi_datatype, schedule bulk"));
  data.expect_right_after([&] { bound(); });
  data.expect_right_after([&] { bound_any(); });
  data.expect_right_after([&] { any(field(data.cells.data(), data.box)); });
}

TEST(Tuning, faces_alone_are_not_tried_in_stages) {
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(
      grid, data.box, {.directions = directions::faces, .transport = transport::messages});

  const tuning found = ex.tune({.num_samples = 1}, data.cells.data());

  EXPECT_EQ(found.tried.size(), 4U);  // direct, too, where messages are sent
}

TEST(Tuning, a_file_keeps_choices_by_what_they_depend_on) {
  const shared_file file;
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);
  const tuning_options how{.num_samples = 1, .file = file.path};

  const tuning first = ex.tune(how, data.cells.data());

  EXPECT_FALSE(first.is_from_file);
  EXPECT_THAT(first.key, HasSubstr(std::to_string(grid.size()) + " ranks"));
  EXPECT_THAT(first.key, HasSubstr("; 8 B, inner "));
  EXPECT_THAT(file.text(), HasSubstr(first.key + "\n"));

  exchange<double, plane> again(grid, data.box);
  const tuning second = again.tune(how, data.cells.data());
  EXPECT_TRUE(second.is_from_file);
  EXPECT_EQ(second.best, first.best);
  EXPECT_NEAR(second.seconds, first.seconds, first.seconds / 1000);
  EXPECT_TRUE(second.tried.empty());
  data.expect_right_after([&] { again(data.cells.data()); });

  tried_field narrow(grid, 1);
  exchange<double, plane> other(grid, narrow.box);
  EXPECT_FALSE(other.tune(how, narrow.cells.data()).is_from_file);
  const std::string text = file.text();
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_TRUE(ex.tune(how, data.cells.data()).is_from_file);
}

/// `text` with the first `from` in it replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Tuning, a_link_beside_the_file_is_not_followed) {
  const auto grid = torus();
  tried_field data(grid);
  const shared_file file;
  const shared_file victim(testing::TempDir() + "victim_");
  const std::string beside = file.path + "." + std::to_string(getpid());
  victim.write("precious");
  static_cast<void>(symlink(victim.path.c_str(), beside.c_str()));
  exchange<double, plane> ex(grid, data.box);

  static_cast<void>(ex.tune({.num_samples = 1, .file = file.path}, data.cells.data()));

  EXPECT_EQ(victim.text(), "precious");
  EXPECT_NE(file.text(), "");
  std::remove(beside.c_str());
}

TEST(Tuning, choices_of_other_ranks_and_grids_are_not_taken) {
  const shared_file file;
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);
  const std::string key = ex.tune({.num_samples = 1}, data.cells.data()).key;
  const std::string ranks = std::to_string(grid.size()) + " ranks";
  const auto is_taken = [&](const std::string& of) {
    file.write("weft halo tuning 1\nmpi_datatype bulk 0.1 " + of + "\n");
    return ex.tune({.num_samples = 1, .file = file.path}, data.cells.data()).is_from_file;
  };

  EXPECT_TRUE(is_taken(key));
  EXPECT_FALSE(is_taken(with(key, ranks, "1" + ranks)));
  EXPECT_FALSE(is_taken(with(key, "; dims ", "; dims 2x")));
  EXPECT_FALSE(is_taken(with(key, "periodic 1,1", "periodic 1,0")));
  EXPECT_FALSE(is_taken(with(key, "map 0,1", "map 1,0")));
  EXPECT_FALSE(is_taken(key + "; 8 B, inner 8x8"));
}

TEST(Tuning, a_choice_of_some_is_none_of_all) {
  const shared_file file;
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);
  const candidate only{packing::mpi_datatype, schedule::bulk};
  const candidate other{packing::loops, schedule::bulk};
  const tuning_options one{.candidates = {only}, .num_samples = 1, .file = file.path};
  const tuning_options another{.candidates = {other}, .num_samples = 1, .file = file.path};
  const tuning_options all{.num_samples = 1, .file = file.path};

  EXPECT_FALSE(ex.tune(one, data.cells.data()).is_from_file);
  EXPECT_FALSE(ex.tune(all, data.cells.data()).is_from_file);
  EXPECT_FALSE(ex.tune(another, data.cells.data()).is_from_file);

  const tuning again = ex.tune(one, data.cells.data());
  EXPECT_TRUE(again.is_from_file);
  EXPECT_EQ(again.best, only);
  EXPECT_THAT(again.key, testing::EndsWith("; of mpi_datatype bulk"));
  EXPECT_EQ(ex.tune(another, data.cells.data()).best, other);
}

TEST(Tuning, a_file_does_not_follow_the_locale) {
  class commas final : public std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
  };
  const shared_file file;
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);
  const tuning_options how{.num_samples = 1, .file = file.path};

  const std::locale before = std::locale::global(std::locale(std::locale(), new commas));
  ex.tune(how, data.cells.data());
  std::locale::global(before);

  EXPECT_TRUE(ex.tune(how, data.cells.data()).is_from_file);
}

TEST(Tuning, keys_are_those_of_rank_0) {
  const auto grid = torus();
  tried_field data(grid);
  const executor copying(static_cast<std::size_t>(grid.rank()) + 1,
                         [](std::size_t count, const loop_body& body) {
                           for (std::size_t n = 0; n < count; ++n) {
                             body(n);
                           }
                         });
  exchange<double, plane> ex(grid, data.box, {.executor = copying});

  EXPECT_THAT(ex.tune({.num_samples = 1}, data.cells.data()).key, HasSubstr("copying threads 1;"));
}

TEST(Tuning, a_file_of_another_shape_is_refused) {
  const shared_file file;
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);
  const auto refused = [&] {
    return caught_from([&] { ex.tune({.num_samples = 1, .file = file.path}, data.cells.data()); });
  };

  file.write("weft halo tuning 0\n");
  EXPECT_THAT(refused().what,
              HasSubstr("its first line is \"weft halo tuning 0\", not \"weft halo tuning 1\""));
  EXPECT_EQ(refused().code, grid.rank() == 0 ? errc::bad_file : errc::other_rank_refused);
  for (const std::string line : {"loops sideways 0.1 key",
                                 "hoops bulk 0.1 key",
                                 "loops bulk 0.1",
                                 "loops bulk 0.1s key",
                                 "loops bulk -1 key",
                                 "loops bulk nan key",
                                 "loops bulk inf key",
                                 ""}) {
    file.write("weft halo tuning 1\nloops bulk 0.1 key\n" + line + "\n");
    EXPECT_THAT(refused().what,
                HasSubstr("line 3 does not read \"packing schedule seconds key\"; remove that line "
                          "to have it made anew"))
        << line;
  }
  data.expect_right_after([&] { ex(data.cells.data()); });
}

TEST(Tuning, a_file_that_cannot_be_written_is_an_error_on_all_ranks) {
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);

  EXPECT_THAT(
      error_of([&] { ex.tune({.num_samples = 1, .file = "/nowhere/at/all"}, data.cells.data()); }),
      HasSubstr("tuning file /nowhere/at/all: cannot be written: No such file"));
}

TEST(Tuning, options_that_mean_nothing_or_differ_are_errors) {
  const auto grid = torus();
  tried_field data(grid);
  exchange<double, plane> ex(grid, data.box);

  EXPECT_THAT(error_of([&] { ex.tune({.num_samples = 0}, data.cells.data()); }),
              HasSubstr("num_samples=0; it takes at least 1"));
  if (grid.size() > 1) {
    const auto differing =
        caught_from([&] { ex.tune({.num_samples = 1 + grid.rank() % 2}, data.cells.data()); });
    const auto none =
        caught_from([&] { ex.tune({.num_samples = 1 - grid.rank() % 2}, data.cells.data()); });
    EXPECT_THAT(none.what, HasSubstr(grid.rank() % 2 == 1 ? "num_samples=0" : "different options"));
    const auto nowhere = caught_from(
        [&] { ex.tune({.num_samples = 1}, grid.rank() == 1 ? nullptr : data.cells.data()); });
    EXPECT_THAT(nowhere.what, HasSubstr("field 0 is a null pointer"));
    EXPECT_EQ(differing.code, errc::ranks_disagree);
    EXPECT_THAT(differing.what, HasSubstr("ranks tune with different options"));
  }
}

}  // namespace tuning_test
}  // namespace weft::halo::test

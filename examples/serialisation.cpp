// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects become bytes and objects again: as an archive, and as a checkpoint that a simulation starts
// from again.
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <weft/distributed/archive.hpp>
#include <weft/distributed/checkpoint.hpp>

// An aggregate needs nothing.
struct particle {
  double position[3] = {};
  std::string species;
};

// A class with private members lists them once, for both directions.
class histogram {
 public:
  void add(int value) { ++counts_[value]; }
  friend bool operator==(const histogram&, const histogram&) = default;

 private:
  friend class weft::distributed::archive_access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(counts_);
  }

  std::map<int, long> counts_;
};

static bool archive_returns_equal_objects() {
  histogram ages;
  ages.add(30);
  ages.add(30);

  weft::distributed::output_archive out;
  out(ages, std::vector<particle>{{.position = {1, 2, 3}, .species = "proton"}});
  const std::vector<std::byte> bytes = out.take_bytes();

  histogram ages_again;
  std::vector<particle> particles;
  weft::distributed::input_archive in(bytes);
  in(ages_again, particles);
  in.finish();  // throws if bytes are left over
  return ages_again == ages && particles.at(0).species == "proton";
}

static bool simulation_goes_on(const std::filesystem::path& file) {
  int step = 0;
  std::vector<double> field(1000);
  for (; step < 10; ++step) {
    field[0] += 0.5;
  }
  weft::distributed::save_checkpoint(file, step, field);

  int step_again = 0;
  std::vector<double> field_again;
  weft::distributed::load_checkpoint(file, step_again, field_again);
  return step_again == 10 && field_again == field;
}

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "weft_example_serialisation";
  std::filesystem::create_directories(folder);
  const bool is_right = archive_returns_equal_objects() && simulation_goes_on(folder / "state");
  std::filesystem::remove_all(folder);
  std::puts(is_right ? "equal" : "different");
  return is_right ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bench program whose problems misbehave on purpose, so that runners can be tested against each
// kind of failure.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

#include "lab/harness/clock.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"

namespace weft::lab {
namespace {

double now_s() { return seconds(monotonic_clock().now_ns()); }

void spin(double duration_s) {
  const double end_s = now_s() + duration_s;
  while (now_s() < end_s) {
  }
}

/// Answers right and does nothing; the misbehaving problems override one thing each.
class tame : public experiment {
 public:
  verdict verify() override { return {}; }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call();
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 20; }
  [[nodiscard]] std::size_t bytes_min() const override { return 8; }

 private:
  virtual void call() = 0;
};

/// Takes `params.us` microseconds per call (default 100).
class steady final : public tame {
 public:
  explicit steady(const cell& what) {
    if (const auto found = what.params.find("us"); found != what.params.end()) {
      call_s_ = 1e-6 * static_cast<double>(found->second);
    }
  }

 private:
  void call() override { spin(call_s_); }
  double call_s_ = 100e-6;
};

/// Takes 50 to 150 microseconds, different each call.
class noisy final : public tame {
 public:
  explicit noisy(const cell& what) : random_(what.seed) {}

 private:
  void call() override { spin(duration_s_(random_)); }
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> duration_s_{50e-6, 150e-6};
};

class wrong final : public tame {
 public:
  verdict verify() override { return {.mismatch = "element 17 is 3, expected 4"}; }

 private:
  void call() override { std::abort(); }  // a wrong answer must never be timed
};

class crash final : public tame {
 private:
  void call() override { std::abort(); }
};

class hang final : public tame {
 private:
  void call() override {
    while (true) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }
};

/// Loses `size` bytes per call, at least a page.
class leak final : public tame {
 public:
  explicit leak(const cell& what) : bytes_(std::max<std::size_t>(what.size, 4096)) {}
  [[nodiscard]] std::size_t max_calls() const override { return 1; }

 private:
  void call() override {
    void* lost = std::malloc(bytes_);
    if (lost == nullptr) {
      throw std::bad_alloc();
    }
    std::memset(lost, 1, bytes_);
    keep(lost);
    spin(1e-3);
  }
  std::size_t bytes_;
};

class throws final : public tame {
 private:
  void call() override { throw std::runtime_error("planted exception"); }
};

class exhausts_memory final : public tame {
 private:
  void call() override { throw std::bad_alloc(); }
};

class slow_verify final : public tame {
 public:
  verdict verify() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return {};
  }

 private:
  void call() override { spin(100e-6); }
};

template <class Experiment>
std::unique_ptr<experiment> make_experiment(const cell& what) {
  if constexpr (std::is_constructible_v<Experiment, const cell&>) {
    return std::make_unique<Experiment>(what);
  } else {
    return std::make_unique<Experiment>();
  }
}

class fake_suite final : public suite {
 public:
  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] std::string_view backend() const override { return "fake"; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override { return {}; }
  [[nodiscard]] std::vector<std::string> problems() const override {
    std::vector<std::string> names;
    for (const auto& [problem, make_it] : makers()) {
      names.push_back(problem);
    }
    return names;
  }
  [[nodiscard]] bool is_serial() const override { return false; }
  void check(const cell& what) const override {
    for (const auto& [param, value] : what.params) {
      if (param != "us") {
        throw bad_cell("params", "unknown parameter \"" + param + "\"; valid: us");
      }
    }
  }
  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override { return what.size * 8; }
  std::variant<std::unique_ptr<experiment>, skip> make(const cell& what) const override {
    if (what.problem == "not_offered") {
      return skip{"not_offered", "the fake backend does not offer it", "use another backend"};
    }
    return makers().at(what.problem)(what);
  }
  void with_threads(int /*threads*/, void (*body)(void*), void* context) const override {
    body(context);
  }

 private:
  using maker = std::unique_ptr<experiment> (*)(const cell&);
  static const std::map<std::string, maker>& makers() {
    static const std::map<std::string, maker> table{
        {"crash", make_experiment<crash>},
        {"exhausts_memory", make_experiment<exhausts_memory>},
        {"hang", make_experiment<hang>},
        {"leak", make_experiment<leak>},
        {"noisy", make_experiment<noisy>},
        {"not_offered", nullptr},
        {"slow_verify", make_experiment<slow_verify>},
        {"steady", make_experiment<steady>},
        {"throws", make_experiment<throws>},
        {"wrong", make_experiment<wrong>},
    };
    return table;
  }
};

}  // namespace
}  // namespace weft::lab

int main(int argc, char** argv) {
  return weft::lab::bench_main(argc, argv, weft::lab::fake_suite());
}

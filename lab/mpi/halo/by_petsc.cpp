// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PETSc's distributed arrays: fills the halos of local vectors.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <petscdmda.h>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

void check(PetscErrorCode code, const char* call) {
  if (code != 0) {
    throw std::runtime_error(std::string(call) + " failed with PETSc's code " +
                             std::to_string(static_cast<int>(code)));
  }
}

/// PETSc's first dimension is the contiguous one, so dimensions are reversed. Each field is a
/// vector on the memory that all contestants use.
class petsc final : public contestant {
 public:
  petsc(const problem& what, const place& where, const own_fields& on) : all_(on.all()) {
    PetscBool has_begun = PETSC_FALSE;
    check(PetscInitialized(&has_begun), "PetscInitialized");
    if (has_begun == PETSC_FALSE) {
      check(PetscInitializeNoArguments(), "PetscInitialize");
    }
    // Cells beyond a boundary exist here too, but nothing fills them.
    const DMBoundaryType edge = what.is_periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_GHOSTED;
    const auto global = [&](std::size_t d) {
      return static_cast<PetscInt>(what.size[d]) * where.dims[d];
    };
    check(DMDACreate3d(where.comm,
                       edge,
                       edge,
                       edge,
                       DMDA_STENCIL_BOX,
                       global(2),
                       global(1),
                       global(0),
                       where.dims[2],
                       where.dims[1],
                       where.dims[0],
                       1,
                       static_cast<PetscInt>(what.width),
                       nullptr,
                       nullptr,
                       nullptr,
                       &array_),
          "DMDACreate3d");
    check(DMSetUp(array_), "DMSetUp");
    const auto size = static_cast<PetscInt>(what.length(0) * what.length(1) * what.length(2));
    for (double* const each : all_.data) {
      Vec made = nullptr;
      check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, each, &made), "VecCreateSeqWithArray");
      vectors_.push_back(made);
    }
  }
  ~petsc() override {
    for (Vec& each : vectors_) {
      VecDestroy(&each);
    }
    DMDestroy(&array_);
  }

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override {}
  /// One field after the other: only one scatter of an array may run at a time.
  void finish() override {
    for (Vec each : vectors_) {
      check(DMLocalToLocalBegin(array_, each, INSERT_VALUES, each), "DMLocalToLocalBegin");
      check(DMLocalToLocalEnd(array_, each, INSERT_VALUES, each), "DMLocalToLocalEnd");
    }
  }

 private:
  const fields& all_;
  DM array_ = nullptr;
  std::vector<Vec> vectors_;
};

std::unique_ptr<contestant> made(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<petsc>(what, where, on);
}

constexpr std::array entries{entry{.name = "petsc_dmda", .make = made}};

}  // namespace

std::span<const entry> by_petsc() { return entries; }

void end_petsc() {
  PetscBool has_begun = PETSC_FALSE;
  PetscInitialized(&has_begun);
  if (has_begun == PETSC_TRUE) {
    PetscFinalize();
  }
}

}  // namespace weft::lab::halo_bench

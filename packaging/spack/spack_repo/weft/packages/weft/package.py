# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack's recipe for the library; `main` is the checkout that holds this file."""

from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

CHECKOUT = Path(__file__).resolve().parents[6]


class Weft(CMakePackage):
    """C++20 task runtime, parallel algorithms and halo exchange."""

    homepage = CHECKOUT.as_uri()
    git = CHECKOUT.as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")  # from the first release on

    variant("shared", default=False, description="Build shared objects")
    variant("mpi", default=False, description="Build weft::halo")
    variant("hwloc", default=True, description="Read caches, cores and NUMA nodes by hwloc")
    variant("highway", default=True, description="Sort numbers with the widest vectors")

    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3:", when="+mpi")
    depends_on("hwloc@2.4:", when="+hwloc")
    depends_on("highway@1.0.3:", when="+highway")

    conflicts("%gcc@:11", msg="weft needs C++20 as g++ 12 has it")
    conflicts("platform=windows", msg="weft is for Linux")

    generator("ninja")

    def cmake_args(self):
        """What is built: the library alone, with what the variants name."""
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("WEFT_HWLOC", "hwloc"),
            self.define_from_variant("WEFT_HIGHWAY", "highway"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", not self.spec.satisfies("+mpi")),
            self.define("WEFT_BUILD_TESTS", False),
            self.define("WEFT_BUILD_LAB", False),
            self.define("WEFT_BUILD_TOOLS", False),
            self.define("WEFT_BUILD_EXAMPLES", False),
            self.define("WEFT_PYTHON", False),
            self.define("WEFT_CUDA", "OFF"),
        ]

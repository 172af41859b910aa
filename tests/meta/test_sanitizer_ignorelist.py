# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What AddressSanitizer leaves out of Highway hides no wrong access to memory."""

import shutil
import subprocess
from pathlib import Path

import pytest

IGNORELIST = Path(__file__).resolve().parents[2] / "cmake" / "sanitizer_ignorelist.txt"
SANITIZERS = ["-fsanitize=address,undefined", f"-fsanitize-ignorelist={IGNORELIST}"]
PROGRAM = """
#include <vector>
#include <hwy/highway.h>
HWY_BEFORE_NAMESPACE();
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
const hn::ScalableTag<float> lanes;
bool use(float* x, char how) {
  const auto ones = hn::Set(lanes, 1.0f);
  switch (how) {
    case 'l': return hn::GetLane(hn::LoadU(lanes, x)) == 0;
    case 's': hn::StoreU(ones, lanes, x); break;
    case 'c': hn::CompressStore(ones, hn::Eq(ones, ones), lanes, x); break;
    default: return hn::GetLane(hn::Xor(ones, hn::BitCast(lanes, ones))) == 0;
  }
  return true;
}
}
HWY_AFTER_NAMESPACE();
int main(int, char** words) {
  std::vector<float> short_one(1);
  return HWY_NAMESPACE::use(short_one.data(), *words[1]) ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reads or writes a vector where one number is."""
    compiler = shutil.which("clang++-19")
    if compiler is None or not Path("/usr/include/hwy/highway.h").exists():
        pytest.skip("no clang++-19, or no Highway")
    made = tmp_path_factory.mktemp("made") / "program"
    source = made.with_suffix(".cpp")
    source.write_text(PROGRAM)
    options = ["-std=c++20", "-O0", "-DHWY_COMPILE_ONLY_STATIC", *SANITIZERS, "-lhwy"]
    subprocess.run([compiler, source, *options, "-o", made], check=True)
    return made


@pytest.mark.parametrize("how", ["l", "s", "c"])
def test_a_vector_beyond_the_end_is_found(program: Path, how: str) -> None:
    done = subprocess.run([program, how], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr


def test_what_touches_registers_alone_passes(program: Path) -> None:
    subprocess.run([program, "r"], check=True)

/// What must hold with and without a GPU.
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/libraries.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace kasoku;

TEST_CASE("cuda: either there are devices or there is a reason") {
  CHECK(cuda_devices().empty() == !cuda_missing().empty());
  if (!cuda_devices().empty()) {
    CHECK(cuda_devices()[0]->str() == "cuda:0");
    CHECK(!cuda_driver_version().empty());
  } else {
    MESSAGE("no GPU here, CUDA tests are skipped: ", cuda_missing());
  }
}

TEST_CASE("cuda: libraries and headers are found in a folder of wheels") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / "kasoku_wheels_test";
  fs::create_directories(root / "nvidia/kasoku_test/lib");
  std::ofstream(root / "nvidia/kasoku_test/lib/libkasoku_nothing.so.7") << "x";
  CHECK(cuda::find_library({"libkasoku_nothing.so.8", "libkasoku_nothing.so.7"}).empty());
  cuda::add_search_folder(root.string());
  const std::string found =
      cuda::find_library({"libkasoku_nothing.so.8", "libkasoku_nothing.so.7"});
  CHECK(found == fs::canonical(root / "nvidia/kasoku_test/lib/libkasoku_nothing.so.7").string());
  const cuda::LibraryWords words{"nothing can be done on CUDA", "kaNOTHING", "libkasoku_nothing.so.8 or .7", "pip install nothing"};
  CHECK_THROWS_WITH_AS(cuda::Library(words, found), doctest::Contains("nothing can be done on CUDA: kaNOTHING does not load\n  why  "), Error);
  fs::remove_all(root);
  CHECK_THROWS_WITH_AS(cuda::Library(words, ""),
                       "nothing can be done on CUDA: kaNOTHING is not installed\n"
                       "  why  libkasoku_nothing.so.8 or .7 is in no folder of the system, a CUDA toolkit or Python's packages\n"
                       "  fix  pip install nothing",
                       Error);
  CHECK_THROWS_WITH_AS(cuda::Library(words, "libm.so.6").address("kasoku_nothing"),
                       "nothing can be done on CUDA: kaNOTHING is too old\n"
                       "  why  libm.so.6 has no kasoku_nothing\n"
                       "  fix  pip install nothing",
                       Error);
}

TEST_CASE("cuda: headers that wheels spread over folders are all found") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / "kasoku_headers_test";
  for (const char* folder : {"cuda_runtime", "cuda_cccl", "curand"})
    fs::create_directories(root / "nvidia" / folder / "include");
  const auto found = cuda::neighbours_of_headers((root / "nvidia/cuda_runtime/include").string());
  CHECK(found.size() == 2);
  CHECK(cuda::neighbours_of_headers("/usr/local/cuda/include").empty());
  fs::remove_all(root);
}

#include "kasoku/compile/entry_pack.h"

#include "kasoku/base/file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

using namespace kasoku;

namespace {

struct Folder {
  std::string path = [] {
    char name[] = "/tmp/kasoku-pack-XXXXXX";
    return std::string(::mkdtemp(name));
  }();
  ~Folder() { (void)std::system(("rm -rf " + path).c_str()); }
};

std::vector<std::pair<Hash128, std::string>> many() {
  std::vector<std::pair<Hash128, std::string>> entries;
  for (int i = 0; i < 500; ++i) entries.emplace_back(hash128(std::to_string(i)), std::string(static_cast<size_t>(i % 7), 'a') + std::to_string(i));
  return entries;
}

}  // namespace

TEST_CASE("pack: each entry is found by its key, and no other") {
  const Folder folder;
  const std::string path = folder.path + "/a.pack";
  CHECK(EntryPack::write(path, many()).empty());
  const EntryPack pack(path);
  CHECK(pack.size() == 500);
  for (const auto& [key, content] : many()) CHECK(pack.find(key).value_or("none") == content);
  for (int i = 500; i < 600; ++i) CHECK_FALSE(pack.find(hash128(std::to_string(i))));
  CHECK_FALSE(pack.find({}));
  CHECK_FALSE(pack.find({~0ull, ~0ull}));
}

TEST_CASE("pack: no file, an empty one, another's and a cut one have no entries beyond them") {
  const Folder folder;
  const std::string path = folder.path + "/a.pack";
  CHECK(EntryPack(path).size() == 0);
  CHECK(EntryPack("").size() == 0);
  CHECK(EntryPack::write(path, {}).empty());
  CHECK_FALSE(EntryPack(path).find({}));
  CHECK(EntryPack::write(path, many()).empty());
  const std::string whole = read_file(path).value();
  for (size_t bytes = 0; bytes < whole.size(); bytes += 37) {
    REQUIRE(write_file_atomically(path, whole.substr(0, bytes)));
    const EntryPack cut(path);
    for (const auto& [key, content] : many()) {
      const auto found = cut.find(key);
      CHECK((!found || *found == content));
    }
  }
  REQUIRE(write_file_atomically(path, "x" + whole.substr(1)));
  CHECK(EntryPack(path).size() == 0);
  CHECK_FALSE(EntryPack::write(folder.path + "/absent/a.pack", {}).empty());
}

/// Laws of kasoku/base/file.cpp.
#include "kasoku/base/file.h"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

using namespace kasoku;

namespace {

struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/kasoku_file_test_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

}  // namespace

TEST_CASE("file: what is written is read, and nothing else is left") {
  const Folder folder;
  const std::string content("a\0b\n", 4);
  REQUIRE(write_file_atomically(folder.path + "/x", content));
  CHECK(read_file(folder.path + "/x") == content);
  REQUIRE(write_file_atomically(folder.path + "/x", ""));
  CHECK(read_file(folder.path + "/x") == "");
  CHECK(folder.files() == 1);
  CHECK_FALSE(read_file(folder.path + "/absent"));
  CHECK_FALSE(read_file(folder.path));
}

TEST_CASE("file: files whose size is not known before are read whole") {
  const auto status = read_file("/proc/self/status");
  REQUIRE(status);
  CHECK(status->find("VmRSS") != std::string::npos);
}

TEST_CASE("file: a write that fails says why, keeps the old file, and leaves nothing") {
  const Folder folder;
  REQUIRE(write_file_atomically(folder.path + "/x", "old"));
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string reason;
    const bool written = write_file_atomically(folder.path + "/x", std::string(1000, 'n'), &reason);
    _exit(!written && reason.find("File too large") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(read_file(folder.path + "/x") == "old");
  CHECK(folder.files() == 1);
  std::string reason;
  CHECK_FALSE(write_file_atomically(folder.path + "/no/such/folder", "x", &reason));
  CHECK(reason.find("No such file") != std::string::npos);
}

TEST_CASE("file: a folder is private when it is ours and closed to others' writing") {
  const Folder folder;
  const std::string inner = folder.path + "/a/b/c";
  REQUIRE(make_folders(inner));
  CHECK(why_not_private(inner) == "");
  struct stat status;
  REQUIRE(stat(inner.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  chmod(inner.c_str(), 0777);
  CHECK(why_not_private(inner).find("others can write") != std::string::npos);
  CHECK(why_not_private(folder.path + "/absent") != "");
  REQUIRE(write_file_atomically(folder.path + "/file", "x"));
  CHECK(why_not_private(folder.path + "/file").find("not a folder") != std::string::npos);
  std::string reason;
  CHECK_FALSE(make_folders(folder.path + "/file/below", &reason));
  CHECK(reason != "");
}

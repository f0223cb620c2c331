/// Laws of kasoku/compile/disk_cache.cpp.
#include "kasoku/compile/disk_cache.h"

#include "kasoku/base/file.h"
#include "kasoku/base/warning.h"
#include "kasoku/compile/stats.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

using namespace kasoku;

namespace {

constexpr uint64_t large = uint64_t{1} << 30;

struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/kasoku_cache_test_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

Key key_of(const std::string& material) { return {hash128(material), material}; }

std::string entry_file(const Folder& folder, const Key& key) {
  const std::string hex = key.hash.hex();
  return folder.path + "/" + hex.substr(0, 2) + "/" + hex + ".entry";
}

/// Files below the folder, of any kind.
size_t files_in(const Folder& folder) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path))
    files += entry.is_regular_file();
  return files;
}

void set_age(const std::string& file, int seconds) {
  timespec times[2];
  clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= seconds;
  times[1] = times[0];
  utimensat(AT_FDCWD, file.c_str(), times, 0);
}

}  // namespace

TEST_CASE("disk cache: what is written is read, also by another process's cache") {
  const Folder folder;
  DiskCache cache(folder.path, large);
  const Key key = key_of("text of a kernel");
  CHECK_FALSE(cache.read(key));
  const std::string payload("machine\0code", 12);
  cache.write(key, "kernel.cu: add", payload);
  REQUIRE(cache.read(key));
  CHECK(cache.read(key)->payload() == payload);
  DiskCache other(folder.path, large);
  CHECK(other.read(key)->payload() == payload);
  cache.write(key, "kernel.cu: add", "");
  CHECK(other.read(key)->payload() == "");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("disk cache: a key with the same hash and other material is a miss") {
  const Folder folder;
  DiskCache cache(folder.path, large);
  Key key = key_of("one");
  cache.write(key, "", "payload");
  key.material = "two";
  CHECK_FALSE(cache.read(key));
}

TEST_CASE("disk cache: a file with any byte changed, cut or appended is a miss, and is counted") {
  const Folder folder;
  DiskCache cache(folder.path, large);
  const Key key = key_of("a key");
  cache.write(key, "a title", "a payload of some length");
  const std::string file = entry_file(folder, key), good = *read_file(file);
  const uint64_t before = stats().damaged_entries;
  uint64_t attempts = 0;
  const auto is_refused = [&](const std::string& bytes) {
    ++attempts;
    write_file_atomically(file, bytes);
    return !cache.read(key);
  };
  bool all_refused = true;
  for (size_t i = 0; i < good.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      all_refused &= is_refused(bytes);
    }
  for (size_t size = 0; size < good.size(); ++size) all_refused &= is_refused(good.substr(0, size));
  all_refused &= is_refused(good + "x");
  all_refused &= is_refused(std::string(100000, '\xff'));
  CHECK(all_refused);
  CHECK(stats().damaged_entries - before == attempts);
  cache.write(key, "a title", "again");
  CHECK(cache.read(key)->payload() == "again");
}

TEST_CASE("disk cache: a folder that others can write to is refused, with one warning") {
  const Folder folder;
  chmod(folder.path.c_str(), 0777);
  take_warnings();
  DiskCache cache(folder.path, large);
  cache.write(key_of("k"), "", "payload");
  CHECK_FALSE(cache.read(key_of("k")));
  CHECK_FALSE(cache.is_usable());
  CHECK(cache.list().empty());
  CHECK(cache.clear() == 0);
  const auto warnings = take_warnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].kind == WarningKind::cache);
  CHECK(warnings[0].text.find("others can write to " + folder.path) != std::string::npos);
  CHECK(warnings[0].text.find("KASOKU_CACHE_DIR") != std::string::npos);
  CHECK(files_in(folder) == 0);
}

TEST_CASE("disk cache: a folder that cannot be made is one warning, and nothing else fails") {
  take_warnings();
  DiskCache cache("/proc/no/such/place", large);
  cache.write(key_of("k"), "", "payload");
  { const DiskCache::Lock lock = cache.lock(key_of("k")); }
  CHECK_FALSE(cache.read(key_of("k")));
  CHECK(take_warnings().size() == 1);
  CHECK(cache.problem() != "");
  DiskCache off("", large);
  off.write(key_of("k"), "", "payload");
  CHECK_FALSE(off.read(key_of("k")));
  CHECK(take_warnings().empty());
}

TEST_CASE("disk cache: a full disk is one warning and leaves no pieces") {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    DiskCache cache(folder.path, large);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    take_warnings();
    for (int i = 0; i < 5; ++i)
      cache.write(key_of(std::to_string(i)), "", std::string(100000, 'x'));
    _exit(take_warnings().size() == 1 && !cache.read(key_of("0")) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(files_in(folder) == 0);
}

TEST_CASE("disk cache: a new folder has mode 0700") {
  const Folder folder;
  DiskCache cache(folder.path + "/deep/cache", large);
  REQUIRE(cache.is_usable());
  struct stat status;
  stat(cache.folder().c_str(), &status);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("disk cache: above its size the least recently used go first") {
  const Folder folder;
  DiskCache cache(folder.path, 100000);
  for (int i = 0; i < 8; ++i) {
    const Key key = key_of("entry " + std::to_string(i));
    cache.write(key, "", std::string(10000, 'x'));
    set_age(entry_file(folder, key), 1000 - i);
  }
  CHECK(cache.use().entries == 8);
  cache.read(key_of("entry 0"));  // the oldest becomes the newest
  for (int i = 8; i < 12; ++i)
    cache.write(key_of("entry " + std::to_string(i)), "", std::string(10000, 'x'));
  CHECK(cache.use().bytes <= 100000);
  CHECK(cache.read(key_of("entry 0")));
  CHECK(cache.read(key_of("entry 11")));
  CHECK_FALSE(cache.read(key_of("entry 1")));
  cache.write(key_of("huge"), "", std::string(200000, 'x'));  // would leave room for nothing
  CHECK_FALSE(cache.read(key_of("huge")));
  CHECK(cache.use().entries > 3);
}

TEST_CASE("disk cache: the list has titles, newest first, and clear removes all") {
  const Folder folder;
  DiskCache cache(folder.path, large);
  cache.write(key_of("a"), "kernel.cu: add", "1");
  set_age(entry_file(folder, key_of("a")), 100);
  cache.write(key_of("b"), "kernel.cu: sub", "22");
  write_file_atomically(folder.path + "/00/not an entry", "x");
  auto rows = cache.list();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].title == "kernel.cu: sub");
  CHECK(rows[1].title == "kernel.cu: add");
  CHECK(rows[1].key == key_of("a").hash.hex());
  write_file_atomically(entry_file(folder, key_of("a")), "damaged");
  CHECK(cache.list().size() == 2);
  CHECK(cache.clear() == 2);
  CHECK(cache.list().empty());
}

TEST_CASE("disk cache: threads that read, write, list and clear at once see whole entries or none") {
  const Folder folder;
  std::atomic<int> wrong{0};
  const uint64_t damaged = stats().damaged_entries;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      DiskCache cache(folder.path, 40000);
      for (int i = 0; i < 300; ++i) {
        const std::string name = std::to_string(i % 20);
        const std::string payload(1000 + static_cast<size_t>(i % 20) * 200, name[0]);
        if (i % 3 == t % 3) cache.write(key_of(name), name, payload);
        if (const auto entry = cache.read(key_of(name))) wrong += entry->payload() != payload;
        if (i % 50 == 0) cache.list();
        if (i % 120 == 0) cache.clear();
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(stats().damaged_entries == damaged);
}

TEST_CASE("disk cache: a lock keeps others out until it is let go") {
  const Folder folder;
  DiskCache cache(folder.path, large), other(folder.path, large);
  std::atomic<int> inside{0}, most{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const DiskCache::Lock lock = (t % 2 ? cache : other).lock(key_of("k"));
        wrong += ++inside != 1;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        --inside;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(files_in(folder) == 0);
}

TEST_CASE("disk cache: a process that dies with the lock lets go") {
  const Folder folder;
  DiskCache cache(folder.path, large);
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const DiskCache::Lock lock = cache.lock(key_of("k"));
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
  }
  char byte;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(child, SIGKILL);
  });
  const auto start = std::chrono::steady_clock::now();
  const DiskCache::Lock lock = cache.lock(key_of("k"));
  const auto waited = std::chrono::steady_clock::now() - start;
  killer.join();
  waitpid(child, nullptr, 0);
  close(ready[0]), close(ready[1]);
  CHECK(waited > std::chrono::milliseconds(50));
  CHECK(waited < std::chrono::seconds(10));
}

TEST_CASE("disk cache: of two hundred processes that want one key, one compiles") {
  const Folder folder;
  auto* compiled = static_cast<std::atomic<int>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> children;
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      DiskCache cache(folder.path, large);
      const Key key = key_of("wanted by all");
      auto entry = cache.read(key);
      if (!entry) {
        const DiskCache::Lock lock = cache.lock(key);
        entry = cache.read(key);
        if (!entry) {
          compiled[0].fetch_add(1);
          usleep(50000);
          cache.write(key, "", "code");
          entry = cache.read(key);
        }
      }
      _exit(entry && entry->payload() == "code" ? 0 : 1);
    }
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  CHECK(failed == 0);
  CHECK(compiled[0] == 1);
  munmap(compiled, 4096);
}

TEST_CASE("disk cache: what a pack brings along is read without the folder, and only if it is whole") {
  const Folder folder, empty, elsewhere;
  DiskCache made(folder.path, large);
  const Key key = key_of("brought"), other = key_of("not brought");
  made.write(key, "array.cu: ks_group", "code");
  CHECK_FALSE(made.read_brought(key));  // it is in the folder alone
  const std::string pack = elsewhere.path + "/a.pack";
  REQUIRE(made.pack(pack).empty());
  {
    DiskCache cache(empty.path, large, pack);
    REQUIRE(cache.read_brought(key));
    CHECK(cache.read_brought(key)->payload() == "code");
    CHECK(cache.read(key)->payload() == "code");
    CHECK_FALSE(cache.read_brought(other));
    CHECK_FALSE(cache.read_brought({key.hash, "another's material"}));
    cache.write(other, "kernel.cu: add", "other");
    CHECK_FALSE(cache.read_brought(other));
    CHECK_FALSE(DiskCache("", large, pack).read_brought(key));  // a cache that is turned off
  }
  std::string bytes = read_file(pack).value();
  bytes.back() ^= 1;
  REQUIRE(write_file_atomically(pack, bytes));
  DiskCache damaged(empty.path, large, pack);
  CHECK_FALSE(damaged.read_brought(key));
}

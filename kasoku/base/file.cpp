/// \file kasoku/base/file.cpp
#include "kasoku/base/file.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace kasoku {

namespace {

/// RLIMIT_FSIZE raises SIGXFSZ, which kills; with the signal blocked, write() says EFBIG.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~WithoutFileSizeSignal() {
    if (!sigismember(&before_, SIGXFSZ)) {
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, SIGXFSZ);
      const timespec none{0, 0};
      while (sigtimedwait(&set, nullptr, &none) > 0) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  char host[64] = "";
  gethostname(host, sizeof host - 1);  // the folder may be shared between machines
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return fmt::format("{}.{}.{}.{}.{}.tmp", path, host, getpid(), now.tv_nsec,
                     counter.fetch_add(1));
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat status;
  if (::fstat(file, &status) != 0 || S_ISDIR(status.st_mode)) return ::close(file), std::nullopt;
  const size_t known = status.st_size > 0 ? static_cast<size_t>(status.st_size) : 0;
  std::string content(known, '\0');
  size_t size = 0;
  while (!known || size < known) {
    if (size == content.size()) content.resize(size + 4096);  // files of /proc, whose size is 0
    const ssize_t n = ::read(file, content.data() + size, content.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ::close(file), std::nullopt;
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  ::close(file);
  content.resize(size);
  return content;
}

bool write_file_atomically(const std::string& path, std::string_view content,
                           std::string* reason) {
  const WithoutFileSizeSignal guard;
  const auto fail = [&](const char* what, const std::string& name) {
    if (reason) *reason = fmt::format("cannot {} {}: {}", what, name, std::strerror(errno));
    return false;
  };
  const std::string temporary = temporary_name(path);
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail("create", temporary);
  const bool written = write_all(file, content);
  const int error = errno;
  const bool closed = ::close(file) == 0;  // NFS reports a full disk here
  if (!written || !closed) {
    if (!written) errno = error;
    const bool result = fail("write", temporary);
    ::unlink(temporary.c_str());
    return result;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const bool result = fail("rename to", path);
    ::unlink(temporary.c_str());
    return result;
  }
  return true;
}

bool make_folders(const std::string& path, std::string* reason) {
  for (size_t end = 1; end <= path.size(); ++end) {
    if (end != path.size() && path[end] != '/') continue;
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) == 0 || errno == EEXIST) continue;
    const int error = errno;
    struct stat status;  // a parent on a read-only file system says EROFS though it exists
    if (::stat(part.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) continue;
    if (reason) *reason = fmt::format("cannot make {}: {}", part, std::strerror(error));
    return false;
  }
  return true;
}

std::string why_not_private(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return fmt::format("{}: {}", path, std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return fmt::format("{} is not a folder", path);
  if (status.st_uid != ::geteuid())
    return fmt::format("{} belongs to another user (id {})", path, status.st_uid);
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return fmt::format("others can write to {} (mode {:04o})", path, status.st_mode & 07777);
  return {};
}

std::string platform_cache_folder() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder == '/')
    return std::string(folder) + "/kasoku";
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/kasoku";
  passwd entry;
  passwd* found = nullptr;
  std::vector<char> space(16384);
  if (getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found) == 0 && found &&
      found->pw_dir && found->pw_dir[0] == '/')
    return std::string(found->pw_dir) + "/.cache/kasoku";
  return {};
}

}  // namespace kasoku

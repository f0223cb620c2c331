/// \file kasoku/compile/build_id.cpp
#include "kasoku/compile/build_id.h"

#include "kasoku/base/text.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace kasoku {

namespace {

/// The description of the build-id note among `notes`; empty if there is none.
std::string build_id(std::string_view notes) {
  const auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const uint64_t name = sizeof note, description = name + padded(note.n_namesz);
    const uint64_t end = description + padded(note.n_descsz);
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(name, 4) == std::string_view("GNU\0", 4))
      return to_hex(notes.substr(description, note.n_descsz));
    notes.remove_prefix(end);
  }
  return {};
}

std::string build_id(int file) {
  Elf64_Ehdr header;
  if (::pread(file, &header, sizeof header, 0) != sizeof header) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > 256) return {};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  const auto bytes = static_cast<ssize_t>(segments.size() * sizeof(Elf64_Phdr));
  if (::pread(file, segments.data(), static_cast<size_t>(bytes),
              static_cast<off_t>(header.e_phoff)) != bytes)
    return {};
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > 65536) continue;
    std::string notes(segment.p_filesz, '\0');
    if (::pread(file, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset)) !=
        static_cast<ssize_t>(notes.size()))
      continue;
    if (std::string id = build_id(std::string_view(notes)); !id.empty()) return id;
  }
  return {};
}

}  // namespace

std::string file_identity(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0) return "missing";
  std::string id = build_id(file);
  if (id.empty() && ::fstat(file, &status) == 0)
    id = fmt::format("{}-{}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  ::close(file);
  return id;
}

}  // namespace kasoku

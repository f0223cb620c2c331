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
  char start[4096];  // linkers put the headers and the note here
  const ssize_t bytes = ::pread(file, start, sizeof start, 0);
  if (bytes < static_cast<ssize_t>(sizeof(Elf64_Ehdr))) return {};
  const std::string_view head(start, static_cast<size_t>(bytes));
  Elf64_Ehdr header;
  std::memcpy(&header, start, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t at = header.e_phoff + i * sizeof segment;
    if (at > head.size() || head.size() - at < sizeof segment) return {};
    std::memcpy(&segment, start + at, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_offset > head.size()) continue;
    if (std::string id = build_id(head.substr(segment.p_offset, segment.p_filesz)); !id.empty()) return id;
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

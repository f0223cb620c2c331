/// \file kasoku/compile/entry_pack.cpp
#include "kasoku/compile/entry_pack.h"

#include "kasoku/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace kasoku {

namespace {

/// The file: this, the number of entries, their rows in the order of their keys, the entries.
constexpr char magic[16] = "kasoku pack 1\r\n";
constexpr size_t rows_at = sizeof magic + sizeof(uint64_t);
/// An entry's head, which has its sizes and checksum.
constexpr size_t varying = 56;

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

EntryPack::EntryPack(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  const size_t bytes = ::fstat(file, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  void* const memory = bytes < rows_at ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) return;
  file_ = {static_cast<const char*>(memory), bytes};
  uint64_t count;
  std::memcpy(&count, file_.data() + sizeof magic, sizeof count);
  if (std::memcmp(file_.data(), magic, sizeof magic) == 0 && count <= (bytes - rows_at) / sizeof(Row)) size_ = count;
}

EntryPack::~EntryPack() {
  if (!file_.empty()) ::munmap(const_cast<char*>(file_.data()), file_.size());
}

EntryPack::Row EntryPack::row(size_t i) const {
  Row row;
  std::memcpy(&row, file_.data() + rows_at + i * sizeof row, sizeof row);
  return row;
}

std::optional<std::string_view> EntryPack::find(const Hash128& key) const {
  size_t first = 0, last = size_;
  while (first < last) {
    const size_t middle = (first + last) / 2;
    if (row(middle).key < key) first = middle + 1;
    else last = middle;
  }
  if (first == size_) return std::nullopt;
  const Row found = row(first);
  if (found.key != key || found.at > file_.size() || found.bytes > file_.size() - found.at) return std::nullopt;
  return file_.substr(found.at, found.bytes);
}

std::string EntryPack::write(const std::string& path, std::vector<std::pair<Hash128, std::string>> entries) {
  // Alike contents lie side by side, as what compresses the file wants it.
  std::ranges::sort(entries, {}, [](const auto& row) { return std::string_view(row.second).substr(std::min(row.second.size(), varying)); });
  std::vector<Row> rows;
  std::string contents;
  const size_t begin = rows_at + entries.size() * sizeof(Row);
  for (const auto& [key, entry] : entries) {
    rows.push_back({key, begin + contents.size(), entry.size()});
    contents += entry;
  }
  std::ranges::sort(rows, {}, &Row::key);
  std::string bytes(magic, sizeof magic);
  put(bytes, uint64_t{rows.size()});
  for (const Row& row : rows) put(bytes, row);
  std::string problem;
  write_file_atomically(path, bytes + contents, &problem);
  return problem;
}

}  // namespace kasoku

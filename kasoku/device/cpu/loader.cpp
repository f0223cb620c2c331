/// \file kasoku/device/cpu/loader.cpp
/// Layout of a loaded object: read-only and code sections, then the GOT (8 bytes
/// a symbol), then stubs (16 bytes a symbol: jmp *got(%rip)); writable sections apart.
#include "kasoku/device/cpu/loader.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/device/cpu/arena.h"

#include <elf.h>

#include <cstring>
#include <vector>

namespace kasoku::cpu {

namespace {

constexpr uint64_t most_bytes = uint64_t{256} << 20;
constexpr uint64_t stub_bytes = 16;
constexpr uint32_t none = UINT32_MAX;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorKind::internal, "compiled code cannot be loaded: " + what);
}

class Object {
 public:
  Object(std::string_view bytes, const SymbolResolver& resolve) : bytes_(bytes), resolve_(resolve) {}

  void* load(const std::string& entry) {
    read_header();
    read_symbols();
    lay_out();
    block_ = allocate_code(code_bytes_, data_bytes_);
    copy_sections();
    resolve_symbols();
    fill_tables();
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_RELA) relocate(section);
    void* address = find_entry(entry);
    finish_code(block_, code_bytes_);
    return address;
  }

 private:
  /// Where a section went: an offset in code or data.
  struct Place {
    bool is_loaded = false, is_data = false;
    uint64_t offset = 0;
  };
  struct Symbol {
    Elf64_Sym raw;
    std::string_view name;
    uint64_t address = 0;
    uint32_t table_row = none;  ///< in the GOT and among the stubs
  };

  template <class T>
  T read(uint64_t at) const {
    if (at > bytes_.size() || sizeof(T) > bytes_.size() - at) damaged("it ends too early");
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  std::string_view content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return {};
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset)
      damaged("a section lies outside of it");
    return bytes_.substr(section.sh_offset, section.sh_size);
  }

  void read_header() {
    const auto header = read<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) damaged("it is not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_type != ET_REL || header.e_machine != EM_X86_64)
      damaged("it is not a relocatable x86-64 object");
    if (header.e_shentsize != sizeof(Elf64_Shdr) || !header.e_shnum)
      damaged("its section table is wrong");
    if (header.e_shoff > bytes_.size()) damaged("it ends too early");
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
      content(sections_.back());
    }
  }

  const Elf64_Shdr& section(uint64_t index) const {
    if (index >= sections_.size()) damaged("it names a section that it does not have");
    return sections_[index];
  }

  void read_symbols() {
    const Elf64_Shdr* table = nullptr;
    for (size_t i = 0; i < sections_.size(); ++i)
      if (sections_[i].sh_type == SHT_SYMTAB) {
        if (table) damaged("it has two symbol tables");
        table = &sections_[i];
        symbol_section_ = i;
      }
    if (!table) damaged("it has no symbols");
    const std::string_view names = content(section(table->sh_link));
    const std::string_view rows = content(*table);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= rows.size(); at += sizeof(Elf64_Sym)) {
      Symbol& symbol = symbols_.emplace_back();
      std::memcpy(&symbol.raw, rows.data() + at, sizeof symbol.raw);
      if (symbol.raw.st_name > names.size()) damaged("a symbol's name lies outside of it");
      const std::string_view rest = names.substr(symbol.raw.st_name);
      symbol.name = rest.substr(0, std::min(rest.find('\0'), rest.size()));
    }
  }

  static bool is_wanted(const Elf64_Shdr& section) {
    return (section.sh_flags & SHF_ALLOC) && section.sh_type != SHT_X86_64_UNWIND &&
           section.sh_type != SHT_NOTE && section.sh_size > 0;
  }

  /// Appends `size` bytes to code or data; the offset at which they start.
  uint64_t append(bool is_data, uint64_t size, uint64_t align) {
    uint64_t& end = is_data ? data_bytes_ : code_bytes_;
    if (align == 0) align = 1;
    if ((align & (align - 1)) || align > 4096) damaged("a section's alignment is wrong");
    if (align > 64 && align <= 4096) is_page_aligned_ = true;
    const uint64_t offset = (end + align - 1) & ~(align - 1);
    if (size > most_bytes || offset + size > most_bytes)
      damaged("it needs more than " + bytes_text(most_bytes));
    end = offset + size;
    return offset;
  }

  void lay_out() {
    std::string_view names;
    const auto header = read<Elf64_Ehdr>(0);
    if (header.e_shstrndx < sections_.size()) names = content(sections_[header.e_shstrndx]);
    places_.resize(sections_.size());
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      const std::string_view name =
          section.sh_name < names.size() ? names.substr(section.sh_name) : std::string_view();
      if (!is_wanted(section) || name.starts_with(".eh_frame")) continue;
      if (section.sh_flags & SHF_TLS) damaged("it has thread-local variables");
      if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY)
        damaged("it has constructors");
      // Written once, by the relocations: as good as read-only.
      const bool is_data = (section.sh_flags & SHF_WRITE) && !name.starts_with(".data.rel.ro");
      places_[i] = {true, is_data, append(is_data, section.sh_size, section.sh_addralign)};
    }
    for (Symbol& symbol : symbols_)
      if (symbol.raw.st_shndx == SHN_COMMON)  // st_value is the alignment
        symbol.address = append(true, symbol.raw.st_size, symbol.raw.st_value);
    count_table_rows();
    got_at_ = append(false, 8 * uint64_t{table_rows_}, 8);
    stubs_at_ = append(false, stub_bytes * table_rows_, stub_bytes);
    if (is_page_aligned_) {  // blocks above a page start at one
      code_bytes_ = std::max<uint64_t>(code_bytes_, 4097);
      data_bytes_ = std::max<uint64_t>(data_bytes_, 4097);
    }
  }

  template <class Body>
  void each_relocation(const Elf64_Shdr& table, Body body) const {
    if (table.sh_link != symbol_section_) damaged("relocations of another symbol table");
    const std::string_view rows = content(table);
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= rows.size(); at += sizeof(Elf64_Rela)) {
      Elf64_Rela row;
      std::memcpy(&row, rows.data() + at, sizeof row);
      if (ELF64_R_SYM(row.r_info) >= symbols_.size()) damaged("a relocation names no symbol");
      body(row);
    }
  }

  void count_table_rows() {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type == SHT_REL) damaged("its relocations are of a kind that x86-64 has not");
      if (table.sh_type != SHT_RELA) continue;
      section(table.sh_info);
      if (!places_[table.sh_info].is_loaded) continue;
      each_relocation(table, [&](const Elf64_Rela& row) {
        Symbol& symbol = const_cast<Symbol&>(symbols_[ELF64_R_SYM(row.r_info)]);
        const uint32_t type = ELF64_R_TYPE(row.r_info);
        const bool in_got = type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
                            type == R_X86_64_REX_GOTPCRELX;
        const bool by_stub = type == R_X86_64_PLT32 && symbol.raw.st_shndx == SHN_UNDEF;
        if ((in_got || by_stub) && symbol.table_row == none) symbol.table_row = table_rows_++;
      });
    }
  }

  char* writable(const Place& place) const {
    return (place.is_data ? block_.data : block_.code_writable) + place.offset;
  }
  uint64_t address(const Place& place) const {
    return reinterpret_cast<uint64_t>((place.is_data ? block_.data : block_.code) + place.offset);
  }

  void copy_sections() {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (!places_[i].is_loaded) continue;
      const std::string_view from = content(sections_[i]);
      if (!from.empty()) std::memcpy(writable(places_[i]), from.data(), from.size());
    }
  }

  void resolve_symbols() {
    for (size_t i = 1; i < symbols_.size(); ++i) {
      Symbol& symbol = symbols_[i];
      const uint16_t where = symbol.raw.st_shndx;
      if (where == SHN_ABS) {
        symbol.address = symbol.raw.st_value;
      } else if (where == SHN_COMMON) {
        symbol.address += reinterpret_cast<uint64_t>(block_.data);
      } else if (where == SHN_UNDEF && symbol.name == "_GLOBAL_OFFSET_TABLE_") {
        symbol.address = reinterpret_cast<uint64_t>(block_.code) + got_at_;
      } else if (where == SHN_UNDEF) {
        symbol.address = reinterpret_cast<uint64_t>(resolve_(std::string(symbol.name)));
        if (!symbol.address && ELF64_ST_BIND(symbol.raw.st_info) != STB_WEAK &&
            !symbol.name.empty())
          throw Error(ErrorKind::unsupported,
                      "the kernel uses " + quote(demangled(std::string(symbol.name))) + ", which it does not define and kasoku does not have on a CPU");
      } else if (where < SHN_LORESERVE) {
        const Elf64_Shdr& home = section(where);
        if (symbol.raw.st_value > home.sh_size) damaged("a symbol lies outside of its section");
        if (places_[where].is_loaded) symbol.address = address(places_[where]) + symbol.raw.st_value;
      }
    }
  }

  void fill_tables() {
    for (const Symbol& symbol : symbols_) {
      if (symbol.table_row == none) continue;
      std::memcpy(block_.code_writable + got_at_ + 8 * symbol.table_row, &symbol.address, 8);
      char* stub = block_.code_writable + stubs_at_ + stub_bytes * symbol.table_row;
      const auto got = static_cast<int64_t>(got_at_ + 8 * symbol.table_row);
      const auto next = static_cast<int64_t>(stubs_at_ + stub_bytes * symbol.table_row + 6);
      const auto distance = static_cast<int32_t>(got - next);
      stub[0] = '\xff', stub[1] = '\x25';
      std::memcpy(stub + 2, &distance, 4);
    }
  }

  void relocate(const Elf64_Shdr& table) {
    const Elf64_Shdr& home = section(table.sh_info);
    const Place& place = places_[table.sh_info];
    if (!place.is_loaded) return;
    each_relocation(table, [&](const Elf64_Rela& row) { relocate(row, place, home.sh_size); });
  }

  void relocate(const Elf64_Rela& row, const Place& place, uint64_t size) {
    const Symbol& symbol = symbols_[ELF64_R_SYM(row.r_info)];
    const uint64_t got = reinterpret_cast<uint64_t>(block_.code) + got_at_;
    const auto addend = static_cast<uint64_t>(row.r_addend);
    const uint64_t at = address(place) + row.r_offset;
    uint64_t value = symbol.address + addend;
    const auto store = [&](uint64_t value, size_t width) {
      if (row.r_offset > size || width > size - row.r_offset)
        damaged("a relocation lies outside of its section");
      std::memcpy(writable(place) + row.r_offset, &value, width);
    };
    const auto store_near = [&](uint64_t value) {
      const auto distance = static_cast<int64_t>(value);
      if (distance != static_cast<int32_t>(distance))
        damaged("'" + std::string(symbol.name) + "' is out of reach");
      store(value, 4);
    };
    switch (ELF64_R_TYPE(row.r_info)) {
      case R_X86_64_NONE: return;
      case R_X86_64_64: return store(value, 8);
      case R_X86_64_PC64: return store(value - at, 8);
      case R_X86_64_PC32: return store_near(value - at);
      case R_X86_64_PLT32:
        if (symbol.table_row != none && symbol.raw.st_shndx == SHN_UNDEF)
          value = reinterpret_cast<uint64_t>(block_.code) + stubs_at_ +
                  stub_bytes * symbol.table_row + addend;
        return store_near(value - at);
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
        return store_near(got + 8 * uint64_t{symbol.table_row} + addend - at);
      case R_X86_64_GOTPC32: return store_near(got + addend - at);
      case R_X86_64_GOTPC64: return store(got + addend - at, 8);
      case R_X86_64_GOTOFF64: return store(value - got, 8);
      case R_X86_64_32S: return store_near(value);
      case R_X86_64_32:
        if (value > UINT32_MAX) damaged("'" + std::string(symbol.name) + "' is out of reach");
        return store(value, 4);
      default:
        damaged("relocation type " + std::to_string(ELF64_R_TYPE(row.r_info)) + " is not known");
    }
  }

  void* find_entry(const std::string& name) const {
    for (const Symbol& symbol : symbols_)
      if (symbol.name == name && symbol.address && symbol.raw.st_shndx < SHN_LORESERVE &&
          symbol.raw.st_shndx != SHN_UNDEF) {
        const Elf64_Shdr& home = section(symbol.raw.st_shndx);
        if (!(home.sh_flags & SHF_EXECINSTR) || symbol.raw.st_value >= home.sh_size)
          damaged("its entry is not code");
        return reinterpret_cast<void*>(symbol.address);
      }
    damaged("it has no function '" + name + "'");
  }

  const std::string_view bytes_;
  const SymbolResolver& resolve_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Place> places_;
  std::vector<Symbol> symbols_;
  size_t symbol_section_ = 0;
  uint64_t code_bytes_ = 0, data_bytes_ = 0, got_at_ = 0, stubs_at_ = 0;
  uint32_t table_rows_ = 0;
  bool is_page_aligned_ = false;
  ArenaBlock block_;
};

}  // namespace

void* load_object(std::string_view object, const std::string& entry,
                  const SymbolResolver& resolve) {
  return Object(object, resolve).load(entry);
}

}  // namespace kasoku::cpu

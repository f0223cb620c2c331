#include "kasoku/compile/clang/first_calls.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

extern "C" const char __executable_start[];

namespace kasoku::embedded {
namespace {

constexpr size_t most = 1 << 17;
uint8_t* text = nullptr;            // this program's functions, each with a breakpoint at its begin
const uint8_t* original = nullptr;  // the same as they were
size_t text_size = 0, n_called = 0;
uint32_t* called = nullptr;  // offsets in the text
const uint8_t* file = nullptr;
Elf64_Shdr symbols{};

// Calls nothing and lies apart: what it called would have breakpoints too.
__attribute__((section(".first_calls"), no_stack_protector)) void at_breakpoint(int, siginfo_t*, void* context) {
  auto& rip = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  const size_t at = static_cast<size_t>(--rip) - reinterpret_cast<uintptr_t>(text);
  text[at] = original[at];
  if (n_called < most) called[n_called++] = static_cast<uint32_t>(at);
}

uintptr_t load_bias() {
  return reinterpret_cast<const Elf64_Ehdr*>(file)->e_type == ET_DYN ? reinterpret_cast<uintptr_t>(__executable_start) : 0;
}

template <class Visit>
void for_each_function(Visit visit) {
  const auto* begin = reinterpret_cast<const Elf64_Sym*>(file + symbols.sh_offset);
  for (const auto* symbol = begin; symbol != begin + symbols.sh_size / sizeof(Elf64_Sym); ++symbol) {
    const size_t at = symbol->st_value + load_bias() - reinterpret_cast<uintptr_t>(text);
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size && at < text_size) visit(at, *symbol);
  }
}

void begin(int arguments, char**, char**) {
  struct stat status;
  const int open_file = arguments == 3 ? ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
  if (open_file < 0 || ::fstat(open_file, &status)) return;
  const size_t size = static_cast<size_t>(status.st_size);
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, open_file, 0);
  ::close(open_file);
  if (mapped == MAP_FAILED) return;
  file = static_cast<const uint8_t*>(mapped);
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(file);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + header.e_shoff);
  const auto* names = reinterpret_cast<const char*>(file + sections[header.e_shstrndx].sh_offset);
  for (int i = 0; i < header.e_shnum; ++i) {
    if (sections[i].sh_type == SHT_SYMTAB) symbols = sections[i];
    if (std::strcmp(names + sections[i].sh_name, ".text") != 0) continue;
    text = reinterpret_cast<uint8_t*>(sections[i].sh_addr + load_bias());
    text_size = sections[i].sh_size;
  }
  const uintptr_t page = reinterpret_cast<uintptr_t>(text) & ~uintptr_t{4095};
  const size_t span = reinterpret_cast<uintptr_t>(text) + text_size - page;
  void* memory = ::mmap(nullptr, text_size + most * sizeof *called, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!text || memory == MAP_FAILED || ::mprotect(reinterpret_cast<void*>(page), span, PROT_READ | PROT_WRITE | PROT_EXEC))
    return;
  called = static_cast<uint32_t*>(memory);
  original = static_cast<uint8_t*>(std::memcpy(called + most, text, text_size));
  struct sigaction action{};
  action.sa_sigaction = at_breakpoint;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGTRAP, &action, nullptr);
  for_each_function([](size_t at, const Elf64_Sym&) { text[at] = 0xcc; });
}

// Before anything else of the program: constructors are calls too.
__attribute__((section(".preinit_array"), used)) void (*const at_start)(int, char**, char**) = begin;

}  // namespace

std::vector<std::string> first_calls() {
  if (!called) return {};
  std::memcpy(text, original, text_size);
  std::unordered_map<size_t, std::vector<std::string>> names;  // one function may have several
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + reinterpret_cast<const Elf64_Ehdr*>(file)->e_shoff);
  const auto* texts = reinterpret_cast<const char*>(file + sections[symbols.sh_link].sh_offset);
  for_each_function([&](size_t at, const Elf64_Sym& symbol) { names[at].emplace_back(texts + symbol.st_name); });
  std::vector<std::string> result;
  for (size_t i = 0; i < n_called; ++i)
    for (std::string& name : names[called[i]]) result.push_back(std::move(name));
  return result;
}

}  // namespace kasoku::embedded

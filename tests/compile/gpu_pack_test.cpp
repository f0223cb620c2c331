/// Code for GPUs that the library brings along, where there is no GPU: a stand-in asks for it.
#include "kasoku/base/error.h"
#include "kasoku/base/file.h"
#include "kasoku/compile/cache.h"
#include "kasoku/compile/compile.h"
#include "kasoku/compile/nvrtc.h"
#include "kasoku/compile/serial.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/null/device.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace kasoku;

namespace {

/// Modules look at their device as long as the process lives.
Device& gpu(const std::string& architecture) {
  static auto& all = *new std::vector<std::unique_ptr<Device>>;
  return *all.emplace_back(null::make_stand_in(DeviceKind::cuda, {.name = "a GPU", .architecture = architecture}));
}

/// One that no process has compiled before.
Program program(int number) {
  static const std::string process = Hash128{static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()), 0}.hex();
  Program made;
  made.text = fmt::format("extern \"C\" __global__ void k(int* x) {{ *x = {}; }}  // {}", number, process);
  made.is_generated = true;
  return made;
}

/// A pack in which the code of that program is what its kernel is called, in the place of the library's own.
class Pack {
 public:
  explicit Pack(const Program& program) {
    DiskCache entries(folder_ + "/entries", 1 << 20);
    for (const std::string_view architecture : brought_architectures) {
      Compiler::Unit unit;
      unit.info.kernels.resize(1);
      unit.info.kernels[0].name = unit.info.kernels[0].symbol = "of_" + std::string(architecture);
      unit.payload = "code";
      entries.write(nvrtc_compiler().brought_key(program, gpu(std::string(architecture))).value(), "k", to_bytes(unit));
    }
    REQUIRE(entries.pack(path).empty());
    cache::gpu_pack() = EntryPack(path);
  }
  ~Pack() {
    cache::gpu_pack() = EntryPack("");
    (void)std::system(("rm -rf " + folder_).c_str());
  }

 private:
  std::string folder_ = [] {
    char name[] = "/tmp/kasoku-gpu-pack-XXXXXX";
    return std::string(::mkdtemp(name));
  }();

 public:
  const std::string path = folder_ + "/a.pack";
};

/// "" if no code was there.
std::string kernel_of(const Program& program, const std::string& architecture) {
  Device& device = gpu(architecture);
  if (!is_compiled(program, device)) return "";
  const uint64_t compiles = stats().compiles, hits = stats().disk_hits;
  const std::shared_ptr<Module> module = compile(program, device);
  CHECK(stats().compiles == compiles);
  CHECK(stats().disk_hits == hits + 1);
  return module->info().kernels.at(0).name;
}

}  // namespace

TEST_CASE("gpu pack: a GPU takes the machine code of its generation that is not newer, else PTX") {
  for (const auto& [asked, found] : {std::pair{"sm_80", "sm_80"}, {"sm_86", "sm_80"}, {"sm_89", "sm_80"}, {"sm_90", "sm_90"}, {"sm_100", "sm_100"},
                                     {"sm_103", "sm_100"}, {"sm_120", "sm_120"}, {"sm_121", "sm_120"}, {"sm_75", "compute_75"}, {"sm_87", "sm_80"},
                                     {"sm_110", "compute_75"}, {"sm_199", "compute_75"}, {"sm_70", ""}, {"null", ""}})
    CHECK(brought_architecture(asked) == found);
}

TEST_CASE("gpu pack: code is found for each architecture, by text and options alone, without a compiler") {
  const Program packed = program(11);
  const Pack pack(packed);
  CHECK(cache::gpu_pack().size() == std::size(brought_architectures));
  for (const std::string_view architecture : brought_architectures) {
    if (architecture.starts_with("sm_")) CHECK(kernel_of(packed, std::string(architecture)) == "of_" + std::string(architecture));
  }
  CHECK(kernel_of(packed, "sm_86") == "of_sm_80");
  CHECK(kernel_of(packed, "sm_75") == "of_compute_75");
  CHECK(kernel_of(packed, "sm_70") == "");
  Program other = packed;
  other.text += " ";
  CHECK(kernel_of(other, "sm_90") == "");
  other = packed;
  other.options = {"-DN=3"};
  CHECK(kernel_of(other, "sm_90") == "");
  other = packed;
  other.is_generated = false;  // a user's text keeps to the compiler that is there
  CHECK(kernel_of(other, "sm_90") == "");
}

TEST_CASE("gpu pack: a byte that changed is no code, and the compiler has the word") {
  const Program packed = program(12);
  const Pack pack(packed);
  std::string bytes = read_file(pack.path).value();
  for (size_t at = bytes.find("code"); at != bytes.npos; at = bytes.find("code", at + 1)) bytes[at] = 'C';
  REQUIRE(write_file_atomically(pack.path, bytes));
  cache::gpu_pack() = EntryPack(pack.path);
  CHECK(cache::gpu_pack().size() == std::size(brought_architectures));
  CHECK(kernel_of(packed, "sm_90") == "");
  if (nvrtc_missing().empty()) CHECK(compile(packed, gpu("sm_90"))->info().kernels.at(0).name == "k");
  else CHECK_THROWS_WITH_AS(compile(packed, gpu("sm_90")), doctest::Contains("NVRTC is not installed"), Error);
}

TEST_CASE("gpu pack: what is compiled for it has its keys") {
  if (!nvrtc_missing().empty()) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const Program packed = program(13);
  for (const std::string architecture : {"sm_90", "compute_75"}) {
    Device& device = gpu(architecture);
    compiles_for_pack = true;
    compile(packed, device);
    compiles_for_pack = false;
    const auto entry = cache::disk().read(nvrtc_compiler().brought_key(packed, device).value());
    REQUIRE(entry);
    Compiler::Unit unit;
    REQUIRE(from_bytes(entry->payload(), unit));
    CHECK(unit.info.kernels.at(0).name == "k");
    CHECK((unit.payload.substr(1, 3) == "ELF") == (architecture == "sm_90"));
    CHECK((unit.payload.find(".target sm_75") != unit.payload.npos) == (architecture == "compute_75"));
  }
}

/// \file kasoku/compile/clang.cpp
/// Loads libkasoku_clang.so and speaks its C interface; the JSON that comes back
/// becomes ModuleInfo.
#include "kasoku/compile/clang.h"

#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/base/hash.h"
#include "kasoku/base/text.h"
#include "kasoku/base/trace.h"
#include "kasoku/compile/absent.h"
#include "kasoku/compile/background.h"
#include "kasoku/compile/build_id.h"
#include "kasoku/compile/cache.h"
#include "kasoku/compile/clang/abi.h"
#include "kasoku/compile/clang/clang_api.h"
#include "kasoku/compile/module_json.h"
#include "kasoku/device/cpu/launch.h"
#include "kasoku/device/cpu/processor.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace kasoku {

// Devices cannot look up here, so they have the layout twice.
static_assert(sizeof(cpu::LaunchContext) == sizeof(ks_launch));
#define KS_SAME(field) \
  static_assert(offsetof(cpu::LaunchContext, field) == offsetof(ks_launch, field))
KS_SAME(grid);
KS_SAME(block);
KS_SAME(shared_bytes);
KS_SAME(shared);
KS_SAME(scratch);
KS_SAME(status);
KS_SAME(runtime);
#undef KS_SAME

namespace {

/// The functions of the library.
struct Api {
  decltype(&ks_clang_parse) parse;
  decltype(&ks_clang_generate) generate;
  decltype(&ks_clang_get) get;
  decltype(&ks_clang_free) free;
  decltype(&ks_clang_identity) identity;
};

std::atomic<bool> is_loaded{false};

template <class F>
void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(::dlsym(library, name));
  if (!function)
    throw Error(ErrorKind::io, clang_library() + " has no function " + name)
        .why("it belongs to another version of kasoku");
}

const Api& api() {
  static std::mutex mutex;  // not a static's guard: a failed load is tried again
  static std::atomic<const Api*> loaded{nullptr};
  if (const Api* api = loaded.load(std::memory_order_acquire)) return *api;
  std::lock_guard lock(mutex);
  if (const Api* api = loaded.load()) return *api;
  const std::string path = clang_library();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(ErrorKind::io, "the embedded compiler could not be loaded from " + path)
        .why(::dlerror())
        .fix("export KASOKU_CLANG_LIBRARY=/path/to/libkasoku_clang.so");
  auto* api = new Api;
  find(library, "ks_clang_parse", api->parse);
  find(library, "ks_clang_generate", api->generate);
  find(library, "ks_clang_get", api->get);
  find(library, "ks_clang_free", api->free);
  find(library, "ks_clang_identity", api->identity);
  end_background_first();
  is_loaded = true;
  loaded.store(api, std::memory_order_release);
  return *api;
}

/// A result of the library, freed in the end.
class Result {
 public:
  ~Result() {
    if (result_) api().free(result_);
  }
  ks_clang_result** out() { return &result_; }
  ks_clang_result** anew() {
    if (result_) api().free(std::exchange(result_, nullptr));
    return &result_;
  }
  std::string_view part(int which) const {
    const ks_text text = api().get(result_, which);
    return {text.data ? text.data : "", text.data ? text.size : 0};
  }

 private:
  ks_clang_result* result_ = nullptr;
};

ks_text view(std::string_view text) { return {text.data(), text.size()}; }

[[noreturn]] void fail(int status, const Result& result, const std::string& what) {
  const std::string text(strip(result.part(KS_DIAGNOSTICS)));
  if (status == 1) throw Error(ErrorKind::compile, what + " does not compile\n" + text);
  throw Error(ErrorKind::internal, "the compiler failed on " + what + (text.empty() ? "" : "\n" + text));
}

/// Keeps what a request points to.
struct ParseRequest {
  std::vector<ks_text> options, expressions;
  std::vector<ks_header> headers;
  ks_parse_request request{};

  ParseRequest(const Program& program, bool for_cuda, bool with_lines = false) {
    for (const std::string& option : program.options) options.push_back(view(option));
    for (const std::string& name : program.name_expressions) expressions.push_back(view(name));
    for (const auto& [name, content] : program.headers)
      headers.push_back({view(name), view(content)});
    request.text = view(program.text);
    request.file = view(program.file);
    request.options = options.data();
    request.n_options = options.size();
    request.name_expressions = expressions.data();
    request.n_name_expressions = expressions.size();
    request.headers = headers.data();
    request.n_headers = headers.size();
    request.is_generated = program.is_generated;
    request.with_lines = with_lines || program.is_checked;
    request.for_cuda = for_cuda;
  }
};

/// Gives each included file the hash of its content, as the cache compares it. A
/// file that was written after the parse began may be another one by now: its
/// entry then never holds.
void hash_includes(ModuleInfo& info, int64_t parse_began) {
  for (IncludedFile& file : info.includes) {
    if (file.hash == absent_file) continue;
    const auto now = cache::stamp(file.path);
    file.hash = now && now->modified < parse_began ? now->hash : "";
  }
}

int64_t wall_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// The payload of the first stage: what the second one must know of the program,
/// then the bitcode.
constexpr char generated_mark = 'g', users_mark = 'u', checked_mark = 'c',
               checked_generated_mark = 'd';

/// Without the other properties of a CPU, which cost more than a hit of the cache.
const std::string& architecture_of(Device& device) {
  return device.kind == DeviceKind::cpu ? cpu::target_architecture()
                                        : device.properties().architecture;
}

class ClangCompiler final : public Compiler {
 public:
  std::string identity(Device& device) override {
    static const std::string library = file_identity(clang_library());
    const std::string passes = env(Env::KASOKU_PASSES);
    return "clang " + library + " for " + architecture_of(device) + (passes.empty() ? "" : " with passes " + passes);
  }

  Unit compile(const Program& program, Device&) override { return parse(program, /*with_lines=*/false); }

  KernelCode specialise(const std::string& payload, const KernelInfo& kernel,
                        const uint32_t block[3], Device& device) override {
    Result result;
    generate(payload, kernel, block, device, KS_OBJECT, result);
    KernelCode code = kernel_code_from_json(result.part(KS_INFO));
    code.object = result.part(KS_MAIN);
    return code;
  }

  std::string code_text(const Program& program, Device& device, const std::string& kernel,
                        CodeForm form, const uint32_t block[3]) override {
    if (form == CodeForm::text) return program.text;
    if (form == CodeForm::ptx)
      throw Error(ErrorKind::unsupported, "a CPU has no PTX")
          .fix("ask for the assembly, or for a CUDA device");
    const Unit unit = parse(program, /*with_lines=*/form == CodeForm::loops);
    Result result;
    generate(unit.payload, find_kernel(unit.info, kernel), block, device,
             form == CodeForm::llvm_ir ? KS_IR : form == CodeForm::loops ? KS_LOOPS : KS_ASSEMBLY, result);
    return std::string(result.part(KS_MAIN));
  }

 private:
  static Unit parse(const Program& program, bool with_lines) {
    const ParseRequest request(program, /*for_cuda=*/false, with_lines);
    const int64_t began = wall_nanoseconds();
    Result result;
    const int status = api().parse(&request.request, result.out());
    if (status) fail(status, result, program.file);
    Unit unit;
    unit.info = module_info_from_json(result.part(KS_INFO), &unit.initial_values);
    unit.info.warnings = strip(result.part(KS_DIAGNOSTICS));
    hash_includes(unit.info, began);
    unit.payload = program.is_checked     ? (program.is_generated ? checked_generated_mark : checked_mark)
                   : program.is_generated ? generated_mark
                                          : users_mark;
    unit.payload += result.part(KS_MAIN);
    return unit;
  }

  static void generate(const std::string& payload, const KernelInfo& kernel,
                       const uint32_t block[3], Device& device, int want, Result& result) {
    if (payload.empty()) throw Error(ErrorKind::internal, "a parsed module without a payload");
    const std::string& cpu = architecture_of(device);
    ks_generate_request request{};
    request.bitcode = view(std::string_view(payload).substr(1));
    request.symbol = view(kernel.symbol);
    for (int i = 0; i < 3; ++i) request.block[i] = block[i];
    request.cpu = view(cpu);
    request.is_generated = payload[0] == generated_mark || payload[0] == checked_generated_mark;
    request.checked = payload[0] == checked_mark || payload[0] == checked_generated_mark;
    request.want = want;
    const std::string passes = env(Env::KASOKU_PASSES);
    request.passes = view(passes);
    if (is_traced(Station::passes)) {
      trace(Station::passes, "of " + kernel.name);
      request.after_pass = [](ks_text said) { trace(Station::passes, {said.data, said.size}); };
    }
    int status = api().generate(&request, result.out());
    if (status == 2 && passes.empty()) {
      // LLVM's code generator does not know all vectors that its vectorisers make.
      request.passes = view("-loop-vectorize,-slp-vectorizer,-outer-loop-vectorize");
      status = api().generate(&request, result.anew());
    }
    if (status) fail(status, result, kernel.name);
  }
};

}  // namespace

Compiler& clang_compiler() {
  static ClangCompiler* compiler = new ClangCompiler;
  return *compiler;
}

namespace {

/// Where this library lies.
const std::string& library_folder() {
  static const std::string folder = [] {
    dl_find_object self;  // dladdr would look for a function's name too, through thousands
    if (::_dl_find_object(reinterpret_cast<void*>(&clang_is_loaded), &self) != 0) return std::string(".");
    const std::string file = self.dlfo_link_map->l_name;
    const size_t end = file.rfind('/');
    return end == file.npos ? std::string(".") : file.substr(0, end);
  }();
  return folder;
}

}  // namespace

std::string clang_library() {
  static const std::string path = [] {
    const std::string set = env(Env::KASOKU_CLANG_LIBRARY);
    return set.empty() ? library_folder() + "/libkasoku_clang.so" : set;
  }();
  return path;
}

std::string operations_file(const std::string& architecture) {
  return library_folder() + "/operations-" + architecture + ".pack";
}

bool clang_is_loaded() { return is_loaded; }

std::optional<ModuleInfo> clang_signature(const Program& program) {
  if (!is_loaded && ::access(clang_library().c_str(), R_OK) != 0) return std::nullopt;
  const ParseRequest request(program, true);
  const int64_t began = wall_nanoseconds();
  Result result;
  if (api().parse(&request.request, result.out()) != 0) return std::nullopt;
  std::map<std::string, std::string> initial_values;
  ModuleInfo info = module_info_from_json(result.part(KS_INFO), &initial_values);
  hash_includes(info, began);
  return info;
}

}  // namespace kasoku

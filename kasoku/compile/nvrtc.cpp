#include "kasoku/compile/nvrtc.h"

#include "kasoku/base/error.h"
#include "kasoku/base/words.h"
#include "kasoku/compile/build_id.h"
#include "kasoku/compile/clang.h"
#include "kasoku/compile/host_parts.h"
#include "kasoku/compile/nvrtc_library.h"
#include "kasoku/compile/nvrtc_link.h"
#include "kasoku/compile/nvrtc_log.h"
#include "kasoku/compile/nvrtc_ptx.h"
#include "kasoku/compile/nvrtc_text.h"
#include "kasoku/compile/options.h"
#include "kasoku/device/cuda/libraries.h"
#include "kasoku/device/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <set>

namespace kasoku {
namespace {

/// Raised when the code that is made from the same input changes.
constexpr int code_version = 2;

const std::string& header_folder() {
  static const std::string& folder = *new std::string(cuda::find_headers(nvrtc_library_file()));
  return folder;
}

/// 90 of "sm_90a".
int number_of(const std::string& architecture) {
  const size_t digits = architecture.find_first_of("0123456789");
  return digits == std::string::npos ? 0 : std::atoi(architecture.c_str() + digits);
}

/// What to compile for: machine code if this NVRTC knows the GPU, else PTX of the
/// newest architecture that it does know, which the driver finishes.
std::string target_option(const Nvrtc& nvrtc, const std::string& architecture) {
  if (architecture.starts_with("compute_")) return "--gpu-architecture=" + architecture;
  const int wanted = number_of(architecture);
  int best = 0;
  for (int i = 0; i < nvrtc.n_supported; ++i)
    if (nvrtc.supported[i] <= wanted) best = nvrtc.supported[i];
  if (best == wanted && nvrtc.cubin_size) return "--gpu-architecture=" + architecture;
  if (best == 0)
    throw Error(ErrorKind::unsupported, fmt::format("NVRTC {}.{} does not compile for {}",
                                                    nvrtc.major, nvrtc.minor, architecture))
        .why(fmt::format("the oldest that it knows is sm_{}",
                         nvrtc.n_supported ? nvrtc.supported[0] : 0))
        .fix("an older nvidia-cuda-nvrtc");
  return fmt::format("--gpu-architecture=compute_{}", best);
}

/// sm_90a where the user asks for the variant of the same GPU with its own instructions.
std::string architecture_for(const Program& program, const std::string& device_architecture) {
  for (const std::string& option : program.options) {
    const size_t at = option.find("sm_");
    const bool is_arch = option.find("arch") != std::string::npos && at != std::string::npos;
    if (is_arch && option.compare(at, std::string::npos, device_architecture + "a") == 0)
      return device_architecture + "a";
  }
  return device_architecture;
}

/// Whether NVRTC may leave out textures and CUDA's own functions, whose declarations take it a seventh of a small text's time.
bool is_plain(const Nvrtc& nvrtc, const NvrtcText& text, const std::string& macros, const std::vector<std::string>& options) {
  if (nvrtc.major * 100 + nvrtc.minor < 1209 || !text.files.empty() || !text.headers.empty()) return false;
  for (const char* word : {"cuda", "tex", "surf", "<<<"})
    if (text.all.find(word) != std::string::npos || macros.find(word) != std::string::npos) return false;
  return std::ranges::none_of(options, [](const std::string& option) {
    return option.starts_with("-include=") && !option.starts_with("-include=kasoku_");
  });
}

struct Handle {
  const Nvrtc& nvrtc;
  nvrtcProgram program = nullptr;
  ~Handle() {
    if (program) nvrtc.destroy(&program);
  }
  void check(int result, const char* what) const {
    if (result)
      throw Error(ErrorKind::internal, fmt::format("NVRTC failed to {}", what))
          .why(nvrtc.error_text(result));
  }
  std::string text(int (*size_of)(nvrtcProgram, size_t*), int (*get)(nvrtcProgram, char*),
                   const char* what) const {
    size_t size = 0;
    check(size_of(program, &size), what);
    std::string out(size, '\0');
    if (size) check(get(program, out.data()), what);
    return out;
  }
};

struct Output {
  ModuleInfo info;
  std::string ptx;
  std::string machine_code;  ///< empty where NVRTC does not know the GPU
};

/// A program, and what is known of it before NVRTC sees it.
struct Source {
  const Program& program;
  const CompileOptions user = read_options(program.options);
  const std::string cuda_headers = compiles_for_pack ? "" : header_folder();
  NvrtcText text = read_nvrtc_text(program, user.include_dirs);
  const std::string macros = macro_text(user.macros);
  const bool launches = !program.is_generated && launches_kernels(text.all);
};

std::vector<std::string> options_of(const Nvrtc& nvrtc, const Source& source, const std::string& device_architecture) {
  const auto& [program, user, cuda_headers, text, macros, launches] = source;
  std::vector<std::string> options;
  options.push_back(target_option(nvrtc, architecture_for(program, device_architecture)));
  for (const std::string& option : user.nvrtc)
    if (!option.starts_with("-D") && !option.starts_with("-U") && !option.starts_with("-include"))
      options.push_back(option);
  const auto has_option = [&users = user.nvrtc](const char* start) {
    return std::ranges::any_of(users, [&](const std::string& option) { return option.starts_with(start); });
  };
  if (!has_option("-std")) options.push_back("-std=" + user.standard);
  // Unused variables are no news to who wrote them, and modf(x, &y) + y is no error;
  // Clang does not report them either.
  if (!has_option("-diag") && !has_option("--diag"))
    options.push_back("-diag-suppress=177,549,550");
  if (program.is_generated && !has_option("--fmad")) options.push_back("--fmad=false");
  if (program.is_generated) options.push_back("--disable-warnings");  // nobody wrote that text
  if (launches) options.push_back("--relocatable-device-code=true");
  for (std::string& option : prelude_options(text, !macros.empty(), !cuda_headers.empty()))
    options.push_back(std::move(option));
  for (const std::string& file : user.include_files) options.push_back("-include=" + file);
  if (is_plain(nvrtc, text, macros, options)) options.push_back("--minimal");
  if (cuda_headers.empty()) return options;
  const auto add_folder = [&](const std::string& folder) {
    options.push_back("-I" + folder);
    // CUDA 13 keeps its C++ library in a folder of its own.
    if (std::filesystem::is_directory(folder + "/cccl")) options.push_back("-I" + folder + "/cccl");
  };
  add_folder(cuda_headers);
  for (const std::string& folder : cuda::neighbours_of_headers(cuda_headers)) add_folder(folder);
  return options;
}

/// What is said of a text that does not compile: NVRTC's messages in `raw_log`, of which `log` is what was read.
Error compile_error(const Source& source, const std::string& raw_log, const NvrtcLog& log, const char* status) {
  if (const auto error = shared_memory_error(raw_log)) return *error;
  std::string errors = log.errors.empty() ? raw_log : log.errors;
  if (errors.empty()) errors = status;
  while (!errors.empty() && errors.back() == '\n') errors.pop_back();
  Error error(ErrorKind::compile, source.program.file + " does not compile\n" + errors);
  if (source.cuda_headers.empty() && errors.find("could not open source file") != std::string::npos)
    error.why("CUDA's headers are not installed")
        .fix("pip install nvidia-cuda-runtime, or CUDA_HOME=/path/to/cuda");
  else if (errors.find("\"nv/target\"") != std::string::npos)
    error.why("a header of CUDA needs CUDA's C++ library, which is not installed")
        .fix("pip install nvidia-cuda-cccl");
  return error;
}

/// `log` is there after a failure too.
Output run_once(const Program& program, const std::string& device_architecture, NvrtcLog& log) {
  const Nvrtc& nvrtc = nvrtc_library();
  Source source{program};
  const std::vector<std::string> options = options_of(nvrtc, source, device_architecture);

  std::vector<const char*> names, contents, arguments;
  const auto add_header = [&](std::string_view name, const std::string& content) {
    for (const char* known : names)
      if (name == known) return;
    names.push_back(name.data());
    contents.push_back(content.c_str());
  };
  for (const auto& [name, content] : program.headers) add_header(name, content);
  for (const auto& [name, content] : prelude_headers()) add_header(name, content);
  add_header(macro_header_name, source.macros);
  for (const std::string& option : options) arguments.push_back(option.c_str());

  Handle handle{nvrtc};
  handle.check(nvrtc.create(&handle.program, program.text.c_str(), program.file.c_str(),
                            static_cast<int>(names.size()), contents.data(), names.data()),
               "take the text");
  for (const std::string& expression : program.name_expressions)
    handle.check(nvrtc.add_expression(handle.program, expression.c_str()),
                 "take a name expression");
  const int result =
      nvrtc.compile(handle.program, static_cast<int>(arguments.size()), arguments.data());
  std::string raw_log = handle.text(nvrtc.log_size, nvrtc.log, "give its messages");
  while (!raw_log.empty() && (raw_log.back() == '\0' || raw_log.back() == '\n')) raw_log.pop_back();
  log = read_nvrtc_log(raw_log);
  if (result) throw compile_error(source, raw_log, log, nvrtc.error_text(result));

  Output out;
  out.ptx = handle.text(nvrtc.ptx_size, nvrtc.ptx, "give its PTX");
  while (!out.ptx.empty() && out.ptx.back() == '\0') out.ptx.pop_back();
  if (options[0].find("=sm_") != std::string::npos)
    out.machine_code = handle.text(nvrtc.cubin_size, nvrtc.cubin, "give its machine code");
  if (source.launches) out.machine_code = link_device_runtime(out.machine_code.empty() ? out.ptx : out.machine_code, device_architecture);
  out.info = read_ptx(out.ptx);
  out.info.includes = std::move(source.text.files);
  out.info.warnings = log.warnings;
  for (const std::string& expression : program.name_expressions) {
    const char* symbol = nullptr;
    handle.check(nvrtc.lowered_name(handle.program, expression.c_str(), &symbol),
                 "name an expression");
    out.info.expressions[expression] = symbol;
  }
  return out;
}

/// The text without the host's declarations in which there are faults; nothing if one is elsewhere.
std::optional<std::string> without_faults(const Program& program, const NvrtcLog& log, std::set<size_t>& lines) {
  if (log.faults.empty() || find_word(program.text, "__global__") == std::string::npos) return std::nullopt;
  std::vector<size_t> starts{0};
  for (size_t at = program.text.find('\n'); at != std::string::npos; at = program.text.find('\n', at + 1)) starts.push_back(at + 1);
  std::set<size_t> offsets;
  for (const auto& [file, line, column] : log.faults) {
    if (file != program.file || line > starts.size()) return std::nullopt;
    const size_t start = starts[line - 1];
    const size_t end = std::min(program.text.find('\n', start), program.text.size());
    const size_t first = program.text.find_first_not_of(" \t", start);
    if (first >= end) return std::nullopt;
    offsets.insert(column ? std::min(start + column, end) - 1 : first);  // a missing header's is behind it
    lines.insert(line);
  }
  return without_host_parts(program.text, offsets);
}

/// As Clang does (clang/parse.cpp): what a whole program says of the host stays out of the way of its kernels.
Output run(const Program& program, const std::string& device_architecture) {
  NvrtcLog log;
  try {
    return run_once(program, device_architecture, log);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::compile || program.is_generated) throw;
    constexpr int most_compiles = 40;  // a header that is missing ends a compile, so each takes one
    Program kernels = program;
    std::set<size_t> lines;
    for (int i = 0; i < most_compiles; ++i) {
      std::optional<std::string> rest = without_faults(kernels, log, lines);
      if (!rest) break;
      kernels.text = std::move(*rest);
      try {
        Output output = run_once(kernels, device_architecture, log);
        output.info.warnings += fmt::format("{}: warning: compiled without lines of the host that cannot be read here: {}\n",
                                            program.file, fmt::join(lines, ", "));
        return output;
      } catch (const Error& again) {
        if (again.kind != ErrorKind::compile) throw;
      }
    }
    throw;
  }
}

/// What Clang saw in the text: names, dtypes, what is read and written. Used where
/// it agrees with the compiled code about the sizes.
void add_signature(ModuleInfo& info, const ModuleInfo& seen) {
  const auto is_same_layout = [](const KernelInfo& a, const KernelInfo& b) {
    if (a.params.size() != b.params.size()) return false;
    for (size_t i = 0; i < a.params.size(); ++i)
      if (a.params[i].size != b.params[i].size) return false;
    return true;
  };
  for (KernelInfo& kernel : info.kernels) {
    const KernelInfo* match = nullptr;
    for (const KernelInfo& row : seen.kernels)
      if (row.symbol == kernel.symbol) match = &row;
    // int64_t is another type there, so a symbol may differ where the name does not.
    if (!match)
      for (const KernelInfo& row : seen.kernels)
        if (row.name == kernel.name) match = &row;
    if (!match || !is_same_layout(*match, kernel)) continue;
    kernel.name = match->name;
    kernel.line = match->line;
    kernel.params = match->params;
    kernel.params_known = match->params_known;
    kernel.uses_barrier = match->uses_barrier;
    kernel.uses_grid_sync = match->uses_grid_sync;
  }
  for (GlobalInfo& global : info.globals)
    for (const GlobalInfo& row : seen.globals)
      if (row.symbol == global.symbol) global.name = row.name;
}

class NvrtcCompiler final : public Compiler {
 public:
  std::optional<Key> brought_key(const Program& program, Device& device) override {
    const std::string_view architecture = brought_architecture(device.properties().architecture);
    if (!program.is_generated || architecture.empty()) return std::nullopt;
    // Generated text has the same bits whichever NVRTC compiles it, so the key names none.
    const std::string identity = fmt::format("nvrtc of the pack for {}; prelude {}; code {}", architecture, prelude_hash(), code_version);
    Key key = program_key(program, identity);
    key.material = identity;  // a text for each architecture would be half of the pack
    return key;
  }

  std::string identity(Device& device) override {
    static const std::string library = file_identity(nvrtc_library_file());
    static const std::string headers =
        header_folder().empty() ? "none" : file_identity(header_folder() + "/cuda_fp16.h");
    return fmt::format("nvrtc {} for {}; headers {}; prelude {}; code {}", library,
                       device.properties().architecture, headers, prelude_hash(), code_version);
  }

  Unit compile(const Program& program, Device& device) override {
    return nvrtc_compile(program, device.properties().architecture);
  }

  KernelCode specialise(const std::string&, const KernelInfo& kernel, const uint32_t[3],
                        Device& device) override {
    throw Error(ErrorKind::internal,
                fmt::format("kernel '{}' on {} has one code for all block shapes", kernel.name,
                            device.str()));
  }

  std::string code_text(const Program& program, Device& device, const std::string& kernel,
                        CodeForm form, const uint32_t[3]) override {
    if (form == CodeForm::text) return program.text;
    if (form != CodeForm::ptx)
      throw Error(ErrorKind::unsupported,
                  fmt::format("there is no {} of a kernel on {}",
                              form == CodeForm::llvm_ir ? "LLVM IR" : form == CodeForm::loops ? "word of a vectorizer" : "assembly",
                              device.str()))
          .why("NVRTC gives PTX")
          .fix("ask for the PTX, or for another device");
    return run(program, device.properties().architecture).ptx;
  }
};

}  // namespace

Compiler::Unit nvrtc_compile(const Program& program, const std::string& architecture) {
  // Clang reads the signature while NVRTC compiles.
  std::future<std::optional<ModuleInfo>> signature =
      std::async(std::launch::async, [&program]() -> std::optional<ModuleInfo> {
        try {
          return clang_signature(program);
        } catch (const std::exception&) {
          return std::nullopt;  // NVRTC has the last word
        }
      });
  Output output = run(program, architecture);
  if (const auto seen = signature.get()) add_signature(output.info, *seen);
  Compiler::Unit unit;
  unit.payload =
      output.machine_code.empty() ? std::move(output.ptx) : std::move(output.machine_code);
  unit.info = std::move(output.info);
  return unit;
}

Compiler& nvrtc_compiler() {
  static NvrtcCompiler& compiler = *new NvrtcCompiler;
  return compiler;
}

std::string nvrtc_missing() {
  return nvrtc_library_file().empty() ? "NVRTC is not installed (libnvrtc.so.13, .12 or .11.2)"
                                      : "";
}
std::string_view brought_architecture(const std::string& architecture) {
  const int number = number_of(architecture);
  std::string_view found;
  for (const std::string_view each : brought_architectures)
    if (const int its = number_of(std::string(each)); its <= number && (each.starts_with("compute_") || its / 10 == number / 10)) found = each;
  return found;
}

void use_nvrtc(const std::string& file) { nvrtc_library_file() = file; }

std::string nvrtc_headers() { return header_folder(); }

}  // namespace kasoku

#include "kasoku/compile/options.h"

#include "kasoku/base/error.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>

namespace kasoku {
namespace {

enum class Kind {
  flag,         // no value
  joined,       // value after '=' or, for one letter, at once; or the next option
  maybe_joined, // value only after '=', and it may be missing
};

using Handler = void (*)(CompileOptions&, const std::string& value, const std::string& written);

struct Row {
  const char* names;  // alternatives, separated by spaces
  Kind kind;
  Handler handler;    // nullptr: refused
  const char* note;   // why it is accepted without effect, or refused
};

void to_nvrtc(CompileOptions& options, std::string text) {
  options.nvrtc.push_back(std::move(text));
}

bool truth(const std::string& value, const std::string& written) {
  if (value == "true" || value == "1" || value.empty()) return true;
  if (value == "false" || value == "0") return false;
  throw Error(ErrorKind::value, "the option '" + written + "' takes true or false");
}

void ignore(CompileOptions&, const std::string&, const std::string&) {}

void define(CompileOptions& options, const std::string& value, const std::string&) {
  options.macros.push_back("-D" + value);
  to_nvrtc(options, "-D" + value);
}
void undefine(CompileOptions& options, const std::string& value, const std::string&) {
  options.macros.push_back("-U" + value);
  to_nvrtc(options, "-U" + value);
}
void include_dir(CompileOptions& options, const std::string& value, const std::string&) {
  // nvcc takes several directories with commas between them.
  size_t begin = 0;
  while (begin <= value.size()) {
    const size_t end = std::min(value.find(',', begin), value.size());
    const std::string dir = value.substr(begin, end - begin);
    if (!dir.empty()) {
      options.include_dirs.push_back(dir);
      to_nvrtc(options, "-I" + dir);
    }
    begin = end + 1;
  }
}
void include_file(CompileOptions& options, const std::string& value, const std::string&) {
  options.include_files.push_back(value);
  to_nvrtc(options, "-include=" + value);
}
void standard(CompileOptions& options, const std::string& value, const std::string& written) {
  std::string name = value;
  if (name.starts_with("gnu++")) name = "c++" + name.substr(5);
  if (name == "c++0x") name = "c++11";
  if (name == "c++1y") name = "c++14";
  if (name == "c++1z") name = "c++17";
  if (name == "c++2a") name = "c++20";
  if (name == "c++03" || name == "c++98") name = "c++11";  // the oldest that is left
  if (name != "c++11" && name != "c++14" && name != "c++17" && name != "c++20" && name != "c++23")
    throw Error(ErrorKind::value, "the option '" + written + "' names no language that is known")
        .fix("-std=c++11, c++14, c++17 or c++20");
  options.standard = name == "c++23" ? "c++20" : name;
  to_nvrtc(options, "-std=" + options.standard);
}
void fast_math(CompileOptions& options, const std::string& value, const std::string& written) {
  if (!truth(value, written)) return;
  options.fast_math = options.flush_denormals = options.contract = true;
  options.precise_division = options.precise_root = false;
  to_nvrtc(options, "--use_fast_math");
}
void contract(CompileOptions& options, const std::string& value, const std::string& written) {
  options.contract = truth(value, written);
  to_nvrtc(options, options.contract ? "--fmad=true" : "--fmad=false");
}
void flush(CompileOptions& options, const std::string& value, const std::string& written) {
  options.flush_denormals = truth(value, written);
  to_nvrtc(options, options.flush_denormals ? "--ftz=true" : "--ftz=false");
}
void division(CompileOptions& options, const std::string& value, const std::string& written) {
  options.precise_division = truth(value, written);
  to_nvrtc(options, options.precise_division ? "--prec-div=true" : "--prec-div=false");
}
void root(CompileOptions& options, const std::string& value, const std::string& written) {
  options.precise_root = truth(value, written);
  to_nvrtc(options, options.precise_root ? "--prec-sqrt=true" : "--prec-sqrt=false");
}
void registers(CompileOptions& options, const std::string& value, const std::string& written) {
  if (value.empty() || !std::all_of(value.begin(), value.end(), ::isdigit))
    throw Error(ErrorKind::value, "the option '" + written + "' takes a number");
  to_nvrtc(options, "--maxrregcount=" + value);
}
void architecture(CompileOptions& options, const std::string& value, const std::string& written) {
  if (value == "native" || value == "all" || value == "all-major") return;
  for (std::string_view prefix : {"sm_", "compute_", "lto_"})
    if (value.starts_with(prefix)) {
      const std::string digits = value.substr(prefix.size());
      const size_t n = digits.find_first_not_of("0123456789");
      if (n == 0 || digits.empty()) break;
      options.architecture = std::stoi(digits.substr(0, std::min(n, digits.size())).substr(0, 4));
      return;
    }
  throw Error(ErrorKind::value, "the option '" + written + "' names no architecture")
      .fix("-arch=sm_80");
}
void code_list(CompileOptions& options, const std::string& value, const std::string&) {
  const size_t at = value.find("arch=");
  if (at == std::string::npos) return;
  const size_t end = value.find_first_of(", ", at);
  architecture(options, value.substr(at + 5, end == std::string::npos ? end : end - at - 5), value);
}
void debug(CompileOptions& options, const std::string&, const std::string& written) {
  options.line_info = true;
  to_nvrtc(options, written == "-G" || written == "--device-debug" ? "-G" : "-lineinfo");
}
void default_device(CompileOptions& options, const std::string&, const std::string&) {
  options.default_device = true;
  to_nvrtc(options, "-default-device");
}
void quiet(CompileOptions& options, const std::string&, const std::string&) {
  options.no_warnings = true;
  to_nvrtc(options, "-w");
}
void strict(CompileOptions& options, const std::string&, const std::string&) {
  options.warnings_are_errors = true;
}
void extended_lambda(CompileOptions& options, const std::string&, const std::string&) {
  to_nvrtc(options, "--extended-lambda");
}
void pass_on(CompileOptions& options, const std::string&, const std::string& written) {
  to_nvrtc(options, written);
}

// clang-format off
const Row table[] = {
    // spellings                                          value               meaning          note
    {"-D --define-macro",                                 Kind::joined,       define,          ""},
    {"-U --undefine-macro",                               Kind::joined,       undefine,        ""},
    {"-I --include-path -isystem --system-include",       Kind::joined,       include_dir,     ""},
    {"-include --pre-include",                            Kind::joined,       include_file,    ""},
    {"-std --std",                                        Kind::joined,       standard,        ""},
    {"-use_fast_math --use_fast_math -ffast-math",        Kind::maybe_joined, fast_math,       ""},
    {"-fmad --fmad",                                      Kind::joined,       contract,        ""},
    {"-ftz --ftz",                                        Kind::joined,       flush,           "a CPU keeps denormals"},
    {"-prec-div --prec-div",                              Kind::joined,       division,        "a CPU divides precisely"},
    {"-prec-sqrt --prec-sqrt",                            Kind::joined,       root,            "a CPU's root is precise"},
    {"-maxrregcount --maxrregcount",                      Kind::joined,       registers,       "a CPU has the registers it has"},
    {"-arch --gpu-architecture",                          Kind::joined,       architecture,    "sets __CUDA_ARCH__"},
    {"-gencode --generate-code",                          Kind::joined,       code_list,       "as -arch"},
    {"-code --gpu-code",                                  Kind::joined,       ignore,          "the code is for this machine"},
    {"-lineinfo --generate-line-info",                    Kind::flag,         debug,           ""},
    {"-g --debug -G --device-debug",                      Kind::flag,         debug,           ""},
    {"-default-device --default-device",                  Kind::flag,         default_device,  ""},
    {"-device-as-default-execution-space --device-as-default-execution-space",
                                                          Kind::flag,         default_device,  ""},
    {"-w --disable-warnings",                             Kind::flag,         quiet,           ""},
    {"-Werror --Werror",                                  Kind::maybe_joined, strict,          ""},
    {"-extended-lambda --extended-lambda -expt-extended-lambda --expt-extended-lambda",
                                                          Kind::flag,         extended_lambda, "always on with Clang"},
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr",  Kind::flag,         ignore,          "always on with Clang"},
    {"-restrict --restrict",                              Kind::flag,         pass_on,         "kernels say __restrict__ themselves"},
    {"-extra-device-vectorization --extra-device-vectorization", Kind::flag,  pass_on,         "always on here"},
    {"-rdc --relocatable-device-code",                    Kind::joined,       ignore,          "a module is one text"},
    {"-dc --device-c -dw --device-w -c --compile",        Kind::flag,         ignore,          "a module is one text"},
    {"-dlto --dlink-time-opt -dopt --dopt",               Kind::maybe_joined, ignore,          "a module is one text"},
    {"-O --optimize -Ofc --Ofast-compile",                Kind::maybe_joined, ignore,          "always optimised"},
    {"-O0 -O1 -O2 -O3 -Os -Ofast",                        Kind::flag,         ignore,          "always optimised"},
    {"-Wall -Wextra -pedantic -Wno-unused -Wno-deprecated-gpu-targets -Wconversion -Wno-deprecated-declarations -Wreorder --Wreorder",
                                                          Kind::flag,         ignore,          "the compiler's own warnings are shown"},
    {"-Xcompiler --compiler-options -Xptxas --ptxas-options -Xlinker --linker-options -Xnvlink --nvlink-options -Xcudafe",
                                                          Kind::joined,       ignore,          "for a program that does not run"},
    {"-ccbin --compiler-bindir -odir --output-directory -o --output-file -x --x -m --machine -keep-dir -cudart --cudart -split-compile --split-compile -t --threads",
                                                          Kind::joined,       ignore,          "for a program that does not run"},
    {"-m64 -shared --shared -cubin --cubin -ptx --ptx -fatbin -keep --keep -v --verbose -fPIC -fopenmp -pthread -dryrun --resource-usage -res-usage -no-compress --source-in-ptx -src-in-ptx --keep-device-functions -allow-unsupported-compiler --allow-unsupported-compiler -forward-unknown-to-host-compiler --forward-unknown-to-host-compiler -forward-unknown-opts -use-local-env --use-local-env -brief-diagnostics --brief-diagnostics -no-align-double --no-align-double",
                                                          Kind::flag,         ignore,          "for a program that does not run"},
    {"-diag-suppress --diag-suppress -diag-error --diag-error -diag-warn --diag-warn",
                                                          Kind::joined,       pass_on,         "numbers of nvcc's own warnings"},
    {"-disable-diag-numbers --display-error-number -display-error-number --no-display-error-number",
                                                          Kind::flag,         ignore,          ""},
    {"-std-lib --no-source-include -no-source-include --builtin-move-forward -builtin-move-forward --builtin-initializer-list -builtin-initializer-list --no-cache -no-cache --time -time --minimal -minimal --device-int128 -device-int128 -pch --pch --device-stack-protector",
                                                          Kind::maybe_joined, ignore,          ""},
    {"-lcudadevrt -lcudart -lcudart_static",              Kind::flag,         ignore,          "kernels that launch kernels link with nothing"},
    {"-l --library -L --library-path",                    Kind::joined,       nullptr,         "a kernel's text links with nothing"},
    {"-m32",                                              Kind::flag,         nullptr,         "pointers have 64 bits here"},
};
// clang-format on

/// Whether `written` is `name`, or `name` with a joined value; the value then.
std::optional<std::string> match(const std::string& written, std::string_view name, Kind kind,
                                 bool& needs_next) {
  needs_next = false;
  if (!written.starts_with(name)) return std::nullopt;
  const std::string rest = written.substr(name.size());
  if (rest.empty()) {
    needs_next = kind == Kind::joined;
    return std::string();
  }
  if (kind == Kind::flag) return std::nullopt;
  if (rest[0] == '=') return rest.substr(1);
  const bool one_letter = name.size() == 2 && kind == Kind::joined;
  if (one_letter && std::strchr("DUIlL", name[1])) return rest;
  return std::nullopt;
}

const Row* find(const std::string& written, std::string& value, bool& needs_next) {
  for (const Row& row : table) {
    std::string_view names = row.names;
    while (!names.empty()) {
      const size_t end = std::min(names.find(' '), names.size());
      if (auto found = match(written, names.substr(0, end), row.kind, needs_next)) {
        value = *found;
        return &row;
      }
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  return nullptr;
}

/// "-D N" as one string, as some users pass it.
std::vector<std::string> split(std::span<const std::string> options) {
  std::vector<std::string> out;
  for (const std::string& option : options) {
    const size_t begin = option.find_first_not_of(" \t\n");
    if (begin == std::string::npos) continue;
    const size_t end = option.find_last_not_of(" \t\n") + 1;
    const std::string text = option.substr(begin, end - begin);
    const size_t space = text.find(' ');
    const bool two = text[0] == '-' && space != std::string::npos &&
                     text.substr(0, space).find('=') == std::string::npos &&
                     !text.starts_with("-D") && !text.starts_with("-I");
    const bool short_two = (text.starts_with("-D ") || text.starts_with("-I "));
    if (two || short_two) {
      out.push_back(text.substr(0, space));
      out.push_back(text.substr(text.find_first_not_of(' ', space)));
    } else {
      out.push_back(text);
    }
  }
  return out;
}

}  // namespace

CompileOptions read_options(std::span<const std::string> options) {
  CompileOptions result;
  const std::vector<std::string> words = split(options);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& written = words[i];
    std::string value;
    bool needs_next = false;
    const Row* row = find(written, value, needs_next);
    if (!row && written.starts_with("-W") && written.size() > 2) continue;  // a host's warning
    if (!row)
      throw Error(ErrorKind::value, "the compiler option '" + written + "' is not understood")
          .fix("leave it out; understood are -D -U -I -include -std= --use_fast_math -fmad= "
               "-default-device -lineinfo -w and what means nothing on a CPU");
    if (!row->handler)
      throw Error(ErrorKind::value, "the compiler option '" + written + "' is not supported")
          .why(row->note);
    if (needs_next) {
      if (i + 1 == words.size())
        throw Error(ErrorKind::value, "the compiler option '" + written + "' needs a value");
      value = words[++i];
    }
    row->handler(result, value, written);
  }
  return result;
}

}  // namespace kasoku

/// \file kasoku/compile/nvrtc_text.h
/// What a text means to include and which names it brings itself, read without a
/// preprocessor: a superset of what one would see.
#pragma once

#include "kasoku/compile/program.h"
#include "kasoku/device/code.h"

#include <string>
#include <string_view>
#include <vector>

namespace kasoku {

struct NvrtcText {
  std::string all;                   ///< the text and all files of the user's that it includes
  std::vector<IncludedFile> files;   ///< those from disk, and those looked for
  std::vector<std::string> headers;  ///< names that were found nowhere: the compiler's own
};

NvrtcText read_nvrtc_text(const Program& program, const std::vector<std::string>& include_dirs);

bool has_word(std::string_view text, std::string_view word);
/// Whether `text` declares `name` itself: typedef, using, #define, struct, namespace, a variable.
bool declares(std::string_view text, std::string_view name);

/// Options that leave out of the prelude what the text declares or cannot use, and
/// includes of CUDA's headers whose names it uses without including them.
std::vector<std::string> prelude_options(const NvrtcText& text, bool has_macros,
                                         bool has_cuda_headers);

/// The user's -D and -U as a text that is included under this name: given as options
/// they would reach NVRTC's own headers, which break on macros such as T.
inline constexpr const char* macro_header_name = "kasoku_macros.h";
std::string macro_text(const std::vector<std::string>& macros);

/// The names that NVRTC lacks, and empty or small files under the names of system
/// headers that texts include: (name, content).
const std::vector<std::pair<std::string, std::string>>& prelude_headers();
/// Changes when the prelude does.
std::string prelude_hash();

}  // namespace kasoku

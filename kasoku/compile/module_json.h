/// \file kasoku/compile/module_json.h
/// The JSON of the embedded compiler (clang/abi.h, point 4) as the engine's structs.
#pragma once

#include "kasoku/device/code.h"

#include <map>
#include <string>
#include <string_view>

namespace kasoku {

/// Throws ErrorKind::internal if the text is not what abi.h says.
ModuleInfo module_info_from_json(std::string_view text,
                                 std::map<std::string, std::string>* initial_values);
KernelCode kernel_code_from_json(std::string_view text);

}  // namespace kasoku

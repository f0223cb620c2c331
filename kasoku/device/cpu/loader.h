/// \file kasoku/device/cpu/loader.h
/// Machine code from an ELF object into the process.
///
/// Takes what the embedded compiler writes: relocatable x86-64 objects in
/// position-independent code. The bytes come from the cache, so whatever they
/// are, the outcome is an address or an Error.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kasoku::cpu {

/// Address of an undefined symbol; nullptr if it is not known.
using SymbolResolver = std::function<void*(const std::string& name)>;

/// Loads the object and gives the address of its function `entry`.
void* load_object(std::string_view object, const std::string& entry,
                  const SymbolResolver& resolve);

}  // namespace kasoku::cpu

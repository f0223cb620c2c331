/// \file kasoku/base/file.h
/// Files as the cache needs them: whole, atomic, and nobody else's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kasoku {

/// The whole content, or nothing if it cannot be read.
std::optional<std::string> read_file(const std::string& path);

/// Writes a temporary file beside `path` and renames it, so that a reader sees
/// the old content or the new one. False, with nothing left behind, if that fails;
/// `reason` then says why. Never raises SIGXFSZ's default action.
bool write_file_atomically(const std::string& path, std::string_view content,
                           std::string* reason = nullptr);

/// Makes a folder and those above it; new ones have mode 0700.
bool make_folders(const std::string& path, std::string* reason = nullptr);

/// Empty if `path` is a folder of this user that nobody else can write to; else why not.
std::string why_not_private(const std::string& path);

/// $XDG_CACHE_HOME/kasoku, ~/.cache/kasoku, or the password file's home; empty if there is none.
std::string platform_cache_folder();

}  // namespace kasoku

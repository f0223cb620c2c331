/// \file kasoku/compile/clang/parse.h
/// Stage 1: CUDA C++ text -> LLVM bitcode of its device code, and what is known
/// of its kernels.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kasoku::embedded {

struct ParseRequest {
  std::string_view text;
  std::string_view file;  ///< the text's name in messages
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;
  std::vector<std::pair<std::string_view, std::string_view>> headers;  ///< name, content
  std::map<std::string, std::string> instead;  ///< what files hold here, not on disk: path, content
  bool is_generated = false;
  bool with_lines = false;
  bool for_cuda = false;
};

struct ParseResult {
  bool ok = false;
  std::string bitcode;
  std::string info;         ///< JSON, see abi.h
  std::string diagnostics;  ///< errors and warnings in the user's lines
};

/// Wrong text is no exception: `ok` is false and `diagnostics` says why.
/// A wrong option throws kasoku::Error.
ParseResult parse_text(const ParseRequest& request);

/// The prelude as a precompiled header, for the tool that embeds it.
std::string make_pch();

}  // namespace kasoku::embedded

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/clang_api.h"
#include "kasoku/compile/clang/generate.h"
#include "kasoku/compile/clang/parse.h"
#include "kasoku/compile/clang_identity.h"

#include <exception>
#include <string>
#include <string_view>

struct ks_clang_result {
  std::string parts[3];
};

namespace {

std::string_view view(const ks_text& text) {
  return text.data ? std::string_view(text.data, text.size) : std::string_view();
}

kasoku::embedded::ParseRequest to_parse_request(const ks_parse_request& from) {
  kasoku::embedded::ParseRequest request;
  request.text = view(from.text);
  request.file = view(from.file);
  for (size_t i = 0; i < from.n_options; ++i) request.options.emplace_back(view(from.options[i]));
  for (size_t i = 0; i < from.n_name_expressions; ++i)
    request.name_expressions.emplace_back(view(from.name_expressions[i]));
  for (size_t i = 0; i < from.n_headers; ++i)
    request.headers.emplace_back(view(from.headers[i].name), view(from.headers[i].content));
  request.is_generated = from.is_generated != 0;
  request.with_lines = from.with_lines != 0;
  request.for_cuda = from.for_cuda != 0;
  return request;
}

// Nothing may be thrown across the boundary, not even for want of memory.
template <class Work>
int guarded(ks_clang_result** out, Work work) {
  ks_clang_result* result = *out = new (std::nothrow) ks_clang_result;
  if (!result) return 2;
  try {
    return work(*result);
  } catch (const kasoku::Error& error) {
    result->parts[KS_DIAGNOSTICS] = error.what();
    const bool users_fault = error.kind != kasoku::ErrorKind::internal;
    return users_fault ? 1 : 2;
  } catch (const std::exception& error) {
    try {
      result->parts[KS_DIAGNOSTICS] = std::string("the embedded compiler failed: ") + error.what();
    } catch (...) {
    }
    return 2;
  }
}

}  // namespace

#define KS_EXPORT __attribute__((visibility("default")))

extern "C" {

KS_EXPORT int ks_clang_parse(const ks_parse_request* request, ks_clang_result** out) {
  return guarded(out, [&](ks_clang_result& result) {
    auto parsed = kasoku::embedded::parse_text(to_parse_request(*request));
    result.parts[KS_MAIN] = std::move(parsed.bitcode);
    result.parts[KS_INFO] = std::move(parsed.info);
    result.parts[KS_DIAGNOSTICS] = std::move(parsed.diagnostics);
    return parsed.ok ? 0 : 1;
  });
}

KS_EXPORT int ks_clang_generate(const ks_generate_request* request, ks_clang_result** out) {
  return guarded(out, [&](ks_clang_result& result) {
    kasoku::embedded::GenerateRequest to;
    to.bitcode = view(request->bitcode);
    to.symbol = view(request->symbol);
    for (int i = 0; i < 3; ++i) to.block[i] = request->block[i];
    to.cpu = view(request->cpu);
    to.is_generated = request->is_generated != 0;
    to.want = request->want;
    to.checked = request->checked;
    to.passes = view(request->passes);
    if (request->after_pass) to.after_pass = [request](std::string_view said) { request->after_pass({said.data(), said.size()}); };
    auto generated = kasoku::embedded::generate_kernel(to);
    result.parts[KS_MAIN] = std::move(generated.main);
    result.parts[KS_INFO] = std::move(generated.info);
    return 0;
  });
}

KS_EXPORT ks_text ks_clang_get(const ks_clang_result* result, int part) {
  if (!result || part < 0 || part > 2) return {nullptr, 0};
  return {result->parts[part].data(), result->parts[part].size()};
}

KS_EXPORT void ks_clang_free(ks_clang_result* result) { delete result; }

KS_EXPORT const char* ks_clang_identity(void) { return KASOKU_CLANG_IDENTITY; }

}  // extern "C"

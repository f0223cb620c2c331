/// \file kasoku/compile/key.cpp
#include "kasoku/compile/key.h"

#include "kasoku/compile/clang/abi.h"
#include "kasoku/compile/serial.h"

namespace kasoku {

namespace {

Key finish(ByteWriter& out) {
  Key key;
  key.material = out.take();
  key.hash = hash128(key.material);
  return key;
}

}  // namespace

Key program_key(const Program& program, const std::string& identity) {
  ByteWriter out;
  out.text("program").text(KASOKU_VERSION).number(ks_abi_version).text(identity);
  out.text(program.text).text(program.file).number(program.is_generated).number(program.is_checked);
  out.number(program.options.size());
  for (const std::string& option : program.options) out.text(option);
  out.number(program.name_expressions.size());
  for (const std::string& expression : program.name_expressions) out.text(expression);
  out.number(program.headers.size());
  for (const auto& [name, content] : program.headers) out.text(name).text(content);
  return finish(out);
}

Key kernel_key(const Hash128& payload, const KernelInfo& kernel, const uint32_t block[3],
               const std::string& identity) {
  ByteWriter out;
  out.text("kernel").text(KASOKU_VERSION).number(ks_abi_version).text(identity);
  out.number(payload.high).number(payload.low).text(kernel.symbol);
  for (int i = 0; i < 3; ++i) out.number(block[i]);
  return finish(out);
}

Key brought_key(std::string_view name, const std::string& identity) {
  ByteWriter out;
  out.text("brought").text(KASOKU_VERSION).number(ks_abi_version).text(identity).text(name);
  return finish(out);
}

}  // namespace kasoku

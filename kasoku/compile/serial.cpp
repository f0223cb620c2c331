/// \file kasoku/compile/serial.cpp
#include "kasoku/compile/serial.h"

#include <cstring>

namespace kasoku {

ByteWriter& ByteWriter::number(uint64_t value) {
  char bytes[8];
  std::memcpy(bytes, &value, 8);
  bytes_.append(bytes, 8);
  return *this;
}

ByteWriter& ByteWriter::text(std::string_view text) {
  number(text.size());
  bytes_.append(text);
  return *this;
}

uint64_t ByteReader::number() {
  if (bytes_.size() < 8) is_good_ = false;
  if (!is_good_) return 0;
  uint64_t value;
  std::memcpy(&value, bytes_.data(), 8);
  bytes_.remove_prefix(8);
  return value;
}

std::string_view ByteReader::text() {
  const uint64_t size = number();
  if (size > bytes_.size()) is_good_ = false;
  if (!is_good_) return {};
  const std::string_view text = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return text;
}

size_t ByteReader::count() {
  const uint64_t count = number();
  if (count > bytes_.size() / 8) is_good_ = false;
  return is_good_ ? count : 0;
}

namespace {

void write(ByteWriter& out, const ParamInfo& param) {
  out.text(param.name).text(param.type).number(static_cast<uint64_t>(param.kind));
  out.number(static_cast<uint64_t>(param.dtype)).number(param.size).number(param.align);
  out.number(param.element_size).number(param.is_const).number(param.is_restrict);
  out.number(param.is_read).number(param.is_written);
}

ParamInfo read_param(ByteReader& in) {
  ParamInfo param;
  param.name = in.text();
  param.type = in.text();
  param.kind = static_cast<ParamKind>(in.number());
  param.dtype = static_cast<Dtype>(in.number());
  param.size = static_cast<uint32_t>(in.number());
  param.align = static_cast<uint32_t>(in.number());
  param.element_size = static_cast<uint32_t>(in.number());
  param.is_const = in.number();
  param.is_restrict = in.number();
  param.is_read = in.number();
  param.is_written = in.number();
  return param;
}

void write(ByteWriter& out, const KernelInfo& kernel) {
  out.text(kernel.name).text(kernel.symbol).number(static_cast<uint64_t>(kernel.line));
  out.number(kernel.params_known).number(kernel.params.size());
  for (const ParamInfo& param : kernel.params) write(out, param);
  out.number(kernel.max_threads).number(kernel.static_shared_bytes);
  out.number(kernel.uses_barrier).number(kernel.uses_grid_sync);
}

KernelInfo read_kernel(ByteReader& in) {
  KernelInfo kernel;
  kernel.name = in.text();
  kernel.symbol = in.text();
  kernel.line = static_cast<int>(in.number());
  kernel.params_known = in.number();
  const size_t params = in.count();
  for (size_t i = 0; i < params && in.is_good(); ++i) kernel.params.push_back(read_param(in));
  kernel.max_threads = static_cast<uint32_t>(in.number());
  kernel.static_shared_bytes = static_cast<uint32_t>(in.number());
  kernel.uses_barrier = in.number();
  kernel.uses_grid_sync = in.number();
  return kernel;
}

void write(ByteWriter& out, const std::map<std::string, std::string>& map) {
  out.number(map.size());
  for (const auto& [key, value] : map) out.text(key).text(value);
}

std::map<std::string, std::string> read_map(ByteReader& in) {
  std::map<std::string, std::string> map;
  const size_t size = in.count();
  for (size_t i = 0; i < size && in.is_good(); ++i) {
    std::string key(in.text());
    map[std::move(key)] = in.text();
  }
  return map;
}

}  // namespace

std::string to_bytes(const Compiler::Unit& unit) {
  ByteWriter out;
  const ModuleInfo& info = unit.info;
  out.number(info.kernels.size());
  for (const KernelInfo& kernel : info.kernels) write(out, kernel);
  out.number(info.globals.size());
  for (const GlobalInfo& global : info.globals)
    out.text(global.name).text(global.symbol).number(global.size).number(global.align)
        .number(global.is_constant);
  write(out, info.expressions);
  out.number(info.includes.size());
  for (const IncludedFile& file : info.includes) out.text(file.path).text(file.hash);
  out.text(info.warnings);
  write(out, unit.initial_values);
  out.text(unit.payload);
  return out.take();
}

bool from_bytes(std::string_view bytes, Compiler::Unit& unit) {
  ByteReader in(bytes);
  ModuleInfo& info = unit.info;
  const size_t kernels = in.count();
  for (size_t i = 0; i < kernels && in.is_good(); ++i) info.kernels.push_back(read_kernel(in));
  const size_t globals = in.count();
  for (size_t i = 0; i < globals && in.is_good(); ++i) {
    GlobalInfo& global = info.globals.emplace_back();
    global.name = in.text();
    global.symbol = in.text();
    global.size = in.number();
    global.align = static_cast<uint32_t>(in.number());
    global.is_constant = in.number();
  }
  info.expressions = read_map(in);
  const size_t includes = in.count();
  for (size_t i = 0; i < includes && in.is_good(); ++i) {
    IncludedFile& file = info.includes.emplace_back();
    file.path = in.text();
    file.hash = in.text();
  }
  info.warnings = in.text();
  unit.initial_values = read_map(in);
  unit.payload = in.text();
  return in.is_good() && in.is_at_end();
}

std::string to_bytes(const KernelCode& code) {
  return ByteWriter()
      .text(code.object).text(code.symbol).number(code.scratch_bytes)
      .number(code.scratch_bytes_per_thread).number(code.static_shared_bytes)
      .number(code.spans_blocks).number(code.waits_in_memory)
      .take();
}

bool from_bytes(std::string_view bytes, KernelCode& code) {
  ByteReader in(bytes);
  code.object = in.text();
  code.symbol = in.text();
  code.scratch_bytes = in.number();
  code.scratch_bytes_per_thread = in.number();
  code.static_shared_bytes = in.number();
  code.spans_blocks = in.number() != 0;
  code.waits_in_memory = in.number() != 0;
  return in.is_good() && in.is_at_end();
}

}  // namespace kasoku

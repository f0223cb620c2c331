#include "kasoku/kernel/reduction_text.h"

#include "kasoku/kernel/headers.h"

#include <fmt/format.h>

// Names in the text:
//   _type_reduce   what is reduced              _reduce(a, b)  two of them become one
//   _o             output of this block         _j             element of it, in C order
//   _length        elements of an output        _chunks        chunks of an output
//   _partial       one value for each chunk     _lanes         shared: one for each thread
// A block of 256 threads takes a chunk; thread t has lanes t, t + 256, t + 512, t + 768.
namespace kasoku {
namespace {

/// The tree over one chunk. `load` is a statement that sets _value from _j.
std::string tree(const std::string& load, const std::string& start) {
  std::string out;
  // Places are 64-bit sums of the thread's index, which compilers see as neighbours.
  out += "  const unsigned _t = threadIdx.x;\n"
         "  const ptrdiff_t _first = (ptrdiff_t)_base + (ptrdiff_t)_t;\n";
  out += fmt::format("  _type_reduce _l0{0}, _l1{0}, _l2{0}, _l3{0};\n", start);
  // A full chunk: nothing to ask, so the loop over threads is straight code.
  out += fmt::format("  if (_count == {}) {{\n", chunk_elements);
  for (int lane = 0; lane < 4; ++lane)
    out += fmt::format("    {{ const ptrdiff_t _j = _first + {}; {} _l{} = _value; }}\n",
                       lane * 256, load, lane);
  out += fmt::format("#pragma unroll\n    for (unsigned _s = {0}; _s < {1}; _s += {0}) {{\n", chunk_lanes, chunk_elements);
  for (int lane = 0; lane < 4; ++lane)
    out += fmt::format("      {{ const ptrdiff_t _j = _first + (_s + {0}); {1} "
                       "_l{2} = _reduce(_l{2}, _value); }}\n",
                       lane * 256, load, lane);
  out += fmt::format("    }}\n  }} else {{\n    for (unsigned _s = 0; _s < _count; _s += {}) {{\n", chunk_lanes);
  for (int lane = 0; lane < 4; ++lane)
    out += fmt::format(
        "      if (_s + {0}u + _t < _count) {{ const ptrdiff_t _j = _first + (_s + {0}); {1} "
        "_l{2} = _s ? _reduce(_l{2}, _value) : _value; }}\n",
        lane * 256, load, lane);
  out += "    }\n  }\n";
  out += "  if (_t + 512u < _count) _l0 = _reduce(_l0, _l2);\n"
         "  if (_t + 768u < _count) _l1 = _reduce(_l1, _l3);\n"
         "  if (_t + 256u < _count) _l0 = _reduce(_l0, _l1);\n"
         "  _lanes[_t] = _l0;\n"
         "  __syncthreads();\n"
         "#pragma unroll\n"
         "  for (unsigned _s = 128; _s > 0; _s >>= 1) {\n"
         "    if (_t < _s && _t + _s < _count) _lanes[_t] = _reduce(_lanes[_t], _lanes[_t + _s]);\n"
         "    __syncthreads();\n"
         "  }\n";
  return out;
}

std::string finish_block(const std::string& post) {
  return "  if (_t == 0) {\n    if (_is_last) {\n      const _type_reduce a = _lanes[0];\n      " +
         post + ";\n    } else {\n      _partial[blockIdx.x] = _lanes[0];\n    }\n  }\n}\n";
}

}  // namespace

Program reduction_program(const ReductionText& text) {
  const std::string& name = text.options->name;
  const std::string start = text.identity.empty() ? "" : " = _identity()";
  std::string out = text.head;
  out += fmt::format("typedef {} _index_t;\n", text.is_narrow ? "unsigned" : "unsigned long long");
  out += fmt::format(
      "__device__ __forceinline__ _type_reduce _reduce(_type_reduce a, _type_reduce b) {{\n"
      "  return _type_reduce(\n#line 1 \"{0} reduce_expr\"\n{1}\n#line 1 \"kasoku\"\n  );\n}}\n",
      name, text.reduce_expr);
  if (!text.identity.empty())
    out += fmt::format("__device__ __forceinline__ _type_reduce _identity() {{ return "
                       "_type_reduce({}); }}\n",
                       text.identity);
  const std::string storage =
      "  __shared__ __align__(16) unsigned char _storage[256 * sizeof(_type_reduce)];\n"
      "  _type_reduce* const _lanes = (_type_reduce*)_storage;\n";
  const std::string place = fmt::format(
      "  const unsigned _chunk = blockIdx.x % _chunks;\n"
      "  const _index_t _o = blockIdx.x / _chunks;\n"
      "  const _index_t _base = (_index_t)_chunk * {0}u;\n"
      "  const unsigned _count = _length - _base < {0}u ? (unsigned)(_length - _base) : {0}u;\n"
      "  (void)_o;\n", chunk_elements);
  const std::string map = fmt::format("{}const _type_reduce _value = _type_reduce({});",
                                      text.of_element, text.map_expr);
  const std::string last = "_type_reduce* _partial, _index_t _length, unsigned _chunks, "
                           "unsigned _is_last";

  out += fmt::format("__global__ void {}({}{}{}) {{\n{}{}{}{}{}", name, text.in_params,
                     text.out_params, last, storage, place, text.of_output, tree(map, start),
                     finish_block(text.post));
  out += fmt::format("__global__ void {}_partials(const _type_reduce* _in, {}{}) {{\n{}{}{}{}", name,
                     text.out_params, last, storage, place,
                     tree("const _type_reduce _value = _in[(ptrdiff_t)_o * _length + _j];", start),
                     finish_block(text.post));
  out += fmt::format(
      "__global__ void {0}_each({1}{2}_index_t _outputs, _index_t _length) {{\n"
      "  const _index_t _o = (_index_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (_o >= _outputs) return;\n{3}"
      "  _type_reduce _total{4};\n"
      "  const ptrdiff_t _n = _length;\n"
      "  for (ptrdiff_t _from = 0; _from < _n; _from += 256) {{\n"
      "    const ptrdiff_t _to = _n - _from < 256 ? _n : _from + 256;\n"
      "    _type_reduce _part{4};\n"
      "    for (ptrdiff_t _j = _from; _j < _to; ++_j) {{\n"
      "      {5}\n      _part = _j == _from ? _value : _reduce(_part, _value);\n    }}\n"
      "    _total = _from == 0 ? _part : _reduce(_total, _part);\n  }}\n"
      "  const _type_reduce a = _total;\n  {6};\n}}\n",
      name, text.in_params, text.out_params, text.of_output, start, map, text.post);
  // The same for neighbouring outputs that are neighbours in memory. On a CPU the threads of a
  // block go through the rows together, which a barrier after each row says.
  if (text.has_columns)
    out += fmt::format(
        "#ifdef __clang__\n#define _KS_TOGETHER __syncthreads();\n#else\n#define _KS_TOGETHER\n"
        "#endif\n"
        "__global__ void {0}_columns({1}{2}_index_t _outputs, _index_t _length) {{\n"
        "  const ptrdiff_t _o = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  const ptrdiff_t _n = _length;\n"
        "  _type_reduce _total{4}, _part{4};\n"
        "  if ((ptrdiff_t)(blockIdx.x + 1) * blockDim.x <= (ptrdiff_t)_outputs) {{\n"
        "    for (ptrdiff_t _from = 0; _from < _n; _from += 256) {{\n"
        "      const ptrdiff_t _to = _n - _from < 256 ? _n : _from + 256;\n"
        "      {{ const ptrdiff_t _j = _from; {3} {5} _part = _value; }}\n      _KS_TOGETHER\n"
        "      for (ptrdiff_t _j = _from + 1; _j < _to; ++_j) {{\n"
        "        {{ {3} {5} _part = _reduce(_part, _value); }}\n        _KS_TOGETHER\n      }}\n"
        "      if (_from == 0) _total = _part; else _total = _reduce(_total, _part);\n"
        "      _KS_TOGETHER\n    }}\n"
        "    {3} const _type_reduce a = _total;\n  {6};\n"
        "  }} else if (_o < (ptrdiff_t)_outputs) {{\n    {3}\n"
        "    for (ptrdiff_t _from = 0; _from < _n; _from += 256) {{\n"
        "      const ptrdiff_t _to = _n - _from < 256 ? _n : _from + 256;\n"
        "      for (ptrdiff_t _j = _from; _j < _to; ++_j) {{\n"
        "        {5}\n        _part = _j == _from ? _value : _reduce(_part, _value);\n      }}\n"
        "      _total = _from == 0 ? _part : _reduce(_total, _part);\n    }}\n"
        "    const _type_reduce a = _total;\n  {6};\n  }}\n}}\n",
        name, text.in_params, text.out_params, text.of_output, start, map, text.post);
  Program program;
  program.text = std::move(out);
  program.file = name;
  program.options = text.options->options;
  program.is_checked = text.options->is_checked;
  program.is_generated = !program.is_checked;  // the same bits on every device; the checker asks for its threads
  add_headers(program);
  return program;
}

}  // namespace kasoku

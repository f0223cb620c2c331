/// ks.cuda.jit's own words: indices, barriers, shuffles, atomics, shared memory, xoroshiro128+.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

namespace {

/// The lengths in a shape that is known when compiling; fewer than there are axes where one is not.
std::vector<int64_t> constant_lengths(const Expr& given) {
  std::vector<int64_t> lengths;
  const std::function<void(const Binding&)> of_binding = [&](const Binding& binding) {
    if (binding.kind == Binding::Kind::tuple) for (const Binding& item : binding.items) of_binding(item);
    else if (const int64_t* n = std::get_if<int64_t>(&binding.value)) lengths.push_back(*n);
  };
  if (given.kind == ExprKind::tuple || given.kind == ExprKind::list) {
    for (const ExprPtr& item : given.items)
      if (const auto n = constant_int(*item)) lengths.push_back(*n);
  } else if (given.kind == ExprKind::global) {
    of_binding(given.binding);
  } else if (const auto n = constant_int(given)) {
    lengths.push_back(*n);
  } else if (given.type.is_tuple()) {
    for (const Type& item : given.type.items)
      if (!item.text.empty()) lengths.push_back(std::stoll(item.text));
  }
  return lengths;
}

/// The function that does it; nothing if the handler is none of these.
const char* atomic_function(Handler handler, Dtype dtype) {
  switch (handler) {
    case Handler::atomic_add: return "ks_atomic_add";
    case Handler::atomic_sub: return "ks_atomic_sub";
    case Handler::atomic_max: return "ks_atomic_max";
    case Handler::atomic_min: return "ks_atomic_min";
    case Handler::atomic_nanmax: return is_floating(dtype) ? "ks_atomic_nanmax" : "ks_atomic_max";
    case Handler::atomic_nanmin: return is_floating(dtype) ? "ks_atomic_nanmin" : "ks_atomic_min";
    case Handler::atomic_and: return "atomicAnd";
    case Handler::atomic_or: return "atomicOr";
    case Handler::atomic_xor: return "atomicXor";
    case Handler::atomic_inc: return info(dtype).size == 8 ? "ks_atomic_inc" : "atomicInc";
    case Handler::atomic_dec: return info(dtype).size == 8 ? "ks_atomic_dec" : "atomicDec";
    case Handler::atomic_exch: return "ks_atomic_exchange";
    case Handler::atomic_cas: return "ks_atomic_cas";
    default: return nullptr;
  }
}

}  // namespace

std::string FunctionLowering::int_argument(const Expr& e, size_t i, const char* otherwise) {
  return has(e, i) ? text_as(*e.items[i + 1], Dtype::int64) : otherwise;
}

std::string FunctionLowering::lane_mask(const Expr& e) {
  return fmt::format("(unsigned)({})", int_argument(e, 0, "0xffffffffu"));
}

/// cuda.grid(n) and cuda.gridsize(n): a number for one axis, a tuple for more.
Val FunctionLowering::grid_position(const Expr& e, Handler handler) {
  const auto axis = [&](char a) {
    return handler == Handler::cuda_grid
               ? fmt::format("((ks_i64)blockIdx.{0} * blockDim.{0} + threadIdx.{0})", a)
               : fmt::format("((ks_i64)gridDim.{0} * blockDim.{0})", a);
  };
  if (e.type.is_scalar()) return {axis('x'), e.type};
  std::string text = text_of(e.type) + "{" + axis('x') + ", " + axis('y');
  if (e.type.items.size() == 3) text += ", " + axis('z');
  return {text + "}", e.type};
}

Val FunctionLowering::match_lanes(const Expr& e, Handler handler) {
  const std::string m = lane_mask(e), v = pin(argument(e, 1)).text, found = temp("found");
  if (handler == Handler::cuda_match_any) {
    line("const ks_i64 {} = __match_any_sync({}, {});", found, m, v);
    return {found, e.type};
  }
  const std::string all = temp("all");
  line("int {} = 0;", all);
  line("const ks_i64 {} = __match_all_sync({}, {}, &{});", found, m, v, all);
  return {fmt::format("{}{{{}, {} != 0}}", text_of(e.type), found, all), e.type};
}

Val FunctionLowering::lanes_agree(const Expr& e) {
  const std::string m = lane_mask(e), p = truth(*e.items[2]), same = temp();
  line("const unsigned {} = __ballot_sync({}, {});", same, m, p);
  return {fmt::format("({0} == 0 || {0} == ({1} & __activemask()))", same, m), e.type};
}

Val FunctionLowering::bit_reversed(const Expr& e) {
  const bool is_wide = info(e.type.dtype).size == 8;
  return {fmt::format("({})__brev{}(({})({}))", text_of(e.type), is_wide ? "ll" : "", is_wide ? "ks_u64" : "unsigned", expr(*e.items[1]).text), e.type};
}

/// A barrier of the block that also counts or joins a predicate.
Val FunctionLowering::barrier_vote(const Expr& e, Handler handler) {
  const char* which = handler == Handler::cuda_syncthreads_count ? "count"
                      : handler == Handler::cuda_syncthreads_and ? "and" : "or";
  const std::string predicate = truth(*e.items[1]);
  const std::string name = temp();
  line("const ks_i64 {} = __syncthreads_{}({});", name, which, predicate);
  return {name, e.type};
}

Val FunctionLowering::shuffle(const Expr& e, Handler handler) {
  const char* which = handler == Handler::cuda_shfl      ? "__shfl_sync"
                      : handler == Handler::cuda_shfl_up ? "__shfl_up_sync"
                      : handler == Handler::cuda_shfl_down ? "__shfl_down_sync" : "__shfl_xor_sync";
  const std::string m = lane_mask(e), v = pin(argument(e, 1)).text, lane = int_argument(e, 2, "0");
  const std::string name = temp();
  line("const {} {} = {}({}, {}, (int)({}));", text_of(e.type), name, which, m, v, lane);
  return {name, e.type};
}

Val FunctionLowering::warp_vote(const Expr& e, Handler handler) {
  const char* which = handler == Handler::cuda_ballot ? "__ballot_sync" : handler == Handler::cuda_any ? "__any_sync" : "__all_sync";
  const std::string m = lane_mask(e), p = truth(*e.items[2]);
  const std::string name = temp();
  line("const {} {} = {}({}, {});", text_of(e.type), name, which, m, p);
  return {name, e.type};
}

Val FunctionLowering::bits_counted(const Expr& e, Handler handler) {
  const bool is_wide = e.items[1]->type.dtype != Dtype::int32 && e.items[1]->type.dtype != Dtype::uint32;
  const char* name = handler == Handler::cuda_popc ? "popc" : "clz";
  return {fmt::format("(ks_i64)__{}{}(({})({}))", name, is_wide ? "ll" : "", is_wide ? "ks_i64" : "int", int_argument(e, 0, "0")), e.type};
}

/// A shared or local array. A shared one of length 0 has the bytes that the launch gives.
Val FunctionLowering::kernel_array(const Expr& e, Handler handler) {
  const std::vector<int64_t> lengths = constant_lengths(*e.items[1]);
  if (lengths.size() != e.type.ndim)
    error(e.place, "the shape of shared and local arrays must be known when compiling",
          "use integers, or names of integers outside the function");
  const bool is_shared = handler == Handler::cuda_shared;
  const std::string memory = temp(is_shared ? "shared" : "local"), name = temp("array");
  int64_t total = 1;
  for (int64_t n : lengths) total *= n;
  if (is_shared && total == 0) line("extern __shared__ double ks_dynamic_shared[];");
  else
    line("{}{}{} {}[{}];", e.type.has_records() ? "alignas(16) " : "", is_shared ? "__shared__ " : "",
         element_text(e.type), memory, total);
  line("{} {};", text_of(e.type), name);
  line("{}.data = {};", name, is_shared && total == 0 ? fmt::format("({}*)ks_dynamic_shared", element_text(e.type)) : memory);
  std::string dynamic;  // as many elements as the launch gives
  if (is_shared && total == 0) {
    dynamic = temp("bytes");
    line("unsigned {};", dynamic);
    line("asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"({}));", dynamic);
  }
  for (size_t k = 0; k < lengths.size(); ++k)
    line("{}.shape[{}] = {};", name, k,
         lengths[k] || dynamic.empty() ? fmt::format("{}", lengths[k])
                                       : fmt::format("{} / sizeof({})", dynamic, element_text(e.type)));
  line("ks_set_strides({});", name);
  return {name, e.type};
}

Val FunctionLowering::compare_and_swap_first(const Expr& e) {
  const Val array = expr(*e.items[1]);
  const std::string t = text_of(e.type);
  const std::string old = text_as(*e.items[2], e.type.dtype), to = text_as(*e.items[3], e.type.dtype);
  const std::string name = temp();
  line("const {} {} = ks_atomic_cas({}.data, ({})({}), ({})({}));", t, name, array.text, t, old, t, to);
  return {name, e.type};
}

Val FunctionLowering::xoroshiro(const Expr& e, Handler handler) {
  const Val states = expr(*e.items[1]);
  const std::string index = int_argument(e, 1, "0");
  const char* which = handler == Handler::xoroshiro_next       ? "next"
                      : handler == Handler::xoroshiro_uniform32 ? "uniform_float32"
                      : handler == Handler::xoroshiro_uniform64 ? "uniform_float64"
                      : handler == Handler::xoroshiro_normal32  ? "normal_float32" : "normal_float64";
  const std::string name = temp();
  line("const {} {} = ks_xoroshiro128p_{}((ks_u64*){}.data + 2 * ({}));", text_of(e.type), name, which, states.text, index);
  return {name, e.type};
}

/// Atomics on the element that an index names, as a subscript would name it.
Val FunctionLowering::atomic(const Expr& e, Handler handler) {
  const char* function = atomic_function(handler, e.type.dtype);
  if (!function) error(e.place, "this call cannot be compiled here");
  Expr element;
  element.kind = ExprKind::subscript;
  element.place = e.place;
  element.type = e.type;
  element.items.push_back(e.items[1]->clone());
  element.items.push_back(e.items[2]->clone());
  const std::string at = element_of(element, true);
  std::string arguments;
  for (size_t i = 3; i < e.items.size(); ++i) arguments += fmt::format(", ({})({})", text_of(e.type), text_as(*e.items[i], e.type.dtype));
  const std::string name = temp();
  const std::string pointer = info(e.type.dtype).kind == DtypeKind::signed_ && std::string_view(function).starts_with("atomic")
                                  ? fmt::format("({}*)&{}", info(e.type.dtype).size == 8 ? "ks_u64" : "int", at)
                                  : "&" + at;
  line("const {} {} = {}({}{});", text_of(e.type), name, function, pointer, arguments);
  return {name, e.type};
}

Val FunctionLowering::call_cuda(const Expr& e, Handler handler) {
  switch (handler) {
    case Handler::cuda_grid:
    case Handler::cuda_gridsize: return grid_position(e, handler);
    case Handler::cuda_syncthreads: line("__syncthreads();"); return {"", Type::none()};
    case Handler::cuda_this_grid: return {"", e.type};
    case Handler::cuda_sync_grid: line("cooperative_groups::this_grid().sync();"); return {"1", e.type};
    case Handler::cuda_syncwarp: line("__syncwarp({});", lane_mask(e)); return {"", Type::none()};
    case Handler::cuda_threadfence: line("__threadfence();"); return {"", Type::none()};
    case Handler::cuda_threadfence_block: line("__threadfence_block();"); return {"", Type::none()};
    case Handler::cuda_threadfence_system: line("__threadfence_system();"); return {"", Type::none()};
    case Handler::cuda_nanosleep: line("__nanosleep((unsigned)({}));", int_argument(e, 0, "0")); return {"", Type::none()};
    case Handler::cuda_match_any:
    case Handler::cuda_match_all: return match_lanes(e, handler);
    case Handler::cuda_eq: return lanes_agree(e);  // whether a predicate is the same in all of them
    case Handler::cuda_brev: return bit_reversed(e);
    case Handler::cuda_syncthreads_count:
    case Handler::cuda_syncthreads_and:
    case Handler::cuda_syncthreads_or: return barrier_vote(e, handler);
    case Handler::cuda_shfl:
    case Handler::cuda_shfl_up:
    case Handler::cuda_shfl_down:
    case Handler::cuda_shfl_xor: return shuffle(e, handler);
    case Handler::cuda_ballot:
    case Handler::cuda_any:
    case Handler::cuda_all: return warp_vote(e, handler);
    case Handler::cuda_activemask: return {"(ks_i64)__activemask()", e.type};
    case Handler::cuda_popc:
    case Handler::cuda_clz: return bits_counted(e, handler);  // of 32 bits, if the operand has so many
    case Handler::cuda_ffs: return {fmt::format("(ks_i64)__ffsll({})", int_argument(e, 0, "0")), e.type};
    case Handler::cuda_fma:
      return {fmt::format("fma({}, {}, {})", text_as(*e.items[1], e.type.dtype), text_as(*e.items[2], e.type.dtype),
                          text_as(*e.items[3], e.type.dtype)), e.type};
    case Handler::cuda_selp: {
      const std::string c = truth(*e.items[1]);
      return {fmt::format("({} ? {} : {})", c, text_as(*e.items[2], e.type.dtype), text_as(*e.items[3], e.type.dtype)), e.type};
    }
    case Handler::cuda_shared:
    case Handler::cuda_local: return kernel_array(e, handler);
    case Handler::atomic_cas_first: return compare_and_swap_first(e);
    case Handler::xoroshiro_next: case Handler::xoroshiro_uniform32: case Handler::xoroshiro_uniform64:
    case Handler::xoroshiro_normal32: case Handler::xoroshiro_normal64: return xoroshiro(e, handler);
    default: return atomic(e, handler);
  }
}

}  // namespace kasoku::jit

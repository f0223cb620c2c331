/// ks.cuda.jit's own words: indices, barriers, shuffles, atomics, shared memory, xoroshiro128+.
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

Val FunctionLowering::call_cuda(const Expr& e, Handler handler) {
  const auto value = [&](size_t i) { return pin(expr(*e.items[i + 1])); };
  const auto as_int = [&](size_t i, const char* otherwise) {
    return has(e, i) ? text_as(*e.items[i + 1], Dtype::int64) : std::string(otherwise);
  };
  const auto mask = [&](size_t i) { return fmt::format("(unsigned)({})", as_int(i, "0xffffffffu")); };
  switch (handler) {
    case Handler::cuda_grid:
    case Handler::cuda_gridsize: {
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
    case Handler::cuda_syncthreads: line("__syncthreads();"); return {"", Type::none()};
    case Handler::cuda_this_grid: return {"", e.type};
    case Handler::cuda_sync_grid: line("cooperative_groups::this_grid().sync();"); return {"1", e.type};
    case Handler::cuda_syncwarp: line("__syncwarp({});", mask(0)); return {"", Type::none()};
    case Handler::cuda_threadfence: line("__threadfence();"); return {"", Type::none()};
    case Handler::cuda_threadfence_block: line("__threadfence_block();"); return {"", Type::none()};
    case Handler::cuda_threadfence_system: line("__threadfence_system();"); return {"", Type::none()};
    case Handler::cuda_nanosleep: line("__nanosleep((unsigned)({}));", as_int(0, "0")); return {"", Type::none()};
    case Handler::cuda_match_any:
    case Handler::cuda_match_all: {
      const std::string m = mask(0), v = value(1).text, found = temp("found");
      if (handler == Handler::cuda_match_any) {
        line("const ks_i64 {} = __match_any_sync({}, {});", found, m, v);
        return {found, e.type};
      }
      const std::string all = temp("all");
      line("int {} = 0;", all);
      line("const ks_i64 {} = __match_all_sync({}, {}, &{});", found, m, v, all);
      return {fmt::format("{}{{{}, {} != 0}}", text_of(e.type), found, all), e.type};
    }
    case Handler::cuda_eq: {  // whether a predicate is the same in all of them
      const std::string m = mask(0), p = truth(*e.items[2]), same = temp();
      line("const unsigned {} = __ballot_sync({}, {});", same, m, p);
      return {fmt::format("({0} == 0 || {0} == ({1} & __activemask()))", same, m), e.type};
    }
    case Handler::cuda_brev: {
      const bool is_wide = info(e.type.dtype).size == 8;
      return {fmt::format("({})__brev{}(({})({}))", text_of(e.type), is_wide ? "ll" : "", is_wide ? "ks_u64" : "unsigned", expr(*e.items[1]).text), e.type};
    }
    case Handler::cuda_syncthreads_count:
    case Handler::cuda_syncthreads_and:
    case Handler::cuda_syncthreads_or: {
      const char* which = handler == Handler::cuda_syncthreads_count ? "count"
                          : handler == Handler::cuda_syncthreads_and ? "and" : "or";
      const std::string predicate = truth(*e.items[1]);
      const std::string name = temp();
      line("const ks_i64 {} = __syncthreads_{}({});", name, which, predicate);
      return {name, e.type};
    }
    case Handler::cuda_shfl:
    case Handler::cuda_shfl_up:
    case Handler::cuda_shfl_down:
    case Handler::cuda_shfl_xor: {
      const char* which = handler == Handler::cuda_shfl      ? "__shfl_sync"
                          : handler == Handler::cuda_shfl_up ? "__shfl_up_sync"
                          : handler == Handler::cuda_shfl_down ? "__shfl_down_sync" : "__shfl_xor_sync";
      const std::string m = mask(0), v = value(1).text, lane = as_int(2, "0");
      const std::string name = temp();
      line("const {} {} = {}({}, {}, (int)({}));", text_of(e.type), name, which, m, v, lane);
      return {name, e.type};
    }
    case Handler::cuda_ballot:
    case Handler::cuda_any:
    case Handler::cuda_all: {
      const char* which = handler == Handler::cuda_ballot ? "__ballot_sync" : handler == Handler::cuda_any ? "__any_sync" : "__all_sync";
      const std::string m = mask(0), p = truth(*e.items[2]);
      const std::string name = temp();
      line("const {} {} = {}({}, {});", text_of(e.type), name, which, m, p);
      return {name, e.type};
    }
    case Handler::cuda_activemask: return {"(ks_i64)__activemask()", e.type};
    case Handler::cuda_popc:
    case Handler::cuda_clz: {  // of 32 bits, if the operand has so many
      const bool is_wide = e.items[1]->type.dtype != Dtype::int32 && e.items[1]->type.dtype != Dtype::uint32;
      const char* name = handler == Handler::cuda_popc ? "popc" : "clz";
      return {fmt::format("(ks_i64)__{}{}(({})({}))", name, is_wide ? "ll" : "", is_wide ? "ks_i64" : "int", as_int(0, "0")), e.type};
    }
    case Handler::cuda_ffs: return {fmt::format("(ks_i64)__ffsll({})", as_int(0, "0")), e.type};
    case Handler::cuda_fma:
      return {fmt::format("fma({}, {}, {})", text_as(*e.items[1], e.type.dtype), text_as(*e.items[2], e.type.dtype),
                          text_as(*e.items[3], e.type.dtype)), e.type};
    case Handler::cuda_selp: {
      const std::string c = truth(*e.items[1]);
      return {fmt::format("({} ? {} : {})", c, text_as(*e.items[2], e.type.dtype), text_as(*e.items[3], e.type.dtype)), e.type};
    }
    case Handler::cuda_shared:
    case Handler::cuda_local: {
      std::vector<int64_t> lengths;
      const std::function<void(const Binding&)> of_binding = [&](const Binding& binding) {
        if (binding.kind == Binding::Kind::tuple) for (const Binding& item : binding.items) of_binding(item);
        else if (const int64_t* n = std::get_if<int64_t>(&binding.value)) lengths.push_back(*n);
      };
      const Expr& given = *e.items[1];
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
    case Handler::atomic_cas_first: {
      const Val array = expr(*e.items[1]);
      const std::string t = text_of(e.type);
      const std::string old = text_as(*e.items[2], e.type.dtype), to = text_as(*e.items[3], e.type.dtype);
      const std::string name = temp();
      line("const {} {} = ks_atomic_cas({}.data, ({})({}), ({})({}));", t, name, array.text, t, old, t, to);
      return {name, e.type};
    }
    case Handler::xoroshiro_next: case Handler::xoroshiro_uniform32: case Handler::xoroshiro_uniform64:
    case Handler::xoroshiro_normal32: case Handler::xoroshiro_normal64: {
      const Val states = expr(*e.items[1]);
      const std::string index = as_int(1, "0");
      const char* which = handler == Handler::xoroshiro_next       ? "next"
                          : handler == Handler::xoroshiro_uniform32 ? "uniform_float32"
                          : handler == Handler::xoroshiro_uniform64 ? "uniform_float64"
                          : handler == Handler::xoroshiro_normal32  ? "normal_float32" : "normal_float64";
      const std::string name = temp();
      line("const {} {} = ks_xoroshiro128p_{}((ks_u64*){}.data + 2 * ({}));", text_of(e.type), name, which, states.text, index);
      return {name, e.type};
    }
    default: break;
  }
  // Atomics: the element by its index, as a subscript would name it.
  const char* function = nullptr;
  switch (handler) {
    case Handler::atomic_add: function = "ks_atomic_add"; break;
    case Handler::atomic_sub: function = "ks_atomic_sub"; break;
    case Handler::atomic_max: function = "ks_atomic_max"; break;
    case Handler::atomic_min: function = "ks_atomic_min"; break;
    case Handler::atomic_nanmax: function = is_floating(e.type.dtype) ? "ks_atomic_nanmax" : "ks_atomic_max"; break;
    case Handler::atomic_nanmin: function = is_floating(e.type.dtype) ? "ks_atomic_nanmin" : "ks_atomic_min"; break;
    case Handler::atomic_and: function = "atomicAnd"; break;
    case Handler::atomic_or: function = "atomicOr"; break;
    case Handler::atomic_xor: function = "atomicXor"; break;
    case Handler::atomic_inc: function = info(e.type.dtype).size == 8 ? "ks_atomic_inc" : "atomicInc"; break;
    case Handler::atomic_dec: function = info(e.type.dtype).size == 8 ? "ks_atomic_dec" : "atomicDec"; break;
    case Handler::atomic_exch: function = "ks_atomic_exchange"; break;
    case Handler::atomic_cas: function = "ks_atomic_cas"; break;
    default: error(e.place, "this call cannot be compiled here");
  }
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

}  // namespace kasoku::jit

/// Calls of what kasoku/array computes (algorithms.h), by host code; in a kernel there is no form for them.
#include "kasoku/jit/algorithms.h"
#include "kasoku/jit/lowering.h"

namespace kasoku::jit {

/// call(name, like, *operands): `like` is an expression of the results' types, which is never computed.
Val FunctionLowering::algorithm(const Expr& e) {
  const std::string& name = e.items[1]->type.text;
  if (!has_algorithm(name)) error(e.place, fmt::format("there is no algorithm '{}'", name));
  const std::vector<Type> types = e.type.is_tuple() ? e.type.items : std::vector<Type>{e.type};
  std::vector<std::string> results;
  for (const Type& type : types) {
    results.push_back(temp("made"));
    if (type.is_array())
      line("{0} {1} = ks_no_array<{2}, {3}>();", text_of(type), results.back(), element_text(type), type.ndim);
    else
      line("{} {}{{}};", text_of(type), results.back());
    keep(results.back(), type);
  }
  const std::string text =
      e.type.is_tuple() ? fmt::format("{}{{{}}}", text_of(e.type), fmt::join(results, ", ")) : results[0];
  if (on_device_) {
    fail_if("true", fmt::format("ks_jit_fail(ks, ks_raised, {}, \"NotImplementedError\\n{} has no form in a loop that "
                                "runs on a GPU: call it outside of the loop\", 0, 0, 0)",
                                e.place.line, name));
    return {text, e.type};
  }

  std::string given, made, after;
  for (size_t i = 3; i < e.items.size(); ++i) {
    const Type& type = e.items[i]->type;
    if (i > 3) given += ", ";
    if (type.is_array()) {
      const Val x = pin(expr(*e.items[i]));
      given += fmt::format("{{(const void*)({0}*){1}.data, {1}.memory, {1}.shape, {1}.stride, {2}, {3}}}",
                           element_text(type), x.text, static_cast<int>(type.dtype), type.ndim);
    } else if (type.kind == TypeKind::text) {
      given +=
          fmt::format("{{{}, nullptr, nullptr, nullptr, 0, {}}}", quoted(type.text), static_cast<int>(Given::text));
    } else if (type.is_tuple()) {
      const Val tuple = pin(expr(*e.items[i]));
      std::string items;
      for (size_t k = 0; k < type.items.size(); ++k)
        if (!type.items[k].is_scalar())
          error(e.items[i]->place, "integers are needed here");
        else
          items += fmt::format("(ks_i64){}._{}, ", tuple.text, k);
      const std::string numbers = temp("numbers");
      line("const ks_i64 {}[] = {{{}0}};", numbers, items);
      given += fmt::format("{{{}, nullptr, nullptr, nullptr, {}, {}}}", numbers, type.items.size(),
                           static_cast<int>(Given::integers));
    } else if (type.is_scalar()) {
      const std::string number = temp("number");
      line("const {} {} = {};", text_of(type), number, expr(*e.items[i]).text);
      given += fmt::format("{{&{}, nullptr, nullptr, nullptr, {}, {}}}", number, static_cast<int>(type.dtype),
                           static_cast<int>(Given::number));
    } else {
      given += fmt::format("{{nullptr, nullptr, nullptr, nullptr, 0, {}}}", static_cast<int>(Given::none));
    }
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string& x = results[i];
    made += i ? ", " : "";
    if (!types[i].is_array()) {
      made += fmt::format("{{&{}, nullptr, nullptr, {}, -1}}", x, static_cast<int>(types[i].dtype));
      continue;
    }
    const std::string data = temp("data");
    line("void* {} = ({}*){}.data;", data, element_text(types[i]), x);
    made += fmt::format("{{&{0}, &{1}.memory, {1}.shape, {2}, {3}}}", data, x, static_cast<int>(types[i].dtype),
                        types[i].ndim);
    after += fmt::format("{0}.data = ({1}*){2}; ks_set_strides({0}); ", x, element_text(types[i]), data);
  }
  const std::string operands = temp("given"), to = temp("to");
  line("const ks_given {}[] = {{{}}};", operands, given);
  line("const ks_made {}[] = {{{}}};", to, made);
  check_zero();
  line("{}(ks, ks_function, {}, {}, {}, {}, {}, {});", uses_graph() ? "ks_jit_device_algorithm" : "ks_jit_algorithm",
       e.place.line, quoted(name), operands, e.items.size() - 3, to, types.size());
  if (!after.empty()) line("{}", after);
  effects_.writes = true;
  leave_if_failed();
  remark(e.place, fmt::format("{}: by the array engine", name));
  return {text, e.type};
}

/// A function of NumPy's, or one of C whose parameters' dtypes are given in the generator's place, by the name under which the loader
/// finds it (python/src/jit_numpy_draws.cpp, python/kasoku/_library/foreign.py).
Val FunctionLowering::drawn(const Expr& call) {
  const Type& source = call.items[3]->type;
  if (source.is_tuple() && (on_device_ || options_.is_cuda)) error(call.place, "functions of C run on the host alone");
  if (!source.is_tuple() && (uses_graph() || on_device_ || options_.is_cuda))
    error(call.place, "generators of NumPy draw on the host alone", "use np.random in the function");
  const std::string name = call.items[1]->type.text, result = text_of(call.type);
  std::string parameters, arguments;
  if (!source.is_tuple()) parameters = "void*", arguments = expr(*call.items[3]).text;
  for (size_t i = 4; i < call.items.size(); ++i) {
    if (source.is_tuple()) {
      const Dtype dtype = source.items[i - 4].dtype;
      const char* const between = i > 4 ? ", " : "";
      parameters += between + text_of(Type::scalar(dtype)), arguments += between + pin({text_as(*call.items[i], dtype), Type::scalar(dtype)}).text;
      continue;
    }
    const Val given = expr(*call.items[i]);
    if (given.type.kind == TypeKind::none) {
      const std::string room = temp("room");
      line("alignas(16) char {}[512] = {{}};", room);
      parameters += ", void*", arguments += ", " + room;
    } else {
      parameters += ", " + text_of(given.type), arguments += ", " + given.text;
    }
  }
  const std::string declaration = fmt::format("extern \"C\" __device__ {} {}({});\n", result, name, parameters);
  std::string& declarations = unit_.side(on_device_).declarations;
  if (declarations.find(declaration) == std::string::npos) declarations += declaration;
  effects_.writes = true;
  return pin({fmt::format("{}({})", name, arguments), call.type});
}

}  // namespace kasoku::jit

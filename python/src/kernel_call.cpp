#include "kernel_call.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace kasoku {

BoundArguments::BoundArguments(const char* function, std::initializer_list<std::string_view> names,
                               const nb::args& args, const nb::kwargs& kwargs)
    : function_(function) {
  size_t positional = names.size();
  for (std::string_view name : names) {
    if (name == "*") positional = names_.size();
    else names_.push_back(name);
  }
  positional = std::min(positional, names_.size());
  values_.resize(names_.size());
  if (args.size() > positional)
    throw Error(ErrorKind::type, std::string(function) + "() takes at most " +
                                     std::to_string(positional) + " positional arguments, got " +
                                     std::to_string(args.size()));
  for (size_t i = 0; i < args.size(); ++i) values_[i] = nb::borrow(args[i]);
  each_keyword(kwargs.ptr(), [&](std::string_view name, nb::handle value) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) unknown_keyword(function, name, {names_.begin(), names_.end()});
    nb::object& place = values_[found - names_.begin()];
    if (place)
      throw Error(ErrorKind::type, std::string(function) + "() got multiple values for argument '" +
                                       std::string(name) + "'");
    place = nb::borrow(value);
  });
}

size_t BoundArguments::index_of(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) - names_.begin();
}

bool BoundArguments::knows(std::string_view name) const { return index_of(name) < names_.size(); }

bool BoundArguments::has(std::string_view name) const {
  const nb::object& value = values_[index_of(name)];
  return value && !value.is_none();
}

nb::object BoundArguments::get(std::string_view name) const {
  const nb::object& value = values_[index_of(name)];
  return value ? value : nb::none();
}

nb::object BoundArguments::need(std::string_view name) const {
  const nb::object& value = values_[index_of(name)];
  if (!value)
    throw Error(ErrorKind::type, std::string(function_) + "() misses the argument '" +
                                     std::string(name) + "'");
  return value;
}

std::string BoundArguments::text(std::string_view name, std::string_view missing) const {
  if (!has(name)) return std::string(missing);
  const nb::object value = get(name);
  if (nb::isinstance<nb::bytes>(value)) {
    const nb::bytes bytes = nb::cast<nb::bytes>(value);
    return std::string(bytes.c_str(), bytes.size());
  }
  const nb::str string(value);
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (!bytes) throw nb::python_error();  // half of a character
  return {bytes, static_cast<size_t>(size)};
}

std::string BoundArguments::source(std::string_view name) const {
  const nb::object value = need(name);
  if (!nb::isinstance<nb::str>(value) && !nb::isinstance<nb::bytes>(value))
    throw Error(ErrorKind::type, std::string(function_) + "(): '" + std::string(name) + "' is the text of kernels, got a " + class_name(value));
  return text(name);
}

bool BoundArguments::flag(std::string_view name, bool missing) const {
  if (!has(name)) return missing;
  const int value = PyObject_IsTrue(get(name).ptr());
  if (value < 0) throw nb::python_error();
  return value;
}

std::vector<std::string> BoundArguments::texts(std::string_view name) const {
  std::vector<std::string> texts;
  if (!has(name)) return texts;
  const nb::object value = get(name);
  if (nb::isinstance<nb::str>(value)) return {nb::cast<std::string>(value)};
  for (nb::handle one : nb::iter(value)) texts.push_back(nb::cast<std::string>(nb::str(one)));
  return texts;
}

void raise_current() noexcept {
  // nanobind translates what leaves a function of its own, so the exception takes that door.
  static thread_local std::exception_ptr pending;
  static PyObject* const door =
      nb::cpp_function([] { std::rethrow_exception(std::exchange(pending, nullptr)); })
          .release()
          .ptr();
  pending = std::current_exception();
  PyObject* nothing = PyObject_CallNoArgs(door);
  Py_XDECREF(nothing);
}

void unknown_keyword(std::string_view function, std::string_view keyword, const std::vector<std::string>& known) {
  throw Error(ErrorKind::type, std::string(function) + "() got an unexpected keyword argument " + quote(keyword)).why(known_names(keyword, known, "arguments"));
}

}  // namespace kasoku

#include "frame.h"

#include <mutex>
#include <string>
#include <unordered_map>

namespace kasoku {

namespace {

/// Programs have fewer; those that make code without end start again.
constexpr size_t most_codes = 1 << 14;

bool belongs_to_us(nb::handle code) {
  static const std::string package = [] {
    const auto file = nb::cast<std::string>(nb::module_::import_("kasoku").attr("__file__"));
    return file.substr(0, file.find_last_of("/\\") + 1);
  }();
  const auto file = nb::cast<std::string>(code.attr("co_filename"));
  return file.starts_with(package) || file.starts_with("<frozen");
}

std::shared_ptr<PythonCode> code_of(nb::handle frame) {
  struct Known {
    std::mutex mutex;
    std::unordered_map<PyObject*, std::shared_ptr<PythonCode>> codes;
  };
  static auto* const known = new Known;  // frames are looked at until the very end
  nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(reinterpret_cast<PyFrameObject*>(frame.ptr()))));
  {
    const std::lock_guard lock(known->mutex);
    const auto found = known->codes.find(code.ptr());
    if (found != known->codes.end()) return found->second;
  }
  auto made = std::make_shared<PythonCode>(std::move(code));
  std::unordered_map<PyObject*, std::shared_ptr<PythonCode>> forgotten;  // without the lock: Python objects go
  const std::lock_guard lock(known->mutex);
  if (known->codes.size() >= most_codes) forgotten.swap(known->codes);
  return known->codes.try_emplace(made->object.ptr(), made).first->second;
}

}  // namespace

PythonCode::PythonCode(nb::object code)
    : object(std::move(code)),
      is_ours(belongs_to_us(object)),
      fates(is_ours ? 0 : nb::len(nb::object(object.attr("co_code")))) {}

UserFrame user_frame() {
  static PyObject* const back = PyUnicode_InternFromString("f_back");
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame.is_valid() && !frame.is_none()) {
    std::shared_ptr<PythonCode> code = code_of(frame);
    if (!code->is_ours) return {std::move(frame), std::move(code)};
    frame = nb::steal(PyObject_GetAttr(frame.ptr(), back));
  }
  return {};
}

}  // namespace kasoku

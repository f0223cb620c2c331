/// \file evaluation.cpp
/// When arrays are computed: at eval(), or each statement at its place.
#include "bindings.h"
#include "kasoku/array/array.h"
#include "kasoku/array/plan.h"

#include <memory>
#include <vector>

namespace kasoku {

namespace {

using namespace nb::literals;

/// The block of `with ks.eager():`; the call alone sets the process.
struct Eager {
  Eager(bool value, bool before) : value(value), before(before) {}
  Eager(const Eager&) = delete;
  bool value, before;
  std::vector<std::unique_ptr<EagerScope>> scopes;
};

}  // namespace

void bind_evaluation(nb::module_& m) {
  m.def("eval", [](nb::args arrays) {
    for (nb::handle object : arrays) {
      const Array& x = nb::cast<Array&>(object);
      const GilReleased release;
      x.buffer();
    }
  }, "arrays"_a, R"(Computes the arrays, now, if they are pending; printing them or reading an element does so too.

Returns None. What an operation refuses while it runs is raised here.

>>> x = ks.arange(100000) * 2
>>> ks.eval(x)
>>> x.is_pending
False)");
  nb::class_<Eager>(m, "_Eager")
      .def_ro("before", &Eager::before, "Whether the process was eager before the call.")
      .def("__enter__", [](Eager& self) {
        set_eager(self.before);
        self.scopes.push_back(std::make_unique<EagerScope>(self.value));
      })
      .def("__exit__", [](Eager& self, nb::args) { self.scopes.pop_back(); });
  m.def("eager", [](bool value) {
    return new Eager(value, set_eager(value));
  }, "value"_a = true, nb::rv_policy::take_ownership,
  R"(eager() runs every array statement at its place from now on, eager(False) no longer;
`with eager():` does so in the block, for this thread.

Returns an object for `with`, which may be dropped. KASOKU_EAGER=1 starts so.

>>> with ks.eager():
...     x = ks.ones(100000) + 1
>>> x.is_pending
False)");
}

}  // namespace kasoku

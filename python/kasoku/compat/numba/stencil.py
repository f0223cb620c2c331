"""numba.stencil: a function of an element's neighbours, applied to all elements that have them."""

import ast
import copy

from ... import _source
from ._loops import Made, as_arrays, bare, compiled, names_outside


def _constants(statements):
    """{name: number} of variables that are assigned a number once."""
    stores = [
        node.id
        for each in statements
        for node in ast.walk(each)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return {
        each.targets[0].id: each.value.value
        for each in statements
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and isinstance(each.value, ast.Constant)
        and stores.count(each.targets[0].id) == 1
    }  # fmt: skip


class _Relative(ast.NodeTransformer):
    """a[-1, 0] -> a[i0 + -1, i1 + 0], with the reach of each array's indices."""

    def __init__(self, arrays, fixed, constants):
        self.arrays, self.fixed, self.constants, self.moved = arrays, fixed, constants, set()
        self.ndim, self.low, self.high, self.is_constant = None, None, None, True

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or node.value.id not in self.arrays or node.value.id in self.fixed:
            return node
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if self.ndim is None:
            self.ndim, self.low, self.high = len(parts), [0] * len(parts), [0] * len(parts)
        if len(parts) != self.ndim:
            raise ValueError(f"stencil: {ast.unparse(node)} has {len(parts)} indices, and others have {self.ndim}")
        for k, part in enumerate(parts):
            ends = [(part.lower, 0), (part.upper, 1)] if isinstance(part, ast.Slice) else [(part, 0)]
            for end, beyond in ends:
                self._reach(k, end, beyond)
        moved = [self._moved(k, part) for k, part in enumerate(parts)]
        self.moved.add(node.value.id)
        node.slice = moved[0] if len(moved) == 1 else ast.Tuple(moved, ast.Load())
        return node

    def _reach(self, k, index, beyond):
        """Along axis k it reaches this index, or the one before it where it is the end of a slice."""
        if index is None:
            raise ValueError("stencil: a slice has two ends")
        if any(isinstance(each, ast.Name) and each.id not in self.constants for each in ast.walk(index)):
            self.is_constant = False
            return
        text = compile(ast.Expression(index), "<an index of a stencil>", "eval")
        offset = eval(text, {"__builtins__": {}}, self.constants)
        if not isinstance(offset, int):
            raise ValueError(f"stencil: an index is an integer, and {ast.unparse(index)} is not")
        self.low[k], self.high[k] = min(self.low[k], offset - beyond), max(self.high[k], offset - beyond)

    def _moved(self, k, part):
        if isinstance(part, ast.Slice):
            return ast.Slice(self._moved(k, part.lower), self._moved(k, part.upper), part.step)
        return ast.BinOp(ast.Name(f"ks_at{k}", ast.Load()), ast.Add(), part)


class StencilFunc(Made):
    """Called with an array, it gives one of the same shape; compiled code may call it too."""

    def __init__(self, function, cval=None, neighborhood=None, standard_indexing=()):
        super().__init__(function, cval, neighborhood, standard_indexing)
        node = copy.deepcopy(_source.of(function)[0])
        names = [arg.arg for arg in node.args.args]
        for name in standard_indexing:
            if name not in names:
                raise ValueError(f"stencil: standard_indexing names {name!r}, which is no argument")
        if names and names[0] in standard_indexing:
            raise ValueError(
                "The first argument to a stencil kernel must use relative indexing, not standard indexing."
            )
        statements = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
        relative = _Relative(set(names), set(standard_indexing), _constants(statements))
        body = [relative.visit(statement) for statement in statements]
        if relative.ndim is None:
            raise ValueError("Stencil kernel with no accesses to relatively indexed arrays.")
        ndim, given = relative.ndim, len(neighborhood or ())
        if neighborhood is not None:
            if given != ndim:
                raise ValueError(f"{ndim} dimensional neighborhood specified for {given} dimensional input array")
            relative.low, relative.high = [n[0] for n in neighborhood], [n[1] for n in neighborhood]
        elif not relative.is_constant:
            raise ValueError("stencil: an index that is not a constant needs neighborhood=((low, high), …)")
        self.neighborhood = tuple(zip(relative.low, relative.high, strict=True))
        at = [f"ks_at{k}" for k in range(ndim)]
        arguments = ", ".join(names)
        text = f"def at({', '.join(at)}, {arguments}):\n"
        text += "".join("    " + line + "\n" for statement in body for line in ast.unparse(statement).split("\n"))
        outside = {k: v for k, v in names_outside(function).items() if not k.startswith("__")}
        element = compiled(text, "at", False, **outside)
        loop, border, first = "", "", names[0]
        for k, (low, high) in enumerate(self.neighborhood):
            low, high, line = max(0, -low), max(0, high), "    " * (k + 1)
            loop += line + f"for {at[k]} in {'prange' if k == 0 else 'range'}({low}, {first}.shape[{k}] - {high}):\n"
            for part in (f"0:{low}",) * (low > 0) + (f"max({first}.shape[{k}] - {high}, 0):",) * (high > 0):
                border += f"        ks_out[{':, ' * k}{part}] = cval\n"
        loop += "    " * (ndim + 1) + f"ks_out[{', '.join(at)}] = at({', '.join(at)}, {arguments})\n"
        # What it gives it gives of arrays as large as its reach: the one that is given may be smaller.
        reach = ", ".join(str(max(0, high) - min(0, low) + 1) for low, high in self.neighborhood)
        middle = ", ".join(str(max(0, -low)) for low, _ in self.neighborhood)
        given = ", ".join(f"np.ones(({reach},), {name}.dtype)" if name in relative.moved else name for name in names)
        if cval is None:  # what is given keeps its border
            cval, border = 0, ""
        whole = f"def stencil({arguments}, ks_out=None):\n    if ks_out is not None:\n{border}        return fill(ks_out, {arguments})\n"
        whole += f"    return fill(np.full({first}.shape, cval, at({middle}, {given}).dtype), {arguments})\n"
        fill = compiled(f"def fill(ks_out, {arguments}):\n{loop}    return ks_out\n", "fill", True, at=element)
        self.__kasoku_jit__ = compiled(whole, "stencil", True, at=element, fill=fill, cval=cval)
        self._names, self._ndim = names, ndim

    def __call__(self, *args, out=None):
        if len(args) != len(self._names):
            raise TypeError(f"{self.__name__} takes {len(self._names)} arguments, not {len(args)}")
        if getattr(args[0], "ndim", None) is None:
            raise TypeError("The first argument to a stencil kernel must be the primary input array.")
        if args[0].ndim != self._ndim:
            raise ValueError(f"stencil: {self.__name__} is of {self._ndim} axes, and its array has {args[0].ndim}")
        plain = [bare(arg) for arg in args]
        if out is not None:
            self.__kasoku_jit__(*plain, bare(out))
            return out
        return as_arrays(args[:1])[1](self.__kasoku_jit__(*plain))


def stencil(func_or_mode="constant", **options):
    """Makes a stencil of a function that reads a[-1], a[0], a[1], …"""
    for name in options:
        if name not in ("cval", "neighborhood", "standard_indexing"):
            raise ValueError(f"Unknown stencil option {name}")
    if callable(func_or_mode):
        return StencilFunc(func_or_mode, **options)
    if func_or_mode != "constant":
        raise ValueError(f"Unsupported mode style {func_or_mode}")
    return lambda function: StencilFunc(function, **options)

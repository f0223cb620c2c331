"""Exceptions of compiled functions: made by Python when one is raised, of the numbers that the statement had."""

import ast
import copy

_chains = (ast.Attribute, ast.Subscript)


class Raised:
    """`raise E(f"no {x[i]}")` as a function of `values`, the parts of it that compiled code computes: x[i]."""

    def __init__(self, node, outside, cells, local_names):
        self.values, self._outside, self._cells = [], outside, cells
        made = self._without_locals(copy.deepcopy(node), local_names)
        names = [ast.arg(f"ks_value{i}") for i in range(len(self.values))]
        function = ast.Lambda(ast.arguments([], names, None, [], [], None, []), made)
        self._code = compile(ast.fix_missing_locations(ast.Expression(function)), "<raise>", "eval")

    def _without_locals(self, node, local_names):
        if isinstance(node, (ast.Name, *_chains)) and isinstance(node.ctx, ast.Load):
            root = node
            while isinstance(root, _chains):
                root = root.value
            if isinstance(root, ast.Name) and root.id in local_names:
                return self._value(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            return self._value(node)
        for name, child in ast.iter_fields(node):
            if isinstance(child, ast.AST):
                setattr(node, name, self._without_locals(child, local_names))
            elif isinstance(child, list):
                child[:] = [self._without_locals(c, local_names) if isinstance(c, ast.AST) else c for c in child]
        return node

    def _value(self, node):
        known = [ast.dump(each) for each in self.values]
        if ast.dump(node) not in known:
            self.values.append(node)
            known.append(ast.dump(node))
        at = known.index(ast.dump(node))
        return ast.Name(f"ks_value{at}", ast.Load())

    def __call__(self, *values):
        made = eval(self._code, {**self._outside, **{k: c.cell_contents for k, c in self._cells.items()}})(*values)
        if isinstance(made, type) and issubclass(made, BaseException):
            made = made()
        if not isinstance(made, BaseException):
            made = TypeError("exceptions must derive from BaseException")
        return made

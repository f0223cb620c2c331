"""Rewrites the text of a Python function so that its loads and stores of shared things are recorded.

`total.n += 1` becomes a recorded load and a recorded store with the user's line: calls of a Hook (hook.py).
"""

from __future__ import annotations

import ast

from .waits import decided, is_wait, ways_around, ways_out

HOOK = "__kasoku_check__"


class Rewriter(ast.NodeTransformer):
    def __init__(self, shared_names, cell_names, parameters=()):
        self.shared_names = shared_names  # globals that the function reads or writes
        self.cell_names = cell_names  # variables that an inner function writes through nonlocal
        self.count = 0  # of variables that it made
        self.decided = set()  # calls of acquire() by the first of many
        self.ways = {}  # an `if` that leads out of a wait or around it -> what its test is then
        self.is_class = False  # whether statements are those of a class
        self.own_names = set()  # variables of the function at hand that no inner function sees
        # What each variable is made of, on all ways that lead here: lines, and 0 for what this call was given.
        self.made_of = {name: frozenset([0]) for name in parameters}

    def _hook(self, method, *args, at):
        call = ast.Call(
            ast.Attribute(ast.Name(HOOK, ast.Load()), method, ast.Load()),
            [*args, ast.Constant(at.lineno)],
            [],
        )
        return ast.copy_location(call, at)

    def _new_name(self):
        self.count += 1
        return f"__kasoku_{self.count}"

    def _describe(self, node):
        return ast.Constant(ast.unparse(node))

    # --- what is made of what ----------------------------------------------------------------------------------

    def _lines(self, node):
        """Lines whose loads and calls the value of an expression is made of, and 0 for the arguments of this call."""
        lines = set()
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                lines |= self.made_of.get(part.id, frozenset())
                if part.id in self.shared_names | self.cell_names:
                    lines.add(part.lineno)
            elif isinstance(part, (ast.Attribute, ast.Subscript, ast.Call)):
                lines.add(part.lineno)
        return frozenset(lines)

    @staticmethod
    def _constant(lines):
        return ast.Constant(tuple(sorted(lines)))

    def _assigned(self, target, lines):
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                self.made_of[part.id] = lines

    def _ways(self, *blocks):
        """Blocks of which one or another runs: afterwards counts what is so on each way."""
        before, after, results = self.made_of, [], []
        for block in blocks:
            self.made_of = dict(before)
            results.append(self._block(block))
            after.append(self.made_of)
        self.made_of = {
            name: frozenset.intersection(*(way[name] for way in after))
            for name in after[0]
            if all(name in way for way in after)
        }
        return results

    # --- loads -----------------------------------------------------------------------------------------------

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.shared_names:
            return self._hook("load_name", ast.Constant(node.id), node, at=node)
        if isinstance(node.ctx, ast.Load) and node.id in self.cell_names:
            return self._hook("load_cell", ast.Constant(node.id), self._cell(node.id), node, at=node)
        if isinstance(node.ctx, ast.Load) and node.id in self.own_names:
            return self._hook("shown", node, at=node)
        return node

    def _inside(self, node):
        """A thing that is only looked into or changed there: it is shown to nobody."""
        return node if isinstance(node, ast.Name) and node.id in self.own_names else self.visit(node)

    @staticmethod
    def _cell(name):
        """`lambda: name`, whose closure is the variable itself."""
        empty = ast.arguments([], [], None, [], [], None, [])
        return ast.Lambda(empty, ast.Name(name, ast.Load()))

    def visit_Attribute(self, node):
        name = self._describe(node)
        node.value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            return self._hook("load_attribute", node.value, ast.Constant(node.attr), name, at=node)
        return node

    def visit_Subscript(self, node):
        name = self._describe(node.value)
        node.value, node.slice = self._inside(node.value), self.visit(node.slice)
        if isinstance(node.ctx, ast.Load):
            return self._hook("load_item", node.value, self._index(node.slice), name, at=node)
        return node

    @staticmethod
    def _index(node):
        """An index as an expression: slices become slice(...) calls."""
        if isinstance(node, ast.Slice):
            parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
            return ast.Call(ast.Name("slice", ast.Load()), parts, [])
        if isinstance(node, ast.Tuple):
            return ast.Tuple([Rewriter._index(item) for item in node.elts], ast.Load())
        return node

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return node  # it reads the frame that calls it
        name = self._describe(node.func)
        texts = ast.Tuple([ast.Constant(ast.unparse(arg)) for arg in node.args], ast.Load())  # visits change them
        given = self._constant(frozenset().union(*(self._lines(part) for part in (*node.args, *node.keywords))))
        if isinstance(node.func, ast.Attribute):
            function = self._hook(
                "decided" if node in self.decided else "method",
                self._inside(node.func.value),
                ast.Constant(node.func.attr),
                ast.Constant(ast.unparse(node.func.value)),
                at=node,
            )
        else:
            function = self._hook("function", self.visit(node.func), at=node)
        args = [self.visit(arg) for arg in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        call = ast.Call(
            ast.Attribute(ast.Name(HOOK, ast.Load()), "call", ast.Load()),
            [function, ast.Constant(name.value), texts, given, ast.Constant(node.lineno), *args],
            keywords,
        )
        return ast.copy_location(call, node)

    # --- stores ----------------------------------------------------------------------------------------------

    def _store(self, target, value, at, lines=frozenset()):
        """Statements that store the expression `value`, made of `lines`, into `target`, recorded."""
        sources = self._constant(lines)
        if isinstance(target, ast.Attribute):
            hook = self._hook(
                "store_attribute",
                self.visit(target.value),
                ast.Constant(target.attr),
                value,
                self._describe(target),
                sources,
                at=at,
            )
            return [ast.copy_location(ast.Expr(hook), at)]
        if isinstance(target, ast.Subscript):
            hook = self._hook(
                "store_item",
                self._inside(target.value),
                self._index(self.visit(target.slice)),
                value,
                self._describe(target.value),
                sources,
                at=at,
            )
            return [ast.copy_location(ast.Expr(hook), at)]
        if isinstance(target, (ast.Tuple, ast.List)):
            parts, stores = [], []
            for part in target.elts:
                name, is_rest = self._new_name(), isinstance(part, ast.Starred)
                stored = ast.Name(name, ast.Store())
                parts.append(ast.Starred(stored, ast.Store()) if is_rest else stored)
                stores += self._store(part.value if is_rest else part, ast.Name(name, ast.Load()), part, lines)
            return [ast.copy_location(ast.Assign([ast.Tuple(parts, ast.Store())], value), at), *stores]
        self._assigned(target, lines)
        if isinstance(target, ast.Name) and target.id in self.own_names:
            value = self._hook("made", value, at=at)
        stores = [ast.copy_location(ast.Assign([target], value), at)]
        if isinstance(target, ast.Name) and target.id in self.shared_names:
            hook = self._hook("store_name", ast.Constant(target.id), sources, at=at)
            stores.insert(0, ast.copy_location(ast.Expr(hook), at))
        if isinstance(target, ast.Name) and target.id in self.cell_names:
            hook = self._hook("store_cell", ast.Constant(target.id), self._cell(target.id), sources, at=at)
            stores.insert(0, ast.copy_location(ast.Expr(hook), at))
        return stores

    def _target(self, target, at, lines):
        """The target that a loop or a `with` may assign instead of `target`, and the recorded stores that follow."""
        if isinstance(target, ast.Name) and target.id not in self.shared_names | self.cell_names:
            self._assigned(target, lines)
            return target, []
        name = self._new_name()
        stores = self._store(target, ast.Name(name, ast.Load()), at, lines)
        return ast.copy_location(ast.Name(name, ast.Store()), target), stores

    def visit_NamedExpr(self, node):
        lines = self._lines(node.value)
        stores = self._store(node.target, self.visit(node.value), node, lines)
        hooks = [statement.value for statement in stores if isinstance(statement, ast.Expr)]
        node.value = next(statement.value for statement in stores if isinstance(statement, ast.Assign))
        both = ast.Tuple([node, *hooks], ast.Load())
        return ast.copy_location(ast.Subscript(both, ast.Constant(0), ast.Load()), node) if hooks else node

    def visit_Assign(self, node):
        lines = self._lines(node.value)
        takes_apart = any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
        value = (self._read if takes_apart else self.visit)(node.value)
        if len(node.targets) == 1:
            return self._store(node.targets[0], value, node, lines)
        name = self._new_name()
        stores = [ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)]
        for target in node.targets:
            stores += self._store(target, ast.Name(name, ast.Load()), node, lines)
        return stores

    def visit_AnnAssign(self, node):
        if node.value is None:
            return node
        if self.is_class:  # what stands there says which fields a class has
            node.value = self.visit(node.value)
            return node
        lines = self._lines(node.value)
        return self._store(node.target, self.visit(node.value), node, lines)

    def visit_AugAssign(self, node):
        operator = type(node.op).__name__
        load = {ast.Name: ast.Name, ast.Attribute: ast.Attribute, ast.Subscript: ast.Subscript}[type(node.target)]
        fields = {f: getattr(node.target, f) for f in node.target._fields if f != "ctx"}
        current = ast.copy_location(load(**fields, ctx=ast.Load()), node.target)
        text = self._describe(node.target)
        lines = self._lines(current) | self._lines(node.value)
        loaded = self._inside(current)
        value = self._hook("in_place", ast.Constant(operator), loaded, self.visit(node.value), text, at=node)
        return self._store(node.target, value, node, lines)

    def visit_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                target.value = self._hook(
                    "container_to_change", self._inside(target.value), self._describe(target.value), at=node
                )
            elif isinstance(target, ast.Attribute):
                name = self._describe(target)
                target.value = self._hook(
                    "owner_to_change", self.visit(target.value), ast.Constant(target.attr), name, at=node
                )
        return node

    # --- loops, locks, scopes ----------------------------------------------------------------------------------

    def visit_For(self, node):
        text, lines = self._describe(node.iter), self._lines(node.iter)
        node.iter = self._hook("iterate", self._inside(node.iter), text, at=node)
        node.target, stores = self._target(node.target, node, lines)
        body, node.orelse = self._ways(node.body, node.orelse)
        node.body = [*stores, *body]
        return node

    def _truth(self, node, is_used=False):
        """A value that is asked whether it is true, and may be used then: a container, whether it is empty."""
        text = self._describe(node)
        is_value = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
        node = self.visit(node) if is_used else self._inside(node)
        return self._hook("truth", node, text, at=node) if is_value else node

    def _read(self, node):
        """An operand: of an array or a container all is read."""
        text = self._describe(node)
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return self.visit(node)
        return self._hook("read", self._inside(node), text, at=node)

    def visit_BinOp(self, node):
        node.left, node.right = self._read(node.left), self._read(node.right)
        return node

    def visit_Starred(self, node):
        node.value = self._read(node.value) if isinstance(node.ctx, ast.Load) else self.visit(node.value)
        return node

    def visit_FormattedValue(self, node):
        node.value = self._read(node.value)
        node.format_spec = node.format_spec and self.visit(node.format_spec)
        return node

    def visit_Dict(self, node):
        node.values = [(self._read if key is None else self.visit)(value) for key, value in zip(node.keys, node.values)]
        node.keys = [key and self.visit(key) for key in node.keys]
        return node

    def visit_IfExp(self, node):
        node.test = self._truth(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_BoolOp(self, node):
        node.values = [self._truth(value, is_used=True) for value in node.values]
        return node

    def visit_UnaryOp(self, node):
        node.operand = (self._truth if isinstance(node.op, ast.Not) else self._read)(node.operand)
        return node

    def _test_of_wait(self, test, ends_when, at):
        """The test of a loop that waits, which is over when it is `ends_when`."""
        begin = self._hook("begin_test", at=at)
        return self._hook("end_test", begin, self._truth(test), ast.Constant(ends_when), at=at)

    def visit_If(self, node):
        is_way = node in self.ways
        node.test = self._test_of_wait(node.test, self.ways[node], node) if is_way else self._truth(node.test)
        node.body, node.orelse = self._ways(node.body, node.orelse)
        return node

    def visit_Try(self, node):
        node.body, _ = self._ways(node.body, [])
        rest, *handled = self._ways(node.orelse, *(handler.body for handler in node.handlers))
        node.orelse = rest
        for handler, body in zip(node.handlers, handled):
            handler.body = body
        node.finalbody = self._block(node.finalbody)
        return node

    visit_TryStar = visit_Try

    def visit_comprehension(self, node):
        text = self._describe(node.iter)
        node.iter = self._hook("iterate", self.visit(node.iter), text, at=node.iter)
        node.ifs = [self.visit(each) for each in node.ifs]
        return node

    def visit_Compare(self, node):
        """`key in container` reads the container, or of a dict that item; `is` reads nothing."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            reads = self.visit if all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops) else self._read
            node.left, node.comparators = reads(node.left), [reads(each) for each in node.comparators]
            return node
        text = self._describe(node.comparators[0])
        found = self._hook("is_in", self.visit(node.left), self._inside(node.comparators[0]), text, at=node)
        return ast.copy_location(ast.UnaryOp(ast.Not(), found), node) if isinstance(node.ops[0], ast.NotIn) else found

    def visit_While(self, node):
        self.ways.update((way, True) for way in ways_out(node))
        node.test = self._test_of_wait(node.test, False, node) if is_wait(node) else self._truth(node.test)
        name = self._new_name()
        start = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(0)), node)
        count = self._hook("spin", ast.Name(name, ast.Load()), at=node)
        step = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], count), node)
        body, node.orelse = self._ways(node.body, node.orelse)
        node.body = [step, *body]
        return [start, node]

    def _block(self, statements):
        result = []
        for statement in statements:
            new = self.visit(statement)
            result += new if isinstance(new, list) else [new]
        return result

    def visit_With(self, node):
        stores = []
        for item in node.items:
            lines = self._lines(item.context_expr)
            item.context_expr = self._hook("enter", self.visit(item.context_expr), at=node)
            if item.optional_vars is not None:
                item.optional_vars, after = self._target(item.optional_vars, node, lines)
                stores += after
        self.ways.update(ways_around(node.body))
        self.decided.update(decided(node.body))
        node.body = [*stores, *self._block(node.body)]
        return node

    def function_body(self, node):
        """The statements of a function, rewritten."""
        outside = self.own_names, self.is_class
        self.own_names, self.is_class = _unseen(node) - self.shared_names - self.cell_names, False
        body = self._block(node.body)
        self.own_names, self.is_class = outside
        return body

    def visit_FunctionDef(self, node):
        outside = self.made_of, self.shared_names
        self.made_of = {name: frozenset([0]) for name in _parameters(node)}  # it runs another time
        self.shared_names = self.shared_names - _bound(node)
        node.body = self.function_body(node)
        self.made_of, self.shared_names = outside
        return node

    def visit_Lambda(self, node):
        outside, self.own_names = self.own_names, set()
        self.generic_visit(node)
        self.own_names = outside
        return node

    def visit_ClassDef(self, node):
        outside = self.own_names, self.is_class
        self.own_names, self.is_class = set(), True
        self.generic_visit(node)
        self.own_names, self.is_class = outside
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Global(self, node):
        return node


def _unseen(function):
    """Names that a function assigns and that no function, class or comprehension in it uses."""
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.comprehension)
    inner += (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    seen = {
        name.id
        for part in ast.walk(function) if isinstance(part, inner) and part is not function
        for name in ast.walk(part) if isinstance(name, ast.Name)
    }  # fmt: skip
    return _bound(function) - seen - _parameters(function)


def _parameters(function):
    return {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}


def _bound(function):
    """Names that are a function's own: its parameters, and what it assigns and declares neither global nor nonlocal."""
    own, declared, parts = _parameters(function), set(), [*function.body]
    while parts:
        part = parts.pop()
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            declared.update(part.names)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            own.add(part.name)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            own.add(part.id)
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.comprehension)):
            parts += ast.iter_child_nodes(part)
    return own - declared

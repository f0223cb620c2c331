"""Graphs of objects, as Dask has them in dask._task_spec. A Task is a call whose arguments may be references to other keys of the graph, a
DataNode a value, an Alias another name; each is called with the values of the keys that it depends on."""

import copyreg
import functools
import itertools
import sys
from collections.abc import Mapping
from functools import partial

from ._token import funcname, key_split, result_of, tokenize

_none = frozenset()
_numbers = itertools.count()
sizeof = sys.getsizeof  # about how many bytes a value takes; the face of Dask has a better one


class TaskRef:
    """Stands for the value of a key."""

    __slots__ = ("key",)

    def __init__(self, key):
        self.key = key

    def substitute(self, subs, key=None):
        if self.key not in subs:
            return self
        other = subs[self.key]
        if isinstance(other, GraphNode):
            return other.substitute({}, key=self.key)
        return other if isinstance(other, TaskRef) else TaskRef(other)

    def __eq__(self, other):
        return isinstance(other, TaskRef) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __reduce__(self):
        return TaskRef, (self.key,)

    def __repr__(self):
        return f"{type(self).__name__}({self.key!r})"

    def __str__(self):
        return str(self.key)


def _is_dask_future(value):
    return isinstance(value, TaskRef) or bool(getattr(value, "__dask_future__", False))


def needs_of(value):
    """The keys that a direct argument refers to."""
    if isinstance(value, GraphNode):
        return value.dependencies
    return (value.key,) if isinstance(value, TaskRef) else _none


def _get_dependencies(value):
    """The keys that a value refers to, also within containers."""
    if isinstance(value, (GraphNode, TaskRef)):
        return set(needs_of(value))
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple, set, frozenset)):
        return set()
    return set().union(*map(_get_dependencies, value))


def _value(argument, values):
    """The value of an argument when the keys have these values."""
    if isinstance(argument, GraphNode):
        return argument({key: values[key] for key in argument.dependencies})
    return values[argument.key] if isinstance(argument, TaskRef) else argument


def _replaced(argument, subs):
    return argument.substitute(subs) if isinstance(argument, (GraphNode, TaskRef)) else argument


class GraphNode:
    """A node of a graph, under a key. Called with {key: value} of its dependencies, it returns its own value."""

    __slots__ = ("key", "_dependencies")

    @property
    def dependencies(self):
        return self._dependencies

    @property
    def data_producer(self):
        return False

    @property
    def block_fusion(self):
        return False

    @property
    def is_coro(self):
        return False

    def ref(self):
        return Alias(self.key)

    def copy(self):
        return self.substitute({}, key=self.key)

    def _verify_values(self, values):
        missing = [key for key in self._dependencies if key not in values]
        if missing:
            raise RuntimeError(f"Not enough arguments provided: missing keys {sorted(missing, key=str)}")

    def _changes(self, subs):
        """Of what is to be put for keys, that which changes something here."""
        return {key: subs[key] for key in self._dependencies if key in subs and subs[key] != key}

    def __eq__(self, other):
        return type(other) is type(self) and tokenize(self) == tokenize(other)

    def __hash__(self):
        return hash((type(self).__name__, tokenize(self)))

    @staticmethod
    def fuse(*tasks, key=None):
        """Tasks that lead to one of them, as a Task of its own."""
        if any(task.key is None for task in tasks):
            raise ValueError("Cannot fuse tasks without a key")
        if len(tasks) == 1:
            return tasks[0].substitute({}, key=key)
        inside = {task.key: task for task in tasks}
        needed = set().union(*(task.dependencies for task in tasks))
        outputs = set(inside) - needed
        if len(outputs) != 1:
            raise ValueError(f"Cannot fuse tasks with multiple outputs {sorted(outputs, key=str)}")
        (last,) = outputs
        outside = tuple(needed - set(inside))
        producer = any(task.data_producer for task in tasks)
        return Task(
            last if key is None else key, _execute_subgraph, inside, last, outside, *map(TaskRef, outside),
            _data_producer=producer,
        )  # fmt: skip


class Alias(GraphNode):
    """Another name for what `target` names."""

    __slots__ = ("target",)

    def __init__(self, key, target=None):
        target = key if target is None else target
        self.key = key
        self.target = target.key if isinstance(target, TaskRef) else target
        if isinstance(key, TaskRef):
            self.key = key.key
            self.target = key.key if target is key else self.target
        self._dependencies = frozenset((self.target,))

    def substitute(self, subs, key=None):
        changed = self._changes(subs)
        if not changed and key in (None, self.key):
            return self
        target = changed.get(self.target, self.target)
        if key is None:
            key = changed.get(self.key, self.key)
        if isinstance(target, GraphNode):
            return target.substitute({}, key=key)
        return Alias(key, target)

    def __call__(self, values=()):
        self._verify_values(values)
        return values[self.target]

    def __eq__(self, other):
        return isinstance(other, Alias) and (self.key, self.target) == (other.key, other.target)

    def __hash__(self):
        return hash((self.key, self.target))

    def __dask_tokenize__(self):
        return self.key, self.target

    def __reduce__(self):
        return Alias, (self.key, self.target)

    def __repr__(self):
        return f"Alias({self.key!r})" if self.key == self.target else f"Alias({self.key!r}->{self.target!r})"


class DataNode(GraphNode):
    """A value that is there."""

    __slots__ = ("value", "typ")

    def __init__(self, key, value):
        self.key = (type(value).__name__, next(_numbers)) if key is None else key
        self.value, self.typ, self._dependencies = value, type(value), _none

    @property
    def data_producer(self):
        return True

    def substitute(self, subs, key=None):
        return self if key in (None, self.key) else DataNode(key, self.value)

    def copy(self):
        return DataNode(self.key, self.value)

    def __call__(self, values=()):
        return self.value

    def __iter__(self):
        return iter(self.value)

    def __dask_tokenize__(self):
        return (self.value,)

    def __reduce__(self):
        return DataNode, (self.key, self.value)

    def __sizeof__(self):
        return 100 + sizeof(self.value)

    def __repr__(self):
        return f"DataNode({self.value!r})"


class Task(GraphNode):
    """func(*args, **kwargs); nodes and references among the arguments are replaced by their values."""

    __slots__ = ("func", "args", "kwargs", "_data_producer", "_token", "_is_coro", "_repr")

    def __init__(self, key, func, /, *args, _data_producer=False, **kwargs):
        if isinstance(func, Task):
            raise TypeError("Cannot nest tasks")
        self.key, self.func, self.args, self.kwargs = key, func, args, kwargs
        self._data_producer, self._token, self._is_coro, self._repr = _data_producer, None, None, None
        self._find_dependencies()

    def _find_dependencies(self):
        found = [needs for needs in map(needs_of, (*self.args, *self.kwargs.values())) if needs]
        self._dependencies = _none.union(*found) if found else _none

    @property
    def data_producer(self):
        return self._data_producer

    @property
    def is_coro(self):
        if self._is_coro is None:
            import inspect

            self._is_coro = inspect.iscoroutinefunction(self.func)
        return self._is_coro

    def has_subgraph(self):
        return self.func is _execute_subgraph

    def _slots(self):
        names = (name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()))
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _with(self, key, args, kwargs):
        """A copy of the node with another key and other arguments; attributes of subclasses stay."""
        made = type(self).__new__(type(self))
        for name, value in self._slots().items():
            setattr(made, name, value)
        made.key, made.args, made.kwargs, made._token, made._repr = key, tuple(args), kwargs, None, None
        made._find_dependencies()
        return made

    def copy(self):
        return self._with(self.key, self.args, self.kwargs)

    def substitute(self, subs, key=None):
        changed = self._changes(subs)
        if not changed and key in (None, self.key):
            return self
        words = {name: _replaced(argument, changed) for name, argument in self.kwargs.items()}
        return self._with(
            self.key if key is None else key, [_replaced(argument, changed) for argument in self.args], words
        )

    def __call__(self, values=()):
        self._verify_values(values)
        args = [_value(argument, values) for argument in self.args]
        return self.func(*args, **{name: _value(argument, values) for name, argument in self.kwargs.items()})

    def __dask_tokenize__(self):
        if self._token is None:
            self._token = tokenize(type(self).__name__, self.func, self.args, self.kwargs)
        return self._token

    def __reduce__(self):
        if type(self) is Task and not self.kwargs and not self._data_producer:
            return Task, (self.key, self.func, *self.args)
        return copyreg.__newobj__, (type(self),), (getattr(self, "__dict__", None), self._slots())

    def __sizeof__(self):
        return sizeof(type(self)) + sizeof(self.func) + sizeof(self.args) + sizeof(self.kwargs)

    def __repr__(self):
        if self._repr is None:
            name = funcname(self.func)
            parts = [repr(a) for a in self.args] + [f"{word}={a!r}" for word, a in sorted(self.kwargs.items())]
            each = (40 - len(name) - 1 - len(str(self.key))) // len(parts) if parts else 0
            self._repr = f"<Task {self.key!r} {name}({', '.join(parts) if not parts or each > 5 else '...'})>"
        return self._repr


def _contained(*items, kind):
    """What a container's function gives of its items, also where somebody makes a task of both."""
    return dict(zip(items[::2], items[1::2])) if kind is dict else kind(items)


container_functions = {kind: functools.partial(_contained, kind=kind) for kind in (list, tuple, set, dict)}


class NestedContainer(Task):
    """A container of nodes, references and values."""

    __slots__ = ()
    klass = None

    def __init__(self, /, *args, **words):
        if len(args) == 1 and isinstance(args[0], self.klass):
            args = tuple(args[0])
        super().__init__(None, container_functions[self.klass], *args)

    @classmethod
    def _of(cls, args, key=None):
        made = cls.__new__(cls)
        Task.__init__(made, key, container_functions[cls.klass], *args)
        return made

    def __iter__(self):
        return iter(self.args)

    def __dask_tokenize__(self):
        return type(self).__name__, self.args

    def __reduce__(self):
        return _container, (type(self), self.args) if self.key is None else (type(self), self.args, self.key)

    def __repr__(self):
        return f"{type(self).__name__}({self.args})"


def _container(kind, args, key=None):
    return kind._of(args, key)


class List(NestedContainer):
    __slots__ = ()
    klass = list


class Tuple(NestedContainer):
    __slots__ = ()
    klass = tuple


class Set(NestedContainer):
    __slots__ = ()
    klass = set


class Dict(NestedContainer, Mapping):
    """A dictionary: of another, of pairs, of keys and values in turn, or of words."""

    __slots__ = ()
    klass = dict

    def __init__(self, /, *args, **words):
        if args and words:
            raise ValueError("Dict: arguments or words, not both")
        if words:
            args = (words,)
        if len(args) == 1:
            (given,) = args
            if not isinstance(given, (dict, list, tuple)):
                raise ValueError("Invalid argument provided")
            pairs = list(given.items()) if isinstance(given, dict) else list(given)
            are_pairs = all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs)
            args = itertools.chain.from_iterable(pairs) if are_pairs else pairs
        args = tuple(args)
        if len(args) % 2:
            raise ValueError("Invalid number of arguments provided")
        Task.__init__(self, None, container_functions[dict], *args)

    def __iter__(self):
        return iter(self.args[::2])

    def __len__(self):
        return len(self.args) // 2

    def __getitem__(self, key):
        for name, value in zip(self.args[::2], self.args[1::2]):
            if name == key:
                return value
        raise KeyError(key)

    __eq__ = GraphNode.__eq__
    __hash__ = GraphNode.__hash__

    def __dask_tokenize__(self):
        return "Dict", sorted(tokenize(pair) for pair in zip(self.args[::2], self.args[1::2]))

    def __repr__(self):
        return f"Dict({', '.join(f'{k}: {v}' for k, v in zip(self.args[::2], self.args[1::2]))})"


# ── from plain values and graphs of tuples ────────────────────────────────────────────────


def _is_named_tuple(value):
    return isinstance(value, tuple) and type(value) is not tuple and hasattr(value, "_fields")


def _constructed(kind, args, words):
    return kind(*args, **words)


def _node_of_named_tuple(value, parse):
    """A task that makes the named tuple again, of parsed arguments of its constructor."""
    args, words = tuple(value), {}
    if hasattr(value, "__getnewargs_ex__"):
        args, words = value.__getnewargs_ex__()
    elif hasattr(value, "__getnewargs__"):
        args = value.__getnewargs__()
    words = {name: parse(item) for name, item in words.items()}
    return Task(None, partial(_constructed, type(value)), Tuple._of(map(parse, args)), Dict(words))


_containers = {list: List, tuple: Tuple, set: Set}


def _is_reference(value):
    return isinstance(value, (GraphNode, TaskRef))


def parse_input(value):
    """The value with nodes for the containers that hold nodes; itself if there is nothing to parse."""
    if isinstance(value, GraphNode):
        return value
    if _is_dask_future(value):
        return Alias(value.key)
    if type(value) is dict:
        parsed = {key: parse_input(item) for key, item in value.items()}
        return Dict(parsed) if any(map(_is_reference, parsed.values())) else value
    if isinstance(value, (list, tuple, set)):
        parsed = [parse_input(item) for item in value]
        if any(map(_is_reference, parsed)):
            if _is_named_tuple(value):
                return _node_of_named_tuple(value, parse_input)
            for kind, node in _containers.items():
                if isinstance(value, kind):
                    return node._of(parsed)
    return value


def _is_key(value, keys):
    try:
        return value in keys
    except TypeError:
        return False


_single = {int, float, complex, bool, str, bytes, type(None)}  # what holds nothing else


def _none_is_key(values, keys):
    """Whether these are numbers, texts and the like, and none a key: a graph has long lists of such."""
    return _single.issuperset(map(type, values)) and not any(map(keys.__contains__, values))


def convert_legacy_task(key, task, all_keys):
    """A task as a tuple (function, argument, …), or what stands in its place, as a node."""
    made = _converted(key, task, all_keys)
    return made if made is not task or _is_node(task) else DataNode(key, task)


def _is_node(value):
    """Ours, or Dask's own, where a library has loaded them."""
    return isinstance(value, GraphNode) or hasattr(type(value), "dependencies") and hasattr(type(value), "substitute")


def _converted(key, task, all_keys):
    """The node that the task is; the task itself, if it is one already or a value."""
    kind = type(task)
    if kind is tuple and task and callable(task[0]):
        func, args = task[0], task[1:]
        if isinstance(func, GraphNode):
            return Alias(key, func.key) if not args else func
        return Task(key, func, *(_converted(None, argument, all_keys) for argument in args))
    if _is_node(task):
        return task
    if _is_key(task, all_keys) and (key is None or task != key):
        return Alias(key if key is not None else task, target=task)
    if _is_dask_future(task):
        return Alias(key if key is not None else task.key, target=task.key)
    if hasattr(kind, "__kasoku_value__"):  # a future of this process
        return Task(key, result_of, task)
    if not isinstance(task, (list, tuple, set, dict)):
        return task
    if kind in (list, tuple, set) and _none_is_key(task, all_keys):
        return task
    inner = lambda item: convert_legacy_task(None, item, all_keys)  # noqa: E731
    if _is_named_tuple(task):
        made = _node_of_named_tuple(task, inner)
    else:
        parsed = (
            {name: inner(item) for name, item in task.items()} if isinstance(task, dict) else list(map(inner, task))
        )
        items = parsed.values() if isinstance(task, dict) else parsed
        if all(isinstance(item, DataNode) for item in items):
            return task
        made = Dict(parsed) if isinstance(task, dict) else next(node for kind, node in _containers.items() if isinstance(task, kind))._of(parsed)  # fmt: skip
    made.key = key
    return made


def convert_legacy_graph(dsk, all_keys=None):
    """A graph of tuples as one of nodes."""
    all_keys = set(dsk) if all_keys is None else all_keys
    nodes = {}
    for key, task in dsk.items():
        node = convert_legacy_task(key, task, all_keys)
        if isinstance(node, Alias) and node.target == key:
            continue  # a cluster has it
        nodes[key] = node
    return nodes


# ── whole graphs ──────────────────────────────────────────────────────────────────────────


def _execute_subgraph(inside, output, names, *values):
    known = dict(zip(names, values))
    return execute_graph({**inside, **{name: DataNode(None, value) for name, value in known.items()}}, keys=[output])[
        output
    ]


def in_order(graph, keys=None):
    """Keys, each after what it needs; `keys` and what they need, or all."""
    order, done = [], set()
    for first in graph if keys is None else keys:
        stack = [first]
        while stack:
            key = stack[-1]
            rest = (
                [] if key in done else [need for need in graph[key].dependencies if need in graph and need not in done]
            )
            if rest:
                stack.extend(rest)
                continue
            stack.pop()
            if key not in done:
                done.add(key)
                order.append(key)
    return order


def execute_graph(dsk, cache=None, keys=()):
    """The values of the keys (all if none is named), one node after another; others are let go as soon as they can be."""
    graph = dsk if isinstance(dsk, Mapping) else {node.key: node for node in dsk}
    values = {} if cache is None else cache
    wanted = set(keys)
    readers = {}
    for node in graph.values():
        for need in node.dependencies:
            readers[need] = readers.get(need, 0) + 1
    for key in in_order(graph):
        node = graph[key]
        values[key] = node(values)
        for need in node.dependencies:
            readers[need] -= 1
            if keys and not readers[need] and need not in wanted:
                del values[need]
    return {key: values[key] for key in keys} if keys else values


def resolve_aliases(dsk, keys, dependents):
    """The graph with each alias of a task that nobody else wants replaced by that task under the alias's key."""
    if not keys:
        raise ValueError("No keys provided")
    found, rest, seen = dict(dsk), [key for key in keys], set()
    readers = {key: set(names) for key, names in dependents.items()}
    while rest:
        key = rest.pop()
        if key in seen or key not in found:
            continue
        seen.add(key)
        node = found[key]
        while isinstance(node, Alias) and node.target in found and node.target not in keys:
            if len(readers.get(node.target, ())) != 1:
                break
            node = found.pop(node.target).substitute({}, key=key)
        found[key] = node
        rest.extend(node.dependencies)
    return found


def cull(dsk, keys):
    """The part of a graph that the keys need."""
    keys = [keys] if not isinstance(keys, (list, set, tuple)) or isinstance(keys, tuple) and keys in dsk else keys
    return {key: dsk[key] for key in in_order(dsk, keys)}


def fuse_linear_task_spec(dsk, keys):
    """Chains of tasks, of which each is the only one that reads the one before, as tasks of their own. The last key of a
    chain becomes an alias of the new one."""
    keys = set(keys)
    readers = {}
    for key, node in dsk.items():
        for need in node.dependencies:
            readers.setdefault(need, set()).add(key)

    def after(key):
        """The task that follows `key` in its chain."""
        if key in keys or len(readers.get(key, ())) != 1 or len(dsk[key].dependencies) > 1 or dsk[key].block_fusion:
            return None
        (reader,) = readers[key]
        node = dsk[reader]
        is_one_of_chain = len(node.dependencies) == 1 and not isinstance(node, Alias) and not node.block_fusion
        return reader if is_one_of_chain else None

    followers = {key: after(key) for key in dsk if not isinstance(dsk[key], Alias)}
    inner = set(followers.values())
    result = {}
    for key in dsk:
        if key not in followers:
            result[key] = dsk[key]
        elif key not in inner:
            chain = [key]
            while followers[chain[-1]] is not None:
                chain.append(followers[chain[-1]])
            if len(chain) == 1:
                result[key] = dsk[key]
                continue
            name = _name_of_chain(chain)
            result[name] = Task.fuse(*(dsk[one] for one in chain), key=name)
            result[chain[-1]] = Alias(chain[-1], target=name)
    return result


def _name_of_chain(keys):
    """The names of the chain's tasks, and what tells its last key from others of that name."""
    last = keys[-1]
    name = "-".join(dict.fromkeys(map(key_split, keys)))
    if isinstance(last, tuple):
        return (f"{name}-{tokenize(keys)}", *last[1:])
    return name if name not in keys and all(key == key_split(key) for key in keys) else f"{name}-{tokenize(keys)}"

"""More cases for test_check_cases: variables of a known size, blocks that wait, memory and containers in common."""

import concurrent.futures
import random
import threading

import kasoku as ks
import numpy as np
from check_cases import X, both, case, kernel, loop, run, sort, threads
from kasoku import delayed, prange

# ── variables of a known size ─────────────────────────────────────────────────────────────

kernel("past_shared_memory", "bounds", body="  __shared__ int s[64]; s[t + 1] = d[t]; __syncthreads(); out[t] = t;")
kernel("before_shared_memory", "bounds", body="  __shared__ int s[64]; s[t] = d[t]; __syncthreads(); out[t] = t ? s[t - 1] : (s - 1)[n - 64];")  # fmt: skip
kernel("past_a_local_array", "bounds", body="  int own[4]; for (int k = 0; k <= n / 16; ++k) own[k] = d[t] + k; out[t] = own[t % 4];")  # fmt: skip
kernel(
    "within_a_local_array",
    body="  int own[4]; for (int k = 0; k < n / 16; ++k) own[k] = d[t] + k; out[t] = own[t % 4];",
)
kernel("past_a_constant", "bounds", before="__constant__ int c[4];", body="  out[t] = c[t % 5];")
kernel("within_a_constant", before="__constant__ int c[4];", body="  out[t] = c[t % 4];")
kernel("past_a_variable", "bounds", before="__device__ int v[60];", body="  v[t] = t;")
kernel("a_pointer_to_nowhere", "bounds", body="  int* p = t == 3 ? (int*)(n / 8) : out + t; *p = 1;")

# ── blocks that wait for others ───────────────────────────────────────────────────────────

handed = """  if (blockIdx.x == 0 && t == 0) {{ out[5] = 7; {0} atomicExch(&flag, 1); }}
  if (blockIdx.x == 1 && t == 0) {{ while (atomicAdd(&flag, 0) == 0) {{}}
    {0} d[0] = out[5]; }}"""
kernel("handed_on_behind_fences", grid=2, before="__device__ int flag;", body=handed.format("__threadfence();"))
kernel("handed_on_without_fences", "race", grid=2, before="__device__ int flag;", body=handed.format(""))
kernel("past_the_end_by_one_who_waited", "bounds", grid=2, before="__device__ int flag;", body=handed.format("__threadfence();").replace("d[0]", "d[n]"))  # fmt: skip

# ── arguments that show the same memory ───────────────────────────────────────────────────


def reversed_too():
    x = np.zeros(10)
    return x, x[::-1]


def two_halves():
    x = np.asfortranarray(np.zeros((3, 10)))
    return x[:, :5], x[:, 5:]


@loop("race", args=reversed_too)
def one_array_from_both_ends(a, b):
    for i in prange(10):
        a[i] = b[i] + 1


@loop(args=two_halves)
def halves_of_an_array(a, b):
    for i in prange(5):
        a[0, i] = b[0, i] + 1


def shifted(*windows):
    x = ks.array(np.zeros(96, np.int32))
    text = 'extern "C" __global__ void f(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }'
    return ks.check(ks.RawModule(code=text).get_function("f"), *(x[w] for w in windows), block=32, grid=1)


@case("race")
def windows_that_overlap():
    return shifted(slice(32, 64), slice(31, 63))


@case()
def windows_that_do_not():
    return shifted(slice(64, 96), slice(32, 64))


@case()
def a_window_and_the_whole():
    return shifted(slice(0, 32), slice(0, 96))


# ── containers ────────────────────────────────────────────────────────────────────────────


@case("mutation")
def a_list_sorted_beside_its_reader():
    x = [3, 1, 2]
    return ks.check(both(delayed(len)(x), delayed(sort)(x)))


@case("mutation")
def a_list_shuffled_by_a_library():
    x = list(range(30))

    def shuffle(values):
        random.Random(1).shuffle(values)

    return ks.check(both(delayed(sum)(x), delayed(shuffle)(x)))


@case()
def a_list_read_by_two():
    x = [3, 1, 2]
    return ks.check(both(delayed(sorted)(x), delayed(len)(x)))


@threads("race")
def a_comprehension_over_a_dict_that_grows():
    words = {k: 0 for k in range(3)}

    def add():
        words[7] = 1

    run(add, lambda: [k for k in words if k])


@threads("race")
def looked_for_and_then_added():
    seen = {1, 2}

    def add():
        if 5 not in seen:
            seen.add(5)

    run(add, add)


@threads()
def other_items_of_a_dict():
    words = {"a": 1, "b": 2}

    def count(key):
        if key in words:
            words[key] += 1

    run(lambda: count("a"), lambda: count("b"))


@loop("race", args=lambda: (X,))
def a_list_that_all_iterations_add_to(x):
    total = [0.0]
    for i in prange(x.size):
        total[0] += x[i]
    return total[0]


@loop("race", args=lambda: (X, [0, 0, 0]))
def a_list_of_bins(x, bins):
    for i in prange(x.size):
        bins[int(3 * x[i])] += 1


@loop(args=lambda: (X, list(range(256))))
def a_list_by_element(x, y):
    for i in prange(x.size):
        y[i] += 1


@loop("race", args=lambda: (X,))
def a_list_that_has_grown(x):
    seen = []
    for k in range(100):
        seen.append(k)
    for i in prange(x.size):
        seen[i % 100] = i
    return seen


@loop(args=lambda: (X, np.zeros(256)))
def lists_of_their_own_where_another_was(x, y):
    shared = [1.0, 2.0, 3.0]
    for i in prange(x.size):
        y[i] = shared[i % 3]
    shared = [0.0]
    for i in prange(x.size):
        own = [x[i], 2.0, 3.0]
        own[i % 3] += y[i]
        y[i] = own[0]


# ── many looks that are no waiting ────────────────────────────────────────────────────────────

kernel("millions_of_additions", block=64, before="__device__ int sum;", body="  for (int k = 0; k < 70000; ++k) atomicAdd(&sum, 1);")  # fmt: skip

# ── dynamic shared memory is as large as the launch says ──────────────────────────────────────

kernel(
    "past_dynamic_shared_memory", "bounds", shared=240, body="  extern __shared__ int s[]; s[t] = d[t]; out[t] = s[t];"
)
kernel("one_element_of_two_arrays", "bounds", shared=256, body="  extern __shared__ int s[]; float* f = (float*)(s + 32); if (t < 32) s[t] = d[t]; __syncthreads(); f[t] = t;")  # fmt: skip

# ── functions that stay functions: they call themselves, or are called through a pointer ──────

add = "__device__ void add(int* a, int n) { if (n > 0) { a[n - 1] += 1; add(a, n - 1); } }"
turns = """__device__ void odd(int* a, int n);
__device__ void even(int* a, int n) { if (n >= 0) { a[n] += 1; odd(a, n - 1); } }
__device__ void odd(int* a, int n) { if (n >= 0) { a[n] += 2; even(a, n - 1); } }"""
methods = """struct Own { __device__ virtual void store(int* a, int i) { a[i] = i; } };
struct Pair : Own { __device__ void store(int* a, int i) override { a[i / 2] = i; } };"""
call = "  Own own; Pair pair; Own* which = d[0] == {} ? &own : &pair; which->store(out, t);"
table = """__device__ void own(int* a, int i) { a[i] = i; }
__device__ void pair(int* a, int i) { a[i / 2] = i; }
__device__ void (*table[2])(int*, int) = {own, pair};"""
kernel("a_function_that_calls_itself", before=add, body="  if (t < 16) add(d + 4 * t, 4);")
kernel("one_that_calls_itself_on_neighbours", "race", before=add, body="  if (t < 16) add(d + 3 * t, 4);")
kernel("two_that_call_each_other", before=turns, body="  if (t < 16) even(d + 4 * t, 3);")
kernel("two_that_call_each_other_on_neighbours", "race", before=turns, body="  if (t < 16) even(d + 3 * t, 3);")
kernel("a_method_of_each_class", before=methods, body=call.format(0))
kernel("a_method_of_the_other_class", "race", before=methods, body=call.format(1))
kernel("a_function_of_a_table", before=table, body="  table[d[0]](out, t);")
kernel("another_function_of_a_table", "race", before=table, body="  table[d[0] + 1](out, t);")
kernel("a_call_on_a_local_array", before=add, body="  int own[4] = {t, 0, 0, 0}; add(own, 4); out[t] = own[t % 4];")
kernel("a_call_on_shared_memory", before=add, body="  __shared__ int s[64]; s[t] = t; __syncthreads(); if (t < 16) add(s + 4 * t, 4); __syncthreads(); out[t] = s[63 - t];")  # fmt: skip
kernel("a_call_on_shared_memory_of_others", "race", before=add, body="  __shared__ int s[64]; s[t] = t; if (t < 16) add(s + 4 * t, 4); __syncthreads(); out[t] = s[63 - t];")  # fmt: skip
kernel("past_an_array_of_such_a_function", "bounds", before="__device__ int last(int n, int m) { int own[4] = {}; for (int k = 0; k <= m; ++k) own[k] = n + k; return n > 0 ? last(n - 1, m) + own[n & 3] : own[0]; }", body="  out[t] = last(t % 3, n / 16);")  # fmt: skip
kernel("a_name_in_such_a_function", "race", before="__device__ int sum; __device__ int count(int n) { sum += n; return n > 0 ? count(n - 1) + sum : sum; }", body="  out[t] = count(t % 3);")  # fmt: skip

# ── structures of a thread's own ──────────────────────────────────────────────────────────

fields = "struct Fields { unsigned a : 5; int b : 7; int c : 20; };\n"
written = (
    "{0} Fields own[{1}]; for (int i = 0; i < 4; ++i) {{ own[{2}i].a = i; own[{2}i].b = -i; own[{2}i].c = 0; }}\n  "
)
kernel(
    "bitfields_of_its_own",
    before=fields,
    body=written.format("", 4, "") + "out[t] = own[d[t] & 3].a + own[d[t] & 1].b;",
)
kernel("bitfields_in_shared_memory", before=fields, body=written.format("__shared__", 256, "t * 4 + ") + "out[t] = own[t * 4 + (d[t] & 3)].a;")  # fmt: skip
kernel("a_bitfield_that_nobody_wrote", "uninitialised", before=fields, body="Fields own[4]; own[d[t] & 1].a = t; out[t] = own[2 + (d[t] & 1)].a;")  # fmt: skip
wide = "struct Wide { unsigned long long a : 20, b : 30, c : 14; };\n"
each = "for (int i = 0; i < 4; ++i) {{ own[i].{} }} out[t] = own[d[t] & 3].a + own[d[t] & 1].b + own[d[t] & 2].c;"
kernel(
    "the_highest_bits_set_to_nothing",
    before=fields,
    body="Fields own[4]; own[d[t] & 3].c = 0; out[t] = own[d[t] & 3].c;",
)
kernel("the_highest_bits_of_shared_memory", before=fields, body="__shared__ Fields s[64]; s[t].c = 0; s[t].a = t; s[t].b = 1; __syncthreads(); out[t] = s[63 - t].a + s[t].c;")  # fmt: skip
kernel("two_bitfields_of_64_bits_in_a_row", before=wide, body="Wide own[4]; " + each.format("a = i; own[i].b = t; own[i].c = 1;"))  # fmt: skip
kernel("bitfields_from_above_set_to_nothing", before=wide, body="Wide own[4]; own[d[t] & 3].c = 0; own[d[t] & 3].b = 0; own[d[t] & 3].a = 0; out[t] = own[d[t] & 3].a;")  # fmt: skip
kernel("bitfields_that_each_arm_sets", before=fields, body="Fields own[4]; " + each.format("a = 1; if (d[t] > 3) own[i].c = 0; else own[i].c = 5; own[i].b = 0;"))  # fmt: skip
kernel("signed_bitfields_of_a_short", before="struct S { short a : 3, b : 10, c : 3; };\n", body="S own[4]; " + each.format("c = 0; own[i].b = -t; own[i].a = -1;"))  # fmt: skip
kernel("another_bitfield_than_was_written", "uninitialised", before=fields, body="Fields own[4]; own[d[t] & 3].a = t; out[t] = own[d[t] & 3].c;")  # fmt: skip
kernel("a_bitfield_beside_one_that_was_written", "uninitialised", before=fields, body="Fields own[4]; own[d[t] & 3].a = t; out[t] = own[d[t] & 3].b;")  # fmt: skip
kernel("another_bitfield_of_64_bits", "uninitialised", before=wide, body="Wide own[4]; own[d[t] & 3].a = t; own[d[t] & 3].c = 1; out[t] = own[d[t] & 3].b;")  # fmt: skip
kernel("a_bitfield_counted_from_nothing", "uninitialised", before=fields, body="Fields own[4]; own[d[t] & 3].a = 1; own[d[t] & 3].b++; out[t] = own[d[t] & 3].b;")  # fmt: skip
kernel("the_highest_bits_kept_of_nothing", "uninitialised", body="unsigned own[4]; own[d[t] & 3] &= 0xfffff000u; out[t] = own[d[t] & 3];")  # fmt: skip
kernel("bits_added_to_nothing", "uninitialised", body="int own[4]; own[d[t] & 3] |= 1; out[t] = own[d[t] & 3];")
kernel("pointers_to_its_own_in_an_array", grid=2, body="  int a = t, b = 2, *p[3] = {&a, &b, &a}; *p[d[t] % 3] = 5; *p[(d[t] + 1) % 3] ^= a; out[blockIdx.x * 64 + t] = a + b;")  # fmt: skip
kernel("a_pointer_to_a_pointer_to_its_own", body="  int a = t, b = 2, *p = &a, *q = &b, **which = d[t] % 3 ? &p : &q; **which = 5; int* s = p; p = q; q = s; **which += t; out[t] = a + b;")  # fmt: skip
kernel("a_pointer_to_its_own_or_to_all", "race", body="  int a = t, *p[2] = {&a, out}; *p[d[t] % 2] = 5; out[t] += a;")
gap = """struct Gap { unsigned short a; int b; unsigned long long c; };
__device__ __noinline__ Gap changed(Gap gap, int by) { Gap other = gap; other.b += by; return by & 1 ? other : gap; }
"""
kernel("a_gap_in_a_structure", before=gap, body="Gap own[3]; for (int i = 0; i < 3; ++i) { own[i].a = i; own[i].b = i; own[i].c = i; }\n  own[d[t] & 1] = changed(own[d[t] & 1], t); out[t] = own[d[t] & 1].b;")  # fmt: skip


# ── what a task has made and shows to others ──────────────────────────────────────────────


class Settings:
    def __init__(self):
        self.now, self.lock = {}, threading.Lock()


def settings_that_two_replace(lock_of, is_changed_afterwards=False):
    settings = Settings()

    def put(key):
        with lock_of(settings):
            new = dict(settings.now)
            new[key] = 1
            settings.now = new
        if is_changed_afterwards:
            new[key] = 2

    def look():
        with settings.lock:
            now = settings.now
        return now.get("a")

    run(lambda: put("a"), lambda: put("b"), look)


@threads()
def a_copy_that_replaces_under_a_lock():
    settings_that_two_replace(lambda settings: settings.lock)


@threads("race")
def a_copy_that_replaces_without_a_lock():
    settings_that_two_replace(lambda settings: threading.Lock())


@threads("race")
def a_copy_that_is_changed_after_it_replaced():
    settings_that_two_replace(lambda settings: settings.lock, is_changed_afterwards=True)


@threads()
def rows_that_are_filled_and_then_listed():
    rows, lock = [], threading.Lock()

    def fill():
        row = np.zeros(4)
        row[:] = 1
        with lock:
            rows.append(row)

    def look():
        with lock:
            found = list(rows)
        return [row.sum() for row in found]

    run(fill, fill, look)


@threads("race")
def a_row_filled_after_its_part_is_listed():
    rows, lock = [], threading.Lock()

    def fill():
        row = np.zeros(4)
        part = row[1:]
        with lock:
            rows.append(part)
        row[2] = 1

    def look():
        with lock:
            found = list(rows)
        return [row.sum() for row in found]

    run(fill, look)


def stores_at(*places):
    x = np.zeros((2, 4))

    def store(where):
        x[where] = 1

    run(*(lambda where=where: store(where) for where in places))


@threads()
def positions_that_lie_apart():
    stores_at(([0, 1], [1, 3]), ([1, 0], [1, 3]))


@threads("race")
def positions_that_meet():
    stores_at(([0, 1], [1, 3]), ([1, 0], [3, 0]))


@threads()
def a_mask_and_its_opposite():
    mask = np.arange(8).reshape(2, 4) % 3 == 0
    stores_at(mask, ~mask)


@threads("race")
def a_mask_beside_a_row():
    stores_at(np.arange(8).reshape(2, 4) % 3 == 0, 1)


@threads("race")
def what_comes_first_says_nothing_of_the_rest():
    kept = [0, 0]

    def keep(i):
        kept[i] = i

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(keep, i) for i in range(2)]
        concurrent.futures.wait(calls, return_when=concurrent.futures.FIRST_COMPLETED)
        sum(kept)


@threads()
def what_comes_first_is_asked_for_its_result():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(lambda i=i: [i]) for i in range(2)]
        done, _ = concurrent.futures.wait(calls, return_when=concurrent.futures.FIRST_COMPLETED)
        done.pop().result()[0] += 1


# ── where warps' lanes run to their end, and what an atomic reads ─────────────────────────

turned = "  __shared__ int s[32]; s[t] = d[t]; __syncwarp();\n  int v = s[(t + 1) % 32]; {} s[t] = v;"
kernel("lanes_that_turn_and_end", "race", block=32, body=turned.format(""))
kernel("lanes_that_turn_behind_two_barriers", block=32, body=turned.format("__syncwarp();"))
counted = "  __shared__ int c; {} atomicAdd(&c, 1); __syncthreads(); out[t] = c;"
kernel("counted_from_nothing", "uninitialised", body=counted.format(""))
kernel("counted_from_zero", body=counted.format("if (t == 0) c = 0; __syncthreads();"))
kernel("counted_from_a_swapped_zero", body=counted.format("if (t == 0) atomicExch(&c, 0); __syncthreads();"))
kernel(
    "a_structure_filled_up_by_its_alignment",
    before="struct alignas(16) P { short a; int b; short c; unsigned v[3]; __device__ P turned() const { P r = *this; r.v[0] = v[1]; return r; } };",
    body="  P p = {1, t, 1, {1, 2, 3}}, q[2] = {p, p.turned()}; p.v[d[t] % 3] = 5; q[t & 1] = d[t] & 1 ? p : p.turned(); out[t] = q[t & 1].v[d[t] % 3];",
)
kernel(
    "a_structure_copied_with_what_lies_behind_its_members",
    before="struct alignas(16) P { long long a; short b; int v[4]; __device__ P turned() const { P r = *this; r.v[0] = v[1]; return r; } };",
    body="  P p = {t, 1, {t, 2, 3, 4}}, q[2]; p.v[d[t] & 3] = 5; q[t & 1] = d[t] & 1 ? p : p.turned(); out[t] = q[t & 1].v[d[t] & 3];",
)

# ── barriers of a part of the block ───────────────────────────────────────────────────────

kernel("a_barrier_of_some_threads", body='  __shared__ int s[64]; s[t] = d[t]; if (t < 32) { asm volatile("bar.sync 1, 32;"); d[t] = s[31 - t]; }')  # fmt: skip


# ── what reads all of a thing without a call ──────────────────────────────────────────────

READS = {
    "operand": lambda x: x + x,
    "compared": lambda x: x == 3,
    "opposite": lambda x: -np.asarray(x) if isinstance(x, list) else -x,
    "starred": lambda x: [*x],
    "in_a_text": lambda x: f"{x}",
    "taken_apart": lambda x: taken_apart(x),
}


def taken_apart(x):
    first, *rest = x
    return first


for name, reader in READS.items():
    for kind, thing in (("list", lambda: [1, 2]), ("row", lambda: np.arange(2))):
        for is_written in (False, True):

            def read_beside(reader=reader, thing=thing, is_written=is_written):
                x = thing()

                def write():
                    if is_written:
                        x[0] = 5

                run(write, lambda: reader(x))

            read_beside.__name__ = f"{kind}_{name}_{'beside_a_store' if is_written else 'by_two'}"
            threads(*["race"] * is_written)(read_beside)


@threads("race")
def a_dict_poured_into_another():
    x = {1: 2}

    def write():
        x[3] = 4

    run(write, lambda: {**x})


@threads("race")
def two_dicts_poured_into_one():
    box = {"words": {}}

    def pour():
        words = box["words"]
        words |= {1: 2}

    run(pour, pour)

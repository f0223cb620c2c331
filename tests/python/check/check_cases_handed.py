"""More cases for test_check_cases: what is handed from one to the other — buffers in queues, halves of an array, streams, phases."""

import concurrent.futures
import queue
import threading

import kasoku as ks
import numpy as np
from check_cases import case


def side_by_side(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def kernel(text, *arguments, **shape):
    return ks.check(ks.RawKernel(text, "k"), *arguments, **shape)


def ints(n):
    return np.zeros(n, np.int32)


def passed_on(comes_back):
    full, empty, total = queue.Queue(), queue.Queue(), [0]
    empty.put(np.zeros(4))
    one = np.zeros(4)

    def fill():
        for i in range(4):
            row = empty.get() if comes_back else one
            row[:] = i
            full.put(row)
        full.put(None)

    def add():
        while (row := full.get()) is not None:
            total[0] += row.sum()
            empty.put(row)

    return ks.check(lambda: side_by_side(fill, add))


@case()
def a_buffer_that_comes_back():
    return passed_on(True)


@case("race")
def a_buffer_that_is_filled_again_at_once():
    return passed_on(False)


def views(a, x, y):
    def more(part):
        part += 1

    return ks.check(lambda: side_by_side(lambda: more(x), lambda: more(y)))


@case()
def columns_of_two_threads():
    a = np.zeros((4, 6))
    return views(a, a[:, :3], a[:, 3:])


@case()
def even_and_odd_places():
    a = np.zeros(10)
    return views(a, a[::2], a[1::2])


@case("race")
def halves_that_overlap():
    a = np.zeros(10)
    return views(a, a[:6], a[5:])


@case()
def readers_that_lock_a_writer_out():
    door, writing, readers, data = threading.Lock(), threading.Lock(), [0], [0]

    def read():
        with door:
            readers[0] += 1
            if readers[0] == 1:
                writing.acquire()
        x = data[0]
        with door:
            readers[0] -= 1
            if readers[0] == 0:
                writing.release()
        return x

    def write():
        with writing:
            data[0] += 1

    return ks.check(lambda: side_by_side(read, write, read))


@case("race")
def results_that_workers_add():
    total = [0]

    def add(future):
        total[0] += future.result()

    def program():
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for i in range(4):
                pool.submit(abs, -i).add_done_callback(add)

    return ks.check(program)


@case()
def results_as_they_come():
    total = [0]

    def square(i):
        return i * i

    def program():
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for future in concurrent.futures.as_completed([pool.submit(square, i) for i in range(5)]):
                total[0] += future.result()

    return ks.check(program)


@case()
def two_streams_and_one_array():
    """Nothing that the program says orders them, but the engine does: a use waits for the stream that used the array last."""
    add = ks.RawKernel("__global__ void k(int *x, int v) { x[threadIdx.x] += v; }", "k")

    def program():
        x = ks.zeros(32, dtype="int32")
        for v in (1, 2):
            with ks.Stream():
                add((1,), (32,), (x, np.int32(v)))

    return ks.check(program)


RING = """__global__ void k(int *x) { __shared__ int s[64]; int t = threadIdx.x;
  if (t < 32) { s[t] = t; asm volatile("bar.arrive 1, 64;" ::: "memory"); %s }
  else { asm volatile("bar.sync 1, 64;" ::: "memory"); x[t - 32] = s[t - 32]; } }"""


@case()
def half_a_block_that_only_arrives():
    return kernel(RING % "", ints(32), block=(64, 1, 1))


@case("race")
def half_a_block_that_arrives_and_goes_on_writing():
    return kernel(RING % "s[t] = 0;", ints(32), block=(64, 1, 1))


PARTS = """extern __shared__ char s[]; __global__ void k(int *x) { float *f = (float *)s; short *h = (short *)(s + %d); int t = threadIdx.x;
  f[t] = t; h[t] = t; __syncthreads(); x[t] = (int)f[15 - t] + h[15 - t]; }"""


@case()
def two_arrays_in_one_memory():
    return kernel(PARTS % 64, ints(16), block=(16, 1, 1), shared=128)


@case("race")
def two_arrays_of_which_one_begins_too_early():
    return kernel(PARTS % 60, ints(16), block=(16, 1, 1), shared=128)


COPIED = """#include <cuda_pipeline.h>
__global__ void k(const int *a, int *x) { __shared__ __align__(16) int s[64]; int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &a[t], 4); __pipeline_commit(); __pipeline_wait_prior(0); %s x[t] = s[63 - t]; }"""


@case()
def a_copy_that_all_wait_for():
    return kernel(COPIED % "__syncthreads();", ints(64), ints(64), block=(64, 1, 1))


@case("race")
def a_copy_that_each_waits_for_alone():
    return kernel(COPIED % "", ints(64), ints(64), block=(64, 1, 1))

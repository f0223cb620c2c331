"""What hangs together, as text of kernels: trees of numbers that threads join, and a graph's strong components."""

from .kernels import kernel

# A root is its own number, and others lead to lesser ones. Threads may write a way that is shorter at any time: it leads to the same root.
preamble = """
      __device__ int root_of(volatile int *roots, int at) {
        for (int next = roots[at]; next != at; next = roots[at]) {
          const int after = roots[next];
          if (after != next) roots[at] = after;
          at = after;
        }
        return at;
      }
      // The greater root becomes a child of the lesser one, unless another thread was faster.
      __device__ void join_trees(int *roots, int a, int b) {
        while (true) {
          a = root_of(roots, a);
          b = root_of(roots, b);
          if (a == b) return;
          const int high = a < b ? b : a, low = a < b ? a : b;
          if (atomicCAS(&roots[high], high, low) == high) return;
        }
      }"""

join_pairs = kernel("int32 a, int32 b", "raw int32 roots", "join_trees(&roots[0], a, b)", "join_pairs", preamble)
find_roots = kernel(
    "raw int32 of", "raw int32 roots", "if (roots[i] >= 0) roots[i] = root_of(&roots[0], i);", "find_roots", preamble)  # fmt: skip

# Tarjan's algorithm by one thread, in a time that grows with nodes and edges alone. What waits in `stack` is visited and of no
# component yet; `low` is the first visited node that the edges seen so far lead back to.
strong_components = kernel(
    "raw int32 begins, raw int32 ends, int32 n",
    "raw int32 next, raw int32 visited, raw int32 low, raw int32 parent, raw int32 stack, raw int32 found",
    """
      int count = 0, waiting = 0;
      for (int first = 0; first < n; first++) {
        if (visited[first] >= 0) continue;
        int node = first, before = -1;
        bool is_new = true;
        while (true) {
          if (is_new) {
            visited[node] = low[node] = count++;
            next[node] = begins[node];
            parent[node] = before;
            stack[waiting++] = node;
            is_new = false;
          }
          if (next[node] < begins[node + 1]) {
            const int other = ends[next[node]++];
            if (visited[other] < 0) {
              before = node;
              node = other;
              is_new = true;
            } else if (found[other] < 0 && visited[other] < low[node]) {
              low[node] = visited[other];
            }
            continue;
          }
          if (low[node] == visited[node]) {
            int member;
            do {
              member = stack[--waiting];
              found[member] = node;
            } while (member != node);
          }
          const int above = parent[node];
          if (above < 0) break;
          if (low[node] < low[above]) low[above] = low[node];
          node = above;
        }
      }""",
    "strong_components",
)

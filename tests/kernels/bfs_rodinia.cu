struct Node { int starting; int no_of_edges; };
extern "C" __global__ void bfs_step(const Node* nodes, const int* edges, bool* mask, bool* updating, const bool* visited, int* cost, int n) {
  int tid = blockIdx.x * 512 + threadIdx.x;
  if (tid < n && mask[tid]) {
    mask[tid] = false;
    for (int i = nodes[tid].starting; i < (nodes[tid].no_of_edges + nodes[tid].starting); i++) {
      int id = edges[i];
      if (!visited[id]) {
        cost[id] = cost[tid] + 1;
        updating[id] = true;
      }
    }
  }
}

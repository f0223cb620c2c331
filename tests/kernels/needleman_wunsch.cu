// The wave front of Rodinia's nw: a barrier in a loop whose work shrinks and grows.
#define B 16
extern "C" __global__ void tile(const int* reference, int* matrix, int cols, int penalty, int bx, int by) {
  int tx = threadIdx.x;
  int corner = cols * B * by + B * bx;
  __shared__ int temp[B + 1][B + 1], ref[B][B];
  if (tx == 0) temp[0][0] = matrix[corner];
  for (int ty = 0; ty < B; ty++) ref[ty][tx] = reference[corner + cols * (ty + 1) + tx + 1];
  __syncthreads();
  temp[tx + 1][0] = matrix[corner + cols * (tx + 1)];
  __syncthreads();
  temp[0][tx + 1] = matrix[corner + tx + 1];
  __syncthreads();
  for (int m = 0; m < B; m++) {
    if (tx <= m) {
      int x = tx + 1, y = m - tx + 1;
      temp[y][x] = max(max(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty), temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int m = B - 2; m >= 0; m--) {
    if (tx <= m) {
      int x = tx + B - m, y = B - tx;
      temp[y][x] = max(max(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty), temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int ty = 0; ty < B; ty++) matrix[corner + cols * (ty + 1) + tx + 1] = temp[ty + 1][tx + 1];
}

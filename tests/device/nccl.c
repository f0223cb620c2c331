/* An NCCL for processes whose GPUs' memory is the host's (two_gpus.c), for tests of what is asked of it: libnccl.so.2 in
   $CUDA_HOME/lib64. Processes meet in files below the folder that NCCL_FILES names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { char bytes[128]; } unique_id;
typedef struct { int rank, size, calls; int sent[8], received[8]; } group;
static const int size_of[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

static void put(const char *name, int call, int from, int to, const void *data, size_t bytes) {
  char path[600], hidden[620];
  snprintf(path, sizeof path, "%s/%s-%d-%d-%d", getenv("NCCL_FILES"), name, call, from, to);
  snprintf(hidden, sizeof hidden, "%s.tmp", path);
  FILE *file = fopen(hidden, "wb");
  fwrite(data, 1, bytes, file);
  fclose(file);
  rename(hidden, path);
}
static int get(const char *name, int call, int from, int to, void *data, size_t bytes) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s-%d-%d-%d", getenv("NCCL_FILES"), name, call, from, to);
  for (int turn = 0; turn < 20000; ++turn, usleep(1000)) {
    FILE *file = fopen(path, "rb");
    if (!file) continue;
    size_t got = fread(data, 1, bytes, file);
    int more = fgetc(file) != EOF;
    fclose(file);
    return got != bytes || more;
  }
  return 1;
}
const char *ncclGetErrorString(int status) { return status == 4 ? "an argument is wrong" : "the others did not call the same"; }
int ncclGetUniqueId(unique_id *id) { return memset(id, 7, sizeof *id), 0; }
int ncclCommInitRank(group **made, int size, unique_id id, int rank) {
  for (int i = 0; i < 128; ++i)
    if (id.bytes[i] != 7) return 4;
  *made = calloc(1, sizeof **made);
  (*made)->rank = rank, (*made)->size = size;
  return 0;
}
int ncclCommDestroy(group *g) { return free(g), 0; }
int ncclAllGather(const void *from, void *to, size_t count, int type, group *g, void *stream) {
  size_t bytes = count * size_of[type];
  if (!stream) return 4;
  put("gather", ++g->calls, g->rank, 0, from, bytes);
  for (int rank = 0; rank < g->size; ++rank)
    if (get("gather", g->calls, rank, 0, (char *)to + rank * bytes, bytes)) return 5;
  return 0;
}
#define COMBINE(T)                                                                                              \
  for (size_t i = 0; i < count; ++i) {                                                                          \
    T total = ((T *)all)[offset + i];                                                                           \
    for (int rank = 1; rank < g->size; ++rank) {                                                                \
      T x = ((T *)all)[rank * every + offset + i];                                                              \
      total = operation == 0 ? total + x : operation == 1 ? total * x : (operation == 2) == (x > total) ? x : total; \
    }                                                                                                           \
    ((T *)to)[i] = total;                                                                                       \
  }
static int combine(const void *from, void *to, size_t every, size_t offset, size_t count, int type, int operation, group *g, void *stream) {
  char *all = malloc(every * size_of[type] * g->size + 1);
  int status = ncclAllGather(from, all, every, type, g, stream);
  if (!status) {
    if (type == 7) { COMBINE(float) } else if (type == 8) { COMBINE(double) } else if (type == 4) { COMBINE(int64_t) } else status = 4;
  }
  return free(all), status;
}
int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, group *g, void *stream) {
  return combine(from, to, count, 0, count, type, operation, g, stream);
}
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int operation, group *g, void *stream) {
  return combine(from, to, count * g->size, count * g->rank, count, type, operation, g, stream);
}
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, group *g, void *stream) {
  ++g->calls;
  if (g->rank == root) put("broadcast", g->calls, root, 0, from, count * size_of[type]);
  return get("broadcast", g->calls, root, 0, to, count * size_of[type]) ? 5 : 0;
}
int ncclSend(const void *from, size_t count, int type, int rank, group *g, void *stream) {
  return put("send", ++g->sent[rank], g->rank, rank, from, count * size_of[type]), 0;
}
int ncclRecv(void *to, size_t count, int type, int rank, group *g, void *stream) {
  return get("send", ++g->received[rank], rank, g->rank, to, count * size_of[type]) ? 5 : 0;
}

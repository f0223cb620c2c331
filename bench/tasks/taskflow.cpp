// Independent tasks of one number with Taskflow: seconds of a run, and of building its graph.
#include <chrono>
#include <cstdint>
#include <vector>

#include <taskflow/taskflow.hpp>

extern "C" void costs(int64_t n, int workers, double* building, double* running) {
  using Clock = std::chrono::steady_clock;
  static tf::Executor executor(workers);
  std::vector<int64_t> results(n);
  const auto start = Clock::now();
  tf::Taskflow flow;
  for (int64_t k = 0; k < n; ++k) flow.emplace([&results, k] { results[k] = k + 1; });
  const auto middle = Clock::now();
  executor.run(flow).wait();
  const auto end = Clock::now();
  *building = std::chrono::duration<double>(middle - start).count();
  *running = results[n - 1] == n ? std::chrono::duration<double>(end - middle).count() : -1;
}

// A thread on which libtorch, cuDNN and cuBLAS load and record networks for one partition.
//
// They keep handles, workspaces and the algorithms that they have chosen for each thread, and do
// not ask for which multiprocessors these were chosen. So a partition has threads of its own:
// whoever loads a network finds algorithms that were chosen for this partition, and whoever makes a
// run records those that were chosen when the network was loaded.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace fairlead {

class LibraryThread {
 public:
  LibraryThread();  // throws std::system_error where there are no more threads
  ~LibraryThread();
  LibraryThread(const LibraryThread&) = delete;
  LibraryThread& operator=(const LibraryThread&) = delete;

  // Until it is done, whoever else waits for another. What it throws is thrown here.
  void Do(const std::function<void()>& work);

 private:
  void Serve();

  std::mutex turn_;   // held by the one whose work is done
  std::mutex mutex_;  // guards the next four
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  // none: nothing to do
  std::exception_ptr thrown_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fairlead

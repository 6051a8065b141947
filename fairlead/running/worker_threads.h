// The same work on several threads: runs side by side.
#pragma once

#include <functional>

namespace fairlead {

// Does the work on up to `threads` threads, the caller's among them, and returns when all have done
// it: on fewer where the system gives no more. Work that throws ends on its thread alone; what was
// thrown first is thrown again here, when all have ended.
void WorkOnThreads(int threads, const std::function<void()>& work);

}  // namespace fairlead

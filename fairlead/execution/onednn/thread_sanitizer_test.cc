// What ThreadSanitizer cannot see into: OpenMP and oneDNN are not built with it, so it does not
// know how their threads wait for each other.
#if defined(__SANITIZE_THREAD__)

// The sanitizer looks for this name.
extern "C" const char* __tsan_default_suppressions() {  // NOLINT
  return "called_from_lib:libgomp.so.1\n"
         "called_from_lib:libdnnl.so.2\n"
         "race:openmp_team.cc\n";
}

#endif

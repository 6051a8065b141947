#include "benchmarks/onnxruntime_library.h"

#include <dlfcn.h>

#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace fairlead {

// The C interface of ONNX Runtime is a struct of pointers to functions, to which versions only ever
// append. These are the entries that we call, at their places; all objects are opaque, and an error
// is an object, success null.
struct OnnxRuntimeTable {
  using Entry = void (*)();
  template <std::size_t count>
  using Others = Entry[count];

  Others<2> from_0;
  const char* (*error_message)(const void* error);  // 2
  void* (*create_environment)(int log_level, const char* log_name, void** environment);
  Others<3> from_4;
  void* (*create_session)(void* environment, const char* file, const void* options, void** session);
  Others<1> from_8;
  void* (*run)(void* session, const void* run_options, const char* const* input_names,
               const void* const* inputs, std::size_t input_count, const char* const* output_names,
               std::size_t output_count, void** outputs);  // 9
  void* (*create_options)(void** options);
  Others<2> from_11;
  void* (*set_execution_mode)(void* options, int mode);  // 13
  Others<9> from_14;
  void* (*set_optimization_level)(void* options, int level);  // 23
  void* (*set_threads_within_operators)(void* options, int threads);
  void* (*set_threads_across_operators)(void* options, int threads);
  Others<4> from_26;
  void* (*input_count)(const void* session, std::size_t* count);  // 30
  void* (*output_count)(const void* session, std::size_t* count);
  Others<4> from_32;
  void* (*input_name)(const void* session, std::size_t index, void* allocator, char** name);  // 36
  void* (*output_name)(const void* session, std::size_t index, void* allocator, char** name);
  Others<11> from_38;
  void* (*create_tensor)(const void* memory, void* numbers, std::size_t bytes,
                         const std::int64_t* dims, std::size_t dim_count, int type,
                         void** value);  // 49
  Others<19> from_50;
  void* (*create_cpu_memory)(int allocator_type, int memory_type, void** memory);  // 69
  Others<6> from_70;
  void* (*free)(void* allocator, void* block);  // 76
  Others<1> from_77;
  void* (*default_allocator)(void** allocator);  // 78
  Others<13> from_79;
  void (*release_environment)(void* environment);  // 92
  void (*release_error)(void* error);
  void (*release_memory)(void* memory);
  void (*release_session)(void* session);
  void (*release_value)(void* value);
  Others<3> from_97;
  void (*release_options)(void* options);  // 100
};

namespace {

constexpr std::size_t PlaceOf(std::size_t offset) {
  return offset / sizeof(OnnxRuntimeTable::Entry);
}
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, run)) == 9);
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, set_optimization_level)) == 23);
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, input_name)) == 36);
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, create_tensor)) == 49);
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, create_cpu_memory)) == 69);
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, default_allocator)) == 78);
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, release_environment)) == 92);
static_assert(PlaceOf(offsetof(OnnxRuntimeTable, release_options)) == 100);

// What the one exported function returns.
struct OnnxRuntimeEntrance {
  const OnnxRuntimeTable* (*table)(std::uint32_t version);
  const char* (*version_text)();
};

constexpr std::uint32_t kTableVersion = 1;  // all that we call was there from the first
// Values of its enumerations.
constexpr int kLogErrors = 3;
constexpr int kSequential = 0;
constexpr int kAllOptimizations = 99;
constexpr int kFloat = 1;
constexpr int kDeviceAllocator = 0;
constexpr int kDefaultMemory = 0;

Status Checked(const OnnxRuntimeTable& table, void* error) {
  if (error == nullptr) return {};
  const std::string message = table.error_message(error);
  table.release_error(error);
  return Fail("ONNX Runtime: {}", message);
}

}  // namespace

// ---- Sessions ------------------------------------------------------------------------------

OnnxRuntimeSession::~OnnxRuntimeSession() {
  for (void* value : input_values_) table_.release_value(value);
  for (void* value : output_values_) table_.release_value(value);
  if (memory_ != nullptr) table_.release_memory(memory_);
  if (session_ != nullptr) table_.release_session(session_);
}

Status OnnxRuntimeSession::Run() {
  return Checked(table_, table_.run(session_, nullptr, input_names_.data(), input_values_.data(),
                                    input_values_.size(), output_names_.data(),
                                    output_values_.size(), output_values_.data()));
}

Status OnnxRuntimeSession::AddTensors(bool outputs, const std::vector<PeerDims>& dims) {
  const auto count_of = outputs ? table_.output_count : table_.input_count;
  const auto name_of = outputs ? table_.output_name : table_.input_name;
  std::size_t count = 0;
  RETURN_IF_ERROR(Checked(table_, count_of(session_, &count)));
  if (count != dims.size())
    return Fail("ONNX Runtime sees {} {}, we see {}", count, outputs ? "outputs" : "inputs",
                dims.size());
  void* allocator = nullptr;
  RETURN_IF_ERROR(Checked(table_, table_.default_allocator(&allocator)));

  std::vector<Tensor>& tensors = outputs ? outputs_ : inputs_;
  tensors.resize(count);  // names and numbers stay where they are from here on
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    RETURN_IF_ERROR(Checked(table_, name_of(session_, i, allocator, &name)));
    tensors[i].name = name;
    RETURN_IF_ERROR(Checked(table_, table_.free(allocator, name)));
    const auto elements =
        std::reduce(dims[i].begin(), dims[i].end(), std::int64_t{1}, std::multiplies<>());
    tensors[i].numbers.resize(static_cast<std::size_t>(elements));
    void* value = nullptr;
    RETURN_IF_ERROR(
        Checked(table_, table_.create_tensor(memory_, tensors[i].numbers.data(),
                                             tensors[i].numbers.size() * sizeof(float),
                                             dims[i].data(), dims[i].size(), kFloat, &value)));
    (outputs ? output_values_ : input_values_).push_back(value);
    (outputs ? output_names_ : input_names_).push_back(tensors[i].name.c_str());
  }
  return {};
}

// ---- The library ---------------------------------------------------------------------------

Result<std::unique_ptr<OnnxRuntime>> OnnxRuntime::Load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Fail("{}", dlerror());
  using Entrance = const OnnxRuntimeEntrance* (*)();
  const auto entrance = reinterpret_cast<Entrance>(dlsym(library, "OrtGetApiBase"));
  if (entrance == nullptr) return Fail("{}: no library of ONNX Runtime", path);
  const OnnxRuntimeTable* const table = entrance()->table(kTableVersion);
  if (table == nullptr) return Fail("{}: hands out no table of functions", path);
  std::unique_ptr<OnnxRuntime> runtime(new OnnxRuntime(*table, entrance()->version_text()));
  RETURN_IF_ERROR(
      Checked(*table, table->create_environment(kLogErrors, "peer", &runtime->environment_)));
  return runtime;
}

OnnxRuntime::~OnnxRuntime() {
  if (environment_ != nullptr) table_.release_environment(environment_);
}

Result<void*> OnnxRuntime::MakeOptions(const OnnxRuntimeOptions& options) const {
  void* made = nullptr;
  RETURN_IF_ERROR(Checked(table_, table_.create_options(&made)));
  RETURN_IF_ERROR(Checked(table_, table_.set_execution_mode(made, kSequential)));
  RETURN_IF_ERROR(Checked(table_, table_.set_optimization_level(made, kAllOptimizations)));
  RETURN_IF_ERROR(Checked(table_, table_.set_threads_within_operators(made, options.threads)));
  RETURN_IF_ERROR(Checked(table_, table_.set_threads_across_operators(made, 1)));
  return made;
}

Result<std::unique_ptr<OnnxRuntimeSession>> OnnxRuntime::Open(const std::string& file,
                                                              const std::vector<PeerDims>& inputs,
                                                              const std::vector<PeerDims>& outputs,
                                                              const OnnxRuntimeOptions& options) {
  std::unique_ptr<OnnxRuntimeSession> session(new OnnxRuntimeSession(table_));
  ASSIGN_OR_RETURN(void* const made, MakeOptions(options));
  const Status created =
      Checked(table_, table_.create_session(environment_, file.c_str(), made, &session->session_));
  table_.release_options(made);
  if (!created.has_value()) return Fail("{}: {}", file, created.error().message);
  RETURN_IF_ERROR(Checked(
      table_, table_.create_cpu_memory(kDeviceAllocator, kDefaultMemory, &session->memory_)));
  RETURN_IF_ERROR(session->AddTensors(false, inputs));
  RETURN_IF_ERROR(session->AddTensors(true, outputs));
  return session;
}

}  // namespace fairlead

# The libraries that we stand on; docs/decisions/0001-dependencies.md says why. Which folder may
# include which is checked by `tools/check fences`.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(Hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(Clp REQUIRED IMPORTED_TARGET clp coinutils)

if(FAIRLEAD_ONNX)
  find_package(Protobuf REQUIRED)  # before ONNX, whose targets name its
  find_package(ONNX REQUIRED)
endif()
if(FAIRLEAD_ONEDNN)
  find_package(dnnl REQUIRED)
endif()
if(FAIRLEAD_SERVE)
  find_package(Boost 1.74 REQUIRED)  # headers alone
  find_package(OpenSSL 3 REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(SQLite3 REQUIRED)
  pkg_check_modules(Postgres REQUIRED IMPORTED_TARGET libpq)
  find_package(Protobuf REQUIRED)
  find_package(gRPC CONFIG REQUIRED)
  # re2 asks for -pthread in so many words, and then precompiled headers do not fit.
  set_property(TARGET re2::re2 PROPERTY INTERFACE_COMPILE_OPTIONS "")
endif()
if(FAIRLEAD_TESTS)
  find_package(GTest REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
if(FAIRLEAD_PEERS)
  pkg_check_modules(SimGrid REQUIRED IMPORTED_TARGET simgrid)
endif()
if(FAIRLEAD_CBC)
  pkg_check_modules(Cbc REQUIRED IMPORTED_TARGET cbc)
elseif(FAIRLEAD_BENCHMARKS)
  pkg_check_modules(Cbc IMPORTED_TARGET cbc)  # without it there is no benchmarks/optimality
endif()

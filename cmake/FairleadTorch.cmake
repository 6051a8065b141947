# Looks for libtorch to train with, and defines Libtorch::Train: Debian's (package libtorch-dev), or
# another one, with or without CUDA, that -DTorch_ROOT=... names: the folder of an unpacked libtorch
# or of Python's package, or what `python3 -c "import torch; print(torch.utils.cmake_prefix_path)"`
# prints. libtorch's own package file would ask for a CUDA compiler and print a page.

function(fairlead_find_libtorch)
  set(roots ${Torch_ROOT} $ENV{Torch_ROOT})
  foreach(root IN LISTS roots)
    if(root MATCHES "^(.*)/share/cmake/?$")
      list(APPEND roots "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  find_path(FAIRLEAD_TORCH_HEADERS torch/csrc/api/include/torch/torch.h
            HINTS ${roots} PATH_SUFFIXES include)
  mark_as_advanced(FAIRLEAD_TORCH_HEADERS)
  set(libraries)
  foreach(name IN ITEMS torch torch_cpu c10)
    find_library(FAIRLEAD_TORCH_${name} ${name} HINTS ${roots} PATH_SUFFIXES lib)
    mark_as_advanced(FAIRLEAD_TORCH_${name})
    list(APPEND libraries "${FAIRLEAD_TORCH_${name}}")
  endforeach()
  if(NOT FAIRLEAD_TORCH_HEADERS OR libraries MATCHES "NOTFOUND")
    message(FATAL_ERROR "FAIRLEAD_TORCH=ON: there is no libtorch; tools/install-packages train "
            "installs Debian's, and -DTorch_ROOT=... names the folder of another one")
  endif()
  # Only beside the one that was found: another one's would not fit.
  cmake_path(GET FAIRLEAD_TORCH_torch_cpu PARENT_PATH folder)
  foreach(name IN ITEMS torch_cuda c10_cuda)
    if(EXISTS "${folder}/lib${name}.so")
      list(APPEND libraries "${folder}/lib${name}.so")
    endif()
  endforeach()

  # Python's folder of headers has other libraries' in it, our own fmt's in another version too.
  set(headers "${PROJECT_BINARY_DIR}/torch_headers")
  file(MAKE_DIRECTORY "${headers}")
  foreach(name IN ITEMS ATen c10 caffe2 torch)
    if(EXISTS "${FAIRLEAD_TORCH_HEADERS}/${name}")
      file(CREATE_LINK "${FAIRLEAD_TORCH_HEADERS}/${name}" "${headers}/${name}" SYMBOLIC)
    endif()
  endforeach()

  add_library(Libtorch::Train INTERFACE IMPORTED GLOBAL)
  target_include_directories(Libtorch::Train SYSTEM INTERFACE
                             "${headers}" "${headers}/torch/csrc/api/include")
  # Nobody calls the part for CUDA by name: it must be linked all the same.
  target_link_libraries(Libtorch::Train INTERFACE -Wl,--no-as-needed ${libraries} -Wl,--as-needed)
  message(STATUS "Training: with ${FAIRLEAD_TORCH_torch_cpu}")
endfunction()

if(FAIRLEAD_TORCH)
  fairlead_find_libtorch()
endif()

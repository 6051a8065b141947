# Looks for libtorch built with CUDA, and defines Libtorch::Cuda if FAIRLEAD_CUDA allows and it is
# there. libtorch's own package file would ask for a CUDA compiler and print a page.
#
# -DTorch_ROOT=... says where: the folder of an unpacked libtorch, or of Python's package, which
# python3 -c "import torch; print(torch.__path__[0])" prints.

set(FAIRLEAD_CUDA AUTO CACHE STRING "Build what runs networks on NVIDIA GPUs: ON, OFF or AUTO")
set_property(CACHE FAIRLEAD_CUDA PROPERTY STRINGS AUTO ON OFF)

function(fairlead_find_libtorch_cuda)
  find_package(CUDAToolkit 12.4 QUIET)  # the first with green contexts
  find_path(FAIRLEAD_LIBTORCH_HEADERS c10/cuda/CUDACachingAllocator.h
            HINTS "${Torch_ROOT}" ENV Torch_ROOT PATH_SUFFIXES include)
  mark_as_advanced(FAIRLEAD_LIBTORCH_HEADERS)
  set(libraries)
  foreach(name IN ITEMS torch_cuda c10_cuda torch_cpu torch c10)
    find_library(FAIRLEAD_LIBTORCH_${name} ${name}
                 HINTS "${Torch_ROOT}" ENV Torch_ROOT PATH_SUFFIXES lib)
    mark_as_advanced(FAIRLEAD_LIBTORCH_${name})
    list(APPEND libraries ${FAIRLEAD_LIBTORCH_${name}})
  endforeach()
  if(NOT CUDAToolkit_FOUND OR NOT FAIRLEAD_LIBTORCH_HEADERS OR libraries MATCHES "NOTFOUND")
    return()
  endif()

  # libtorch's folder of headers has other libraries' in it, our own fmt's in another version too.
  set(headers "${PROJECT_BINARY_DIR}/libtorch_headers")
  file(MAKE_DIRECTORY "${headers}")
  foreach(folder IN ITEMS ATen c10 caffe2 torch)
    file(CREATE_LINK "${FAIRLEAD_LIBTORCH_HEADERS}/${folder}" "${headers}/${folder}" SYMBOLIC)
  endforeach()

  add_library(Libtorch::Cuda INTERFACE IMPORTED GLOBAL)
  target_include_directories(Libtorch::Cuda INTERFACE "${headers}")
  target_link_libraries(Libtorch::Cuda INTERFACE ${libraries} CUDA::cudart CUDA::cuda_driver)
endfunction()

if(FAIRLEAD_CUDA)
  fairlead_find_libtorch_cuda()
endif()
if(TARGET Libtorch::Cuda)
  message(STATUS "CUDA executors: with ${FAIRLEAD_LIBTORCH_torch_cuda}")
elseif(FAIRLEAD_CUDA STREQUAL "AUTO" OR NOT FAIRLEAD_CUDA)
  message(STATUS "CUDA executors: none (FAIRLEAD_CUDA=${FAIRLEAD_CUDA})")
else()
  message(FATAL_ERROR "FAIRLEAD_CUDA=ON: no CUDA 12.4 or later, or no libtorch built with it; "
          "-DTorch_ROOT=... names libtorch's folder")
endif()

// The doors of this folder in a build without ONNX.
#include "fairlead/networks/onnx/onnx_import.h"

namespace fairlead {
namespace {

tl::unexpected<Error> NotBuilt(std::string_view file) {
  return Fail("{}: this build cannot read ONNX files; build with -DFAIRLEAD_ONNX=ON", file);
}

}  // namespace

Result<ImportedNetwork> ImportOnnx(std::string_view file, std::string_view /*bytes*/) {
  return NotBuilt(file);
}

Result<OperatorGraph> ImportOperators(std::string_view file, std::string_view /*bytes*/,
                                      const OperatorImportOptions& /*options*/) {
  return NotBuilt(file);
}

}  // namespace fairlead

#include "fairlead/networks/onnx/element_types.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace fairlead {

std::optional<ElementType> ElementOf(int onnx_type) {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT: return ElementType::kFp32;
    case onnx::TensorProto::FLOAT16: return ElementType::kFp16;
    case onnx::TensorProto::BFLOAT16: return ElementType::kBf16;
    case onnx::TensorProto::DOUBLE: return ElementType::kFp64;
    case onnx::TensorProto::BOOL: return ElementType::kBool;
    case onnx::TensorProto::INT8: return ElementType::kInt8;
    case onnx::TensorProto::INT16: return ElementType::kInt16;
    case onnx::TensorProto::INT32: return ElementType::kInt32;
    case onnx::TensorProto::INT64: return ElementType::kInt64;
    case onnx::TensorProto::UINT8: return ElementType::kUint8;
    case onnx::TensorProto::UINT16: return ElementType::kUint16;
    case onnx::TensorProto::UINT32: return ElementType::kUint32;
    case onnx::TensorProto::UINT64: return ElementType::kUint64;
    default: return std::nullopt;
  }
}

std::string TypeName(int onnx_type) {
  if (onnx_type == onnx::TensorProto::STRING) return "texts (STRING)";
  if (!onnx::TensorProto::DataType_IsValid(onnx_type))
    return fmt::format("ONNX's type {}", onnx_type);
  return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(onnx_type));
}

}  // namespace fairlead

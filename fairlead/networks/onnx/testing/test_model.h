// Small ONNX files for tests, built operator by operator.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "fairlead/networks/onnx/tensor_info.h"

namespace fairlead {

struct TestAttribute {
  std::string name;
  Dims ints;
};

class TestModel {
 public:
  // With an input "x"; a first dimension of 0 is a batch that is not fixed.
  explicit TestModel(const Dims& input, std::int64_t opset = 13) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
    AddInput("x", input);
  }

  TestModel& AddInput(const std::string& name, const Dims& dims) {
    auto& value = *graph().add_input();
    value.set_name(name);
    auto& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (std::int64_t dim : dims) {
      if (dim == 0) {
        type.mutable_shape()->add_dim()->set_dim_param("batch");
      } else {
        type.mutable_shape()->add_dim()->set_dim_value(dim);
      }
    }
    return *this;
  }

  // Dimensions only; the data would be in another file.
  TestModel& Weights(const std::string& name, const Dims& dims) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (std::int64_t dim : dims) tensor.add_dims(dim);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    return *this;
  }

  TestModel& Floats(const std::string& name, const Dims& dims, const std::vector<float>& values) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (std::int64_t dim : dims) tensor.add_dims(dim);
    for (float value : values) tensor.add_float_data(value);
    return *this;
  }

  TestModel& Integers(const std::string& name, const Dims& numbers) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(numbers.size()));
    for (std::int64_t number : numbers) tensor.add_int64_data(number);
    return *this;
  }

  // Attributes of one number are integers, others lists.
  TestModel& Node(const std::string& type, const std::vector<std::string>& inputs,
                  const std::string& output, const std::vector<TestAttribute>& attributes = {}) {
    auto& node = *graph().add_node();
    node.set_op_type(type);
    node.set_name(output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    for (const TestAttribute& given : attributes) {
      auto& attribute = *node.add_attribute();
      attribute.set_name(given.name);
      if (given.ints.size() == 1) {
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(given.ints[0]);
        continue;
      }
      attribute.set_type(onnx::AttributeProto::INTS);
      for (std::int64_t number : given.ints) attribute.add_ints(number);
    }
    return *this;
  }

  // An attribute more for the last node.
  TestModel& With(const std::string& name, float value) {
    auto& attribute = AddAttribute(name, onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
    return *this;
  }
  TestModel& With(const std::string& name, const std::string& text) {
    auto& attribute = AddAttribute(name, onnx::AttributeProto::STRING);
    attribute.set_s(text);
    return *this;
  }
  // An output more.
  TestModel& AlsoWrites(const std::string& output) {
    graph().mutable_node(graph().node_size() - 1)->add_output(output);
    return *this;
  }

  TestModel& Output(const std::string& name, const Dims& dims = {}) {
    auto& value = *graph().add_output();
    value.set_name(name);
    for (std::int64_t dim : dims) {
      value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
    }
    return *this;
  }

  onnx::ModelProto& proto() { return model_; }
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  std::string Bytes() const { return model_.SerializeAsString(); }

 private:
  onnx::AttributeProto& AddAttribute(const std::string& name,
                                     onnx::AttributeProto::AttributeType type) {
    auto& attribute = *graph().mutable_node(graph().node_size() - 1)->add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }

  onnx::ModelProto model_;
};

}  // namespace fairlead

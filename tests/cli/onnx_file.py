"""Small ONNX files for tests, written without any library."""

FP32, UINT8, INT64, BOOL, FP16 = 1, 2, 7, 9, 10


def field(number, value):
    """A field of a protobuf message: numbers as varints, the rest by its length."""

    def varint(rest):
        out = b""
        while rest > 0x7F:
            out += bytes([rest & 0x7F | 0x80])
            rest >>= 7
        return out + bytes([rest])

    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, kind, dims):
    shape = b"".join(field(1, field(2 if isinstance(dim, str) else 1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(kind, read, made, to=None):
    cast = b"" if to is None else field(5, field(1, "to") + field(3, to) + field(20, 2))
    return field(1, read) + field(2, made) + field(4, kind) + cast


def model(nodes, takes, gives, dims=("batch", 4)):
    """An ONNX file: nodes in a row from x to y."""
    graph = b"".join(field(1, one) for one in nodes) + field(2, "graph")
    graph += field(11, tensor("x", takes, dims)) + field(12, tensor("y", gives, dims))
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def whole(takes, gives):
    """What is below 0 becomes 0, whatever the types."""
    return model([node("Cast", "x", "f", FP32), node("Relu", "f", "r"), node("Cast", "r", "y", gives)], takes, gives)

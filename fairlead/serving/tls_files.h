// What TLS needs of a server, on both wires.
#pragma once

#include <string>

namespace fairlead {

// Files in PEM form.
struct TlsFiles {
  std::string certificates;  // the server's first
  std::string key;
};

}  // namespace fairlead

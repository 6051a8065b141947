// A door before libgrpc, which reads what anybody sends.
//
// libgrpc 1.51 limits how many streams of a connection are open, but not how many are opened and
// given up: each leaves a call of some 16 KB behind that waits for a thread. Nor does it limit a
// header before it has all of it. So the frames are counted as they are read, before libgrpc sees
// them, and a connection that goes too far is cut there.
//
// libgrpc offers no place for this. It reads with functions of other libraries (accept4, recvmsg,
// SSL_read), and the program's own take their places: they call the real ones and count. Whatever
// else the program reads passes through them.
#pragma once

#include <memory>

#include "fairlead/serving/grpc/client_books.h"

namespace fairlead::grpc_room {

// Stands before the server that listens there while it lives.
class GrpcDoor {
 public:
  GrpcDoor(int port, bool tls, std::shared_ptr<ClientBooks> books);
  ~GrpcDoor();
  GrpcDoor(const GrpcDoor&) = delete;
  GrpcDoor& operator=(const GrpcDoor&) = delete;

 private:
  const int port_;
};

}  // namespace fairlead::grpc_room

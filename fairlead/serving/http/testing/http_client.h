// A client for tests, which sends what it is told to, byte by byte if need be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fairlead/serving/http/http_message.h"

namespace fairlead {

class HttpClient {
 public:
  explicit HttpClient(int port);  // connects
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  void Send(std::string_view text);
  // The next reply; status 0: the server has hung up.
  HttpReply Read();
  // A whole request and its reply.
  HttpReply Ask(std::string_view method, std::string_view target, std::string_view body = {},
                std::string_view headers = {});
  // Waits until the server has hung up; whether it had nothing more to say.
  bool WasHungUp();
  void HangUp();

 private:
  bool Fill();
  int socket_ = -1;
  std::string received_;
};

// A header of a reply; empty if there is none.
std::string HeaderOf(const HttpReply& reply, std::string_view name);

}  // namespace fairlead

// Bodies that are sent compressed: gzip, and deflate in zlib's format, which HTTP calls by these
// names. Requests may come so; replies go so to who asks for it.
//
// A small request may stand for a large body: what comes out is held to the same limit as what
// comes in, to a multiple of what came, and to the memory that its tenant may have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlead/serving/http/http_message.h"
#include "fairlead/serving/memory_budget.h"

namespace fairlead {

// Unpacks the body where the request says that it is packed. What is to be answered where that
// cannot be done: another coding (415), more than `most` bytes (413), bytes that are none (400), no
// memory left for it in the share, if there is one (503). Throws std::bad_alloc.
std::optional<HttpReply> UnpackBody(HttpRequest& request, std::int64_t most,
                                    MemoryBudget::Share* share = nullptr);

enum class HttpCoding : std::uint8_t { kNone, kGzip, kDeflate };

// What a client takes, by its header Accept-Encoding.
struct AcceptedCoding {
  HttpCoding coding = HttpCoding::kNone;  // the one that it likes best, of ours
  bool alone = false;                     // it names nothing else
};
AcceptedCoding CodingOf(std::string_view accept_encoding);

// Packs a reply, if that is worth it: from a kilobyte on, and where it becomes smaller. Tensors as
// bytes hardly ever do, so they are packed only for who has asked for just that.
void PackBody(const AcceptedCoding& accepted, HttpReply& reply);

}  // namespace fairlead

#include "fairlead/serving/store/api_key.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <span>

#include "fairlead/base/check.h"

namespace fairlead {
namespace {

constexpr std::string_view kPrefix = "fl-";
constexpr std::size_t kIdLength = 16;
constexpr std::size_t kSecretLength = 64;

KeyDigest DigestOf(std::string_view secret) {
  KeyDigest digest;
  unsigned int size = 0;
  CHECK(EVP_Digest(secret.data(), secret.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  CHECK(size == digest.size());
  return digest;
}

bool IsHex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string Hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

Result<NewKey> MakeApiKey() {
  std::array<unsigned char, (kIdLength + kSecretLength) / 2> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    return Fail("the system has no random numbers for a key");
  const std::span<const unsigned char> all(bytes);
  const std::string id = Hex(all.first(kIdLength / 2));
  const std::string secret = Hex(all.subspan(kIdLength / 2));
  return NewKey{.text = fmt::format("{}{}-{}", kPrefix, id, secret),
                .key = {.id = id, .digest = DigestOf(secret)}};
}

std::optional<ShownKey> ReadApiKey(std::string_view text) {
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  if (text.size() != kIdLength + 1 + kSecretLength || text[kIdLength] != '-') return std::nullopt;
  const std::string_view id = text.substr(0, kIdLength);
  const std::string_view secret = text.substr(kIdLength + 1);
  if (!IsHex(id) || !IsHex(secret)) return std::nullopt;
  return ShownKey{.id = std::string(id), .digest = DigestOf(secret)};
}

bool SameDigest(const KeyDigest& one, const KeyDigest& other) {
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace fairlead

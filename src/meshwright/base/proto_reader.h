// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace meshwright {

/// One field of a message in the protocol-buffer wire format. Its views point into the message.
struct ProtoField {
  int number = 0;
  std::uint64_t value = 0;  // of an integer, boolean or enum, or the bits of a float
  std::string_view bytes;   // of a string, nested message or packed numbers
  std::string_view raw;     // the whole field

  std::int64_t int64() const { return static_cast<std::int64_t>(value); }
};

/// Returns the fields in encoded order. Throws data_loss if the message is truncated or malformed.
std::vector<ProtoField> read_proto(std::string_view message);

/// Appends the numbers of a repeated integer field, packed or not.
void append_integers(const ProtoField& field, std::vector<std::int64_t>& out);

}  // namespace meshwright

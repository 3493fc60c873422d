// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/remedy.h"

#include <algorithm>

namespace meshwright {

std::string before_remedy(std::string message, std::string_view addition) {
  message.insert(std::min(message.find('\n'), message.size()), addition);
  return message;
}

}  // namespace meshwright

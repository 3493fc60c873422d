// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/all_formats.h"

#include "meshwright/base/nearest.h"
#include "meshwright/checkpoint/formats/axlearn.h"
#include "meshwright/checkpoint/formats/native.h"
#include "meshwright/checkpoint/formats/seqax.h"
#include "meshwright/checkpoint/formats/t5x.h"

namespace meshwright::checkpoint {

const std::vector<const Format*>& formats() {
  static const std::vector<const Format*> all = {&axlearn_format(), &t5x_format(), &seqax_format(),
                                                 &native_format()};
  return all;
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const Format* format : formats())
    out.emplace_back(format->name());
  return out;
}

const Format* find_format(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name() == name) return format;
  }
  return nullptr;
}

const Format& format_named(std::string_view name) {
  if (const Format* found = find_format(name)) return *found;
  fail(ErrorCode::invalid_argument, "checkpoint: unknown format '", name, "'",
       did_you_mean(name, format_names()), "\nformats: ", join(format_names(), ", "));
}

}  // namespace meshwright::checkpoint

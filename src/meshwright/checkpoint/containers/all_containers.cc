// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/all_containers.h"

#include <algorithm>
#include <array>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/containers/big_vision.h"
#include "meshwright/checkpoint/containers/flax.h"
#include "meshwright/checkpoint/containers/npz.h"
#include "meshwright/checkpoint/containers/orbax.h"
#include "meshwright/checkpoint/containers/safetensors.h"
#include "meshwright/checkpoint/containers/tensorflow.h"
#include "meshwright/checkpoint/formats/all_formats.h"

namespace meshwright::checkpoint {

const std::vector<const Container*>& containers() {
  static const std::vector<const Container*> all = {&big_vision_container(),  &orbax_container(),
                                                    &safetensors_container(), &npz_container(),
                                                    &tensorflow_container(),  &flax_container()};
  return all;
}

std::vector<std::string> container_names() {
  std::vector<std::string> out = format_names();
  for (const Container* container : containers())
    out.emplace_back(container->name());
  return out;
}

std::vector<std::string> written_containers() {
  std::vector<std::string> out = format_names();
  for (const Container* container :
       {&big_vision_container(), &orbax_container(), &safetensors_container(), &npz_container()})
    out.emplace_back(container->name());
  return out;
}

const Container* find_container(std::string_view name) {
  if (const Format* format = find_format(name)) return format;
  for (const Container* container : containers())
    if (container->name() == name) return container;
  return nullptr;
}

void refuse_pickles(const io::FileSystem& files, const std::string& path) {
  constexpr std::array<std::string_view, 6> kSuffixes = {".bin", ".pt",     ".pth",
                                                         ".pkl", ".pickle", ".ckpt"};
  const auto ends_path = [&](std::string_view suffix) { return path.ends_with(suffix); };
  if (!io::is_file(files, path) || std::ranges::none_of(kSuffixes, ends_path)) return;
  const std::unique_ptr<io::ReadableFile> file = files.open(path);
  std::string begin(std::min<std::uint64_t>(file->num_bytes(), 4), '\0');
  file->read(0, std::as_writable_bytes(std::span(begin)));
  const bool is_pickle = begin.starts_with("\x80");     // protocol 2 and later
  const bool is_archive = begin.starts_with("PK\3\4");  // of torch.save
  if (!is_pickle && !is_archive) return;
  fail(ErrorCode::unimplemented, files.full_name(path),
       ": is a pickle, which can run any code when it is opened\nconvert it where you trust it: in "
       "Python, safetensors.torch.save_file(torch.load(FILE, weights_only=True), "
       "\"model.safetensors\")");
}

}  // namespace meshwright::checkpoint

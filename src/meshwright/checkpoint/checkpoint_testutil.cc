// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/checkpoint_testutil.h"

#include "meshwright/base/crc32c.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

HostTensor counted(const ArrayType& type, std::int64_t first) {
  HostTensor out(type);
  for (std::size_t i = 0; i < out.num_bytes(); ++i)
    out.mutable_data()[i] = static_cast<std::byte>(static_cast<std::size_t>(first) * 31 + i * 7);
  return out;
}

ArrayParts in_parts(const ArrayType& type, const Dims& part, std::int64_t first) {
  ArrayParts out{type, {}};
  HostTensor whole = counted(type, first);
  Ranges at;
  auto cut = [&](auto& self, std::size_t d) -> void {
    if (d == part.size()) {
      Part piece{at, HostTensor(ArrayType{type.dtype, sizes_of(at)})};
      copy_overlap(whole.data(), whole_ranges(type.dims), piece.value.mutable_data(), at,
                   byte_size(type.dtype));
      out.parts.push_back(std::move(piece));
      return;
    }
    for (std::int64_t start = 0; start < type.dims[d]; start += part[d]) {
      at.push_back({start, start + part[d]});
      self(self, d + 1);
      at.pop_back();
    }
  };
  cut(cut, 0);
  return out;
}

}  // namespace

Contents sample_contents(std::int64_t step) {
  Contents out{.step = step};
  out.arrays["model/decoder/w"] = in_parts({f32, {4, 6}}, {4, 3}, step);
  out.arrays["model/decoder/q"] = in_parts({f32, {6, 4}}, {3, 2}, step + 1);
  out.arrays["model/bias"] = in_parts({bf16, {5}}, {5}, step + 2);
  out.arrays["learner/count"] = in_parts({s32, {}}, {}, step + 3);
  out.arrays["learner/mu/decoder/w"] = in_parts({f32, {4, 6}}, {2, 6}, step + 4);
  out.meta["data/name"] = Scalar(str("a\tb%c\n\"", step));
  out.meta["data/seed"] = Scalar(-step);
  out.meta["best"] = Scalar(3.0);
  out.meta["rate"] = Scalar(0.1);
  out.meta["flag"] = Scalar(true);
  return out;
}

std::string digest(const Contents& contents) {
  std::string out = str("step ", contents.step, "\n");
  for_each(contents.arrays, [&](const std::string& path, const ArrayParts& array) {
    out += str(path, " ", array.type, " ", crc32c(io::as_text(assemble(array).bytes())), "\n");
  });
  for_each(contents.meta, [&](const std::string& path, const Scalar& value) {
    out += str(path, " ", value.index(), " ", scalar_text(value), "\n");
  });
  return out;
}

void make_foreign(io::FileSystem& files, const std::string& folder) {
  for (const char* name : {"meshwright.json", "meshwright.txt"})
    files.remove(io::join_path(folder, name));
}

}  // namespace meshwright::checkpoint

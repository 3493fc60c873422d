// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/t5x_tree.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/contents/flax_tree.h"
#include "meshwright/checkpoint/format/named_arrays.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"
#include "meshwright/io/msgpack/msgpack.h"
#include "meshwright/io/msgpack/write.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;
using io::Msgpack;

constexpr std::int64_t kT5xVersion = 3;
constexpr std::int64_t kVersionWithoutBf16 = 2;
constexpr std::string_view kStep = "state/step";

const std::string* find_text(const Msgpack& map, std::string_view name) {
  const Msgpack* found = map.find(name);
  return found == nullptr ? nullptr : found->find_as<std::string>();
}

bool is_spec(const Msgpack& value) {
  return value.find("driver") != nullptr && value.find("kvstore") != nullptr &&
         value.find("metadata") != nullptr;
}
// A spec whose array is cast has the spec of that array as its base.
bool has_cast(const Msgpack& spec) {
  return spec.find("driver") != nullptr && spec.find("base") != nullptr;
}
bool is_spec_or_cast(const Msgpack& map) {
  return is_spec(map) || has_cast(map);
}
const Msgpack& without_cast(const Msgpack& spec) {
  const Msgpack* out = &spec;
  while (has_cast(*out))
    out = out->find("base");
  return *out;
}

// Specs of three ages: the path lies in the store, beside it, or is a URL. The store may be one of
// Google's, whose bucket is not that of the checkpoint.
std::string stored_path(const Msgpack& spec) {
  const Msgpack& store = *spec.find("kvstore");
  std::string path;
  if (const auto* url = store.find_as<std::string>()) {
    const std::size_t scheme = url->find("://");
    path = scheme == url->npos ? *url : url->substr(scheme + 3);
    if (url->starts_with("gs://"))
      path = path.substr(std::min(path.find('/'), path.size() - 1) + 1);
  } else {
    const std::string* driver = find_text(store, "driver");
    constexpr std::array<std::string_view, 3> kDrivers = {"file", "gfile", "gcs"};
    if (driver == nullptr || std::ranges::find(kDrivers, *driver) == kDrivers.end())
      fail(ErrorCode::unimplemented, "is stored by the driver '",
           driver == nullptr ? "" : printable_name(*driver), "', which is not supported");
    const std::string* found = find_text(store, "path");
    if (found == nullptr) found = find_text(spec, "path");
    if (found == nullptr) fail(ErrorCode::data_loss, "has no path");
    path = *found;
  }
  while (path.ends_with('/'))
    path.pop_back();
  if (path.starts_with('/')) path = io::name_of(path);  // of the machine that wrote it
  return path;
}

Dims dims_in(const Msgpack& spec) {
  Dims out;
  const Msgpack* shape = spec.find("metadata")->find("shape");
  const auto* sizes = shape == nullptr ? nullptr : shape->find_as<Msgpack::List>();
  if (sizes == nullptr) fail(ErrorCode::data_loss, "has no shape");
  for (const Msgpack& size : *sizes) {
    const auto* number = size.find_as<std::int64_t>();
    if (number == nullptr) fail(ErrorCode::data_loss, "has a shape that is not a list of numbers");
    out.push_back(*number);
  }
  return out;
}

class TreeReader {
 public:
  TreeReader(const Files& files, const std::string& folder)
      : files_(files), folder_(folder), file_(join_path(folder, kT5xTreeFile)) {}

  StoredTree read() {
    const std::string name = files_->full_name(file_);
    const Msgpack content = io::parse_msgpack(*files_->open(file_), name);
    read_version(content, name);
    const Msgpack* state = content.find("optimizer");
    for_each_flax_leaf(
        state == nullptr ? content : *state, out_.structure,
        [&](const std::string& path, const Msgpack& value) { add(value, path); }, is_spec_or_cast);
    if (has_uint16_)
      log_warning(name, ": arrays of uint16 hold the bits of bfloat16 in version 2 of T5X's format",
                  "; reinterpret them when converting the checkpoint");
    out_.arrays = arrays_.take(out_.structure);
    return std::move(out_);
  }

 private:
  void read_version(const Msgpack& content, const std::string& name) {
    const Msgpack* found = content.find("version");
    const auto* number = found == nullptr ? nullptr : found->find_as<std::int64_t>();
    version_ = number == nullptr ? 0 : *number;
    if (version_ == 1 || version_ > kT5xVersion)
      fail(ErrorCode::unimplemented, name, ": has version ", version_,
           " of T5X's format; 2 and 3 are supported");
  }

  void add(const Msgpack& value, const std::string& path) {
    try {
      std::optional<StoredArray> array = is_spec_or_cast(value)
                                             ? open_spec(without_cast(value))
                                             : find_flax_array(value, files_, file_);
      if (!array) return;
      if (version_ == kVersionWithoutBf16 && array->type().dtype == DType::u16) has_uint16_ = true;
      arrays_.add(path, *std::move(array));
    } catch (const Error& error) {
      throw error.with_context(str(files_->full_name(file_), ": '", printable_name(path), "'"));
    }
  }

  StoredArray open_spec(const Msgpack& spec) const {
    if (!is_spec(spec)) fail(ErrorCode::data_loss, "is cast from something that is not an array");
    const std::string path = stored_path(spec);
    if (!io::is_path(path)) fail(ErrorCode::data_loss, "lies at '", printable_name(path), "'");
    StoredArray out = open_zarr(files_, join_path(folder_, path));
    if (const Dims expected = dims_in(spec); out.type().dims != expected)
      fail(ErrorCode::data_loss, "has shape ", out.type().dims, ", expected ", expected);
    return out;
  }

  Files files_;
  std::string folder_;
  std::string file_;
  std::int64_t version_ = 0;
  bool has_uint16_ = false;
  NamedArrays arrays_;
  StoredTree out_;
};

void append_list(std::string& out, const Dims& dims) {
  io::append_msgpack_list(out, dims.size());
  for (const std::int64_t size : dims)
    io::append_msgpack_integer(out, size);
}

// As TensorStore describes an array. Readers take the chunks and the compressor from the array.
void append_spec(std::string& out, const std::string& path, const ArrayPlan& plan) {
  const auto text = [&](std::string_view value) { io::append_msgpack_text(out, value); };
  io::append_msgpack_map(out, 4);
  text("driver"), text("zarr");
  text("dtype"), text(numpy_name(plan.type.dtype));
  text("kvstore"), io::append_msgpack_map(out, 2);
  text("driver"), text("file");
  text("path"), text(t5x_folder(path) + "/");
  text("metadata"), io::append_msgpack_map(out, 3);
  text("chunks"), append_list(out, t5x_chunk(plan.part, plan.type.dtype));
  text("compressor"), io::append_msgpack_nil(out);
  text("shape"), append_list(out, plan.type.dims);
}

// Flax stores lists and tuples as maps.
std::string empty_bytes(EmptyNode node) {
  std::string out;
  if (node == EmptyNode::none) {
    io::append_msgpack_nil(out);
  } else {
    io::append_msgpack_map(out, 0);
  }
  return out;
}

// Returns the bytes of each leaf. Meshwright's own arrays are not T5X's.
Tree<std::string> leaf_bytes(const CheckpointPlan& plan) {
  Tree<std::string> out;
  for_each(plan.arrays, [&](const std::string& path, const ArrayPlan& array) {
    if (array.is_own) return;
    std::string bytes;
    if (path == kStep) {
      io::append_msgpack_array(bytes, HostTensor::scalar(static_cast<std::int32_t>(plan.step)));
    } else {
      append_spec(bytes, path, array);
    }
    out[path] = std::move(bytes);
  });
  for (const auto& [path, node] : plan.structure.empty)
    out[path] = empty_bytes(node);
  for (const auto& [path, text] : plan.structure.texts) {
    std::string bytes;
    io::append_msgpack_text(bytes, text);
    out[path] = std::move(bytes);
  }
  return out;
}

void append_tree(std::string& out, const Tree<std::string>& tree) {
  if (tree.is_leaf()) {
    out += tree.value();
    return;
  }
  io::append_msgpack_map(out, tree.children().size());
  for (const auto& [name, child] : tree.children()) {
    io::append_msgpack_text(out, name);
    append_tree(out, child);
  }
}

}  // namespace

bool is_t5x_tree(const io::FileSystem& files, const std::string& path) {
  if (!io::is_file(files, path)) return false;
  const std::unique_ptr<io::ReadableFile> file = files.open(path);
  std::string begin(std::min<std::uint64_t>(file->num_bytes(), 16), '\0');
  file->read(0, std::as_writable_bytes(std::span(begin)));
  const bool is_map = !begin.empty() && (static_cast<unsigned char>(begin[0]) & 0xf0U) == 0x80U;
  return is_map && begin.find("version") != begin.npos;
}

StoredTree open_t5x_tree(const Files& files, const std::string& folder) {
  return TreeReader(files, folder).read();
}

std::string t5x_tree_bytes(const CheckpointPlan& plan) {
  std::string out;
  io::append_msgpack_map(out, 2);
  io::append_msgpack_text(out, "version");
  io::append_msgpack_integer(out, kT5xVersion);
  io::append_msgpack_text(out, "optimizer");
  append_tree(out, leaf_bytes(plan));
  return out;
}

std::string t5x_folder(const std::string& path, const Structure& /*structure*/) {
  std::string out = path;
  std::ranges::replace(out, '/', '.');
  return out;
}

namespace {

// Returns the largest divisor of a number that is less than `below`, which is at least 2.
std::int64_t divisor_below(std::int64_t number, std::int64_t below) {
  std::int64_t out = 1;
  for (std::int64_t small = 1; small <= number / small; ++small) {
    if (number % small != 0) continue;
    for (const std::int64_t divisor : {small, number / small})
      if (divisor < below) out = std::max(out, divisor);
  }
  return out;
}

}  // namespace

Dims t5x_chunk(const Dims& part, DType dtype) {
  constexpr double kTargetBytes = 64 << 20;
  const double most = kTargetBytes / static_cast<double>(byte_size(dtype));
  Dims out = part;
  const auto size = [&] {
    double product = 1;
    for (const std::int64_t dim : out)
      product *= static_cast<double>(dim);
    return product;
  };
  while (size() > most) {
    const auto largest = std::ranges::max_element(out);
    if (*largest <= 1) break;
    *largest = divisor_below(part[static_cast<std::size_t>(largest - out.begin())], *largest);
  }
  return out;
}

}  // namespace meshwright::checkpoint

// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/event_files.h"

#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/io/file_tree.h"
#include "meshwright/io/path.h"
#include "meshwright/metrics/event_proto.h"

namespace meshwright::metrics {
namespace {

// Fields of tensorflow.Event, Summary, Summary.Value and TensorProto.
constexpr int kStep = 2, kSummary = 5;
constexpr int kValue = 1;
constexpr int kTag = 1, kSimpleValue = 2, kTensor = 8;
constexpr int kDType = 1, kContent = 4, kFloats = 5, kDoubles = 6, kInts = 7, kInt64s = 10;
// Values of tensorflow.DataType.
constexpr int kFloat = 1, kDouble = 2, kInt32 = 3, kInt64 = 9;

constexpr std::uint64_t kMaxEventBytes = std::uint64_t{64} << 20;

using Fields = std::vector<ProtoField>;

const ProtoField* find_field(const Fields& fields, int number) {
  for (const ProtoField& field : fields)
    if (field.number == number) return &field;
  return nullptr;
}

template <typename T>
std::optional<double> first_of(std::string_view bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data(), sizeof(T));
  return static_cast<double>(out);
}

double float_of(const ProtoField& field) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
}

std::optional<double> content_of(std::string_view content, std::int64_t dtype) {
  switch (dtype) {
    case kFloat:
      return first_of<float>(content);
    case kDouble:
      return first_of<double>(content);
    case kInt32:
      return first_of<std::int32_t>(content);
    case kInt64:
      return first_of<std::int64_t>(content);
    default:
      return std::nullopt;
  }
}

// Returns the first element, whichever field holds it.
std::optional<double> value_of_tensor(std::string_view tensor) {
  const Fields fields = read_proto(tensor);
  if (const ProtoField* content = find_field(fields, kContent); content != nullptr) {
    const ProtoField* dtype = find_field(fields, kDType);
    return content_of(content->bytes, dtype != nullptr ? dtype->int64() : 0);
  }
  if (const ProtoField* floats = find_field(fields, kFloats); floats != nullptr)
    return floats->bytes.empty() ? float_of(*floats) : first_of<float>(floats->bytes);
  if (const ProtoField* doubles = find_field(fields, kDoubles); doubles != nullptr) {
    return doubles->bytes.empty() ? std::bit_cast<double>(doubles->value)
                                  : first_of<double>(doubles->bytes);
  }
  for (const int number : {kInts, kInt64s}) {
    std::vector<std::int64_t> integers;
    if (const ProtoField* field = find_field(fields, number); field != nullptr)
      append_integers(*field, integers);
    if (!integers.empty()) return static_cast<double>(integers.front());
  }
  return std::nullopt;
}

std::optional<double> value_named(std::string_view value, std::string_view tag) {
  const Fields fields = read_proto(value);
  const ProtoField* name = find_field(fields, kTag);
  if (name == nullptr || name->bytes != tag) return std::nullopt;
  if (const ProtoField* simple = find_field(fields, kSimpleValue); simple != nullptr)
    return float_of(*simple);
  const ProtoField* tensor = find_field(fields, kTensor);
  return tensor != nullptr ? value_of_tensor(tensor->bytes) : std::nullopt;
}

std::string read_bytes(const io::ReadableFile& file, std::uint64_t offset, std::uint64_t size) {
  std::string out(size, '\0');
  file.read(offset, std::as_writable_bytes(std::span(out)));
  return out;
}

bool is_event_file(const io::FolderEntry& entry) {
  return entry.kind == io::FileKind::file && entry.name.find("tfevents") != std::string::npos;
}

}  // namespace

std::optional<ScalarEvent> find_scalar(std::string_view event, std::string_view tag) {
  const Fields fields = read_proto(event);
  const ProtoField* step = find_field(fields, kStep);
  for (const ProtoField& field : fields) {
    if (field.number != kSummary) continue;
    for (const ProtoField& value : read_proto(field.bytes)) {
      if (value.number != kValue) continue;
      if (const std::optional<double> found = value_named(value.bytes, tag))
        return ScalarEvent{.step = step != nullptr ? step->int64() : 0, .value = *found};
    }
  }
  return std::nullopt;
}

const std::map<std::int64_t, double>& EventFiles::update() {
  for (const io::FolderEntry& entry : io::list_if_there(*files_, folder_)) {
    if (!is_event_file(entry) || damaged_.contains(entry.name)) continue;
    try {
      read_new_events(entry.name);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss) throw;
      damaged_.insert(entry.name);
      log_warning(files_->full_name(io::join_path(folder_, entry.name)), ": ", error.what(),
                  "; the events after it are ignored");
    }
  }
  return values_;
}

void EventFiles::read_new_events(const std::string& name) {
  const std::unique_ptr<io::ReadableFile> file = files_->open(io::join_path(folder_, name));
  std::uint64_t& offset = num_read_[name];
  while (true) {
    const std::uint64_t left = file->num_bytes() - offset;
    if (left < kFrameHeaderBytes) return;
    const std::uint64_t size = size_of_frame(read_bytes(*file, offset, kFrameHeaderBytes));
    if (size > left - kFrameHeaderBytes || left - kFrameHeaderBytes - size < kFrameFooterBytes)
      return;  // still being written
    if (size <= kMaxEventBytes) {
      const std::string bytes =
          read_bytes(*file, offset + kFrameHeaderBytes, size + kFrameFooterBytes);
      if (const auto scalar = find_scalar(content_of_frame(bytes), tag_))
        values_[scalar->step] = scalar->value;
    }
    offset += kFrameHeaderBytes + size + kFrameFooterBytes;
  }
}

}  // namespace meshwright::metrics

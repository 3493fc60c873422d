// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/file_region.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/error.h"

namespace meshwright::io {
namespace {

class FileRegion : public ReadableFile {
 public:
  FileRegion(std::shared_ptr<const ReadableFile> file, const FileRange& range, std::string name)
      : file_(std::move(file)), range_(range), name_(std::move(name)) {}

  std::uint64_t num_bytes() const override { return range_.num_bytes; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    check_range({offset, out.size()}, range_.num_bytes, name_);
    file_->read(range_.offset + offset, out);
  }

 private:
  std::shared_ptr<const ReadableFile> file_;
  FileRange range_;
  std::string name_;
};

class FileRegions : public ReadableFile {
 public:
  FileRegions(std::shared_ptr<const ReadableFile> file,
              std::vector<FileRange> ranges,
              std::string name)
      : file_(std::move(file)), ranges_(std::move(ranges)), name_(std::move(name)) {
    for (const FileRange& range : ranges_)
      num_bytes_ += range.num_bytes;
  }

  std::uint64_t num_bytes() const override { return num_bytes_; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    check_range({offset, out.size()}, num_bytes_, name_);
    for (const FileRange& range : ranges_) {
      if (offset >= range.num_bytes) {
        offset -= range.num_bytes;
        continue;
      }
      const auto count = std::min<std::uint64_t>(out.size(), range.num_bytes - offset);
      file_->read(range.offset + offset, out.first(count));
      out = out.subspan(count);
      offset = 0;
    }
  }

 private:
  std::shared_ptr<const ReadableFile> file_;
  std::vector<FileRange> ranges_;
  std::string name_;
  std::uint64_t num_bytes_ = 0;
};

class FileInMemory : public ReadableFile {
 public:
  FileInMemory(Buffer bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}

  std::uint64_t num_bytes() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    check_range({offset, out.size()}, bytes_.size(), name_);
    std::ranges::copy(bytes_.span().subspan(offset, out.size()), out.begin());
  }

 private:
  Buffer bytes_;
  std::string name_;
};

}  // namespace

void check_range(const FileRange& range, std::uint64_t file_bytes, const std::string& name) {
  if (range.offset <= file_bytes && range.num_bytes <= file_bytes - range.offset) return;
  fail(ErrorCode::data_loss, name, ": is too short: ", range.num_bytes, " bytes at ", range.offset,
       " exceed its ", file_bytes);
}

void for_each_block(const ReadableFile& file,
                    const FileRange& range,
                    const std::function<void(std::span<const std::byte> block)>& f) {
  constexpr std::uint64_t kBlock = std::uint64_t{4} << 20;
  Buffer buffer(std::min(kBlock, range.num_bytes));
  for (std::uint64_t at = 0; at < range.num_bytes; at += kBlock) {
    const auto block = buffer.span().first(std::min(kBlock, range.num_bytes - at));
    file.read(range.offset + at, block);
    f(block);
  }
}

std::unique_ptr<ReadableFile> file_region(std::shared_ptr<const ReadableFile> file,
                                          const FileRange& range,
                                          const std::string& name) {
  check_range(range, file->num_bytes(), name);
  return std::make_unique<FileRegion>(std::move(file), range, name);
}

std::unique_ptr<ReadableFile> file_regions(const std::shared_ptr<const ReadableFile>& file,
                                           const std::vector<FileRange>& ranges,
                                           const std::string& name) {
  if (ranges.size() == 1) return file_region(file, ranges[0], name);
  for (const FileRange& range : ranges)
    check_range(range, file->num_bytes(), name);
  return std::make_unique<FileRegions>(file, ranges, name);
}

std::unique_ptr<ReadableFile> file_in_memory(Buffer bytes, std::string name) {
  return std::make_unique<FileInMemory>(std::move(bytes), std::move(name));
}

}  // namespace meshwright::io

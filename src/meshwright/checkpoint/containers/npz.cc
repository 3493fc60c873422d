// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/npz.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/machine_memory.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/containers/paths.h"
#include "meshwright/checkpoint/containers/raw_files_writer.h"
#include "meshwright/checkpoint/contents/raw_array.h"
#include "meshwright/checkpoint/format/named_arrays.h"
#include "meshwright/io/numpy/npy.h"
#include "meshwright/io/numpy/zip.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/chunk.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::string_view kNpzSuffix = ".npz";
constexpr std::string_view kMemberSuffix = ".npy";

std::uint64_t most_inflated() {
  return static_cast<std::uint64_t>(machine_memory_bytes()) / 2;
}

// A compressed member, or one in another order of dimensions or bytes: it is read as a whole.
class WholeMember : public ArraySource {
 public:
  WholeMember(Files files, std::string path, io::ZipMember member, io::NpyHeader header)
      : files_(std::move(files)),
        path_(std::move(path)),
        member_(std::move(member)),
        header_(std::move(header)) {}

  Dims chunk() const override {
    Dims out = header_.type.dims;
    for (std::int64_t& size : out)
      size = std::max(size, std::int64_t{1});
    return out;
  }

  void read(const Ranges& part, const io::zarr::Target& target) const override {
    const std::unique_ptr<io::ReadableFile> elements = open_elements();
    io::zarr::ChunkFormat format{.is_big_endian = header_.is_big_endian};
    if (header_.is_column_major) {
      format.order.resize(header_.type.dims.size());
      std::iota(format.order.rbegin(), format.order.rend(), 0);
    }
    const DType dtype = header_.type.dtype;
    io::Buffer wanted(static_cast<std::size_t>(num_elements(sizes_of(part))) * byte_size(dtype));
    io::zarr::read_chunk(*elements, format, dtype, whole_ranges(header_.type.dims),
                         {part, wanted.data()});
    copy_overlap(wanted.data(), part, target.data, target.ranges, byte_size(dtype));
  }

 private:
  std::unique_ptr<io::ReadableFile> open_elements() const {
    std::shared_ptr<const io::ReadableFile> file = files_->open(path_);
    const std::string name = files_->full_name(path_);
    const std::uint64_t num_elements_bytes = member_.num_bytes - header_.num_bytes;
    if (!member_.is_compressed) {
      const io::FileRange whole{.offset = member_.offset, .num_bytes = member_.num_bytes};
      const std::string what = str(name, ": member '", printable_name(member_.name), "'");
      checksum_verifier(member_.crc, io::zip_crc, what)(*io::file_region(file, whole, name));
      return io::file_region(file, {member_.offset + header_.num_bytes, num_elements_bytes}, name);
    }
    std::shared_ptr<const io::ReadableFile> whole =
        io::file_in_memory(io::inflate_member(*file, member_, name, most_inflated()), name);
    return io::file_region(whole, {header_.num_bytes, num_elements_bytes}, name);
  }

  Files files_;
  std::string path_;
  io::ZipMember member_;
  io::NpyHeader header_;
};

std::string member_name(const io::ZipMember& member, const std::string& file) {
  if (!member.name.ends_with(kMemberSuffix))
    fail(ErrorCode::unimplemented, file, ": member '", printable_name(member.name),
         "' is not an array: its name does not end in ", kMemberSuffix);
  return member.name.substr(0, member.name.size() - kMemberSuffix.size());
}

io::NpyHeader read_header(const io::ReadableFile& file,
                          const io::ZipMember& member,
                          const std::string& name) {
  if (member.is_compressed) {
    const io::Buffer begin = io::inflate_begin(file, member, name, io::kMaxNpyHeader);
    return io::parse_npy_header(begin.span(), member.num_bytes, name);
  }
  io::Buffer begin(std::min(member.num_bytes, io::kMaxNpyHeader));
  file.read(member.offset, begin.span());
  return io::parse_npy_header(begin.span(), member.num_bytes, name);
}

StoredArray stored_member(const Files& files,
                          const std::string& path,
                          const io::ZipMember& member,
                          const io::NpyHeader& header,
                          const std::string& name) {
  if (member.is_compressed || header.is_column_major || header.is_big_endian)
    return {header.type, std::make_shared<WholeMember>(files, path, member, header)};
  // The checksum also covers the header.
  const io::FileRange whole{.offset = member.offset, .num_bytes = member.num_bytes};
  auto verify = checksum_verifier(member.crc, io::zip_crc, name);
  RawPiece piece{
      .ranges = whole_ranges(header.type.dims),
      .file = path,
      .places = {{whole.offset + header.num_bytes, whole.num_bytes - header.num_bytes}},
      .verify = [files, path, whole, name, verify = std::move(verify)](const io::ReadableFile&) {
        verify(*io::file_region(files->open(path), whole, name));
      }};
  return raw_array(files, header.type, {std::move(piece)});
}

// The headers of a member contain the checksum of its elements, so they are written last.
void complete_archive(const std::vector<io::ZipMember>& planned,
                      const std::vector<std::string>& headers,
                      io::WritableFile& file,
                      const io::ReadableFile& written) {
  std::vector<io::ZipMember> members = planned;
  for (std::size_t i = 0; i < members.size(); ++i) {
    io::ZipMember& member = members[i];
    file.write_at(member.offset, io::as_bytes(headers[i]));
    member.crc = io::zip_crc(0, io::as_bytes(headers[i]));
    io::for_each_block(
        written, {member.offset + headers[i].size(), member.num_bytes - headers[i].size()},
        [&](std::span<const std::byte> block) { member.crc = io::zip_crc(member.crc, block); });
    const std::string header = io::zip_local_header(member);
    file.write_at(member.offset - header.size(), io::as_bytes(header));
  }
  const std::uint64_t end = members.empty() ? 0 : members.back().offset + members.back().num_bytes;
  file.write_at(end, io::as_bytes(io::zip_directory(members)));
}

RawFiles plan_archive(const std::string& path, const CheckpointPlan& plan) {
  RawFiles out{.path = path, .files = {{}}};
  std::vector<io::ZipMember> members;
  std::vector<std::string> headers;
  std::uint64_t end = 0;
  for_each(plan.arrays, [&](const std::string& array, const ArrayPlan& planned) {
    headers.push_back(io::npy_header(planned.type));
    io::ZipMember member{.name = str(array, kMemberSuffix)};
    member.offset = end + io::zip_header_bytes(member.name);
    member.num_bytes = headers.back().size() + static_cast<std::uint64_t>(planned.type.num_bytes());
    member.num_stored = member.num_bytes;
    end = member.offset + member.num_bytes;
    out.places[array] = {
        .range = {member.offset + headers.back().size(), member.num_bytes - headers.back().size()}};
    members.push_back(std::move(member));
  });
  out.files[0].complete = [members = std::move(members), headers = std::move(headers)](
                              io::WritableFile& file, const io::ReadableFile& written) {
    complete_archive(members, headers, file, written);
  };
  return out;
}

class NpzContainer : public Container {
 public:
  std::string_view name() const override { return "npz"; }

  bool is_here(const Files& files, const std::string& path) const override {
    const auto info = files->find(path);
    return info && info->kind == io::FileKind::file && path.ends_with(kNpzSuffix);
  }

  Stored open(const Files& files, const std::string& path) const override {
    const std::string name = files->full_name(path);
    const std::unique_ptr<io::ReadableFile> file = files->open(path);
    Stored out{.step = step_in_name(io::name_of(path.substr(0, path.size() - kNpzSuffix.size())))};
    NamedArrays arrays;
    for (const io::ZipMember& member : io::read_zip(*file, name)) {
      const std::string what = str(name, ": member '", printable_name(member.name), "'");
      const io::NpyHeader header = read_header(*file, member, what);
      StoredArray array = stored_member(files, path, member, header, what);
      try {
        arrays.add(member_name(member, name), std::move(array));
      } catch (const Error& error) {
        throw error.with_context(name);
      }
    }
    out.arrays = arrays.take();
    out.is_verified = true;
    return out;
  }

  std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                          const std::string& path,
                                          CheckpointPlan plan,
                                          const WriteOptions& options) const override {
    MW_CHECK(path.ends_with(kNpzSuffix), "npz: the name '", io::name_of(path), "' does not end in ",
             kNpzSuffix);
    return raw_files_writer(files, plan_archive(path, plan), plan.arrays, options);
  }
};

}  // namespace

const Container& npz_container() {
  static const NpzContainer container;
  return container;
}

}  // namespace meshwright::checkpoint

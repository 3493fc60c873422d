// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/raw_files_writer.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/containers/new_folder.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

class RawFilesWriter : public CheckpointWriter {
 public:
  RawFilesWriter(Files files, RawFiles plan, const Tree<ArrayPlan>& arrays, bool continues)
      : files_(std::move(files)), plan_(std::move(plan)), folder_(files_, plan_.path, continues) {
    for_each(arrays, [&](const std::string& path, const ArrayPlan& array) {
      arrays_.emplace(path, Array{array.type, plan_.places.at(path)});
    });
    if (plan_.is_folder) folder_.make_folder();
    for (const RawFile& file : plan_.files) {
      was_there_.push_back(continues && io::is_file(*files_, path_of(file)));
      open_.push_back(files_->update(path_of(file)));
      open_.back()->write_at(0, io::as_bytes(file.header));
    }
  }

  std::vector<Ranges> pieces(const std::string& /*array*/, const Ranges& part) const override {
    return {part};
  }

  void write(const std::string& array, const Part& piece) override {
    const Array& to = arrays_.at(array);
    const std::size_t element_bytes = byte_size(to.type.dtype);
    const Runs found = runs(to.type.dims, piece.ranges);
    const std::size_t run_bytes = static_cast<std::size_t>(found.length) * element_bytes;
    std::span<const std::byte> rest = piece.value.bytes();
    for (const std::int64_t first : found.offsets) {
      const std::uint64_t offset =
          to.place.range.offset + static_cast<std::uint64_t>(first) * element_bytes;
      open_[to.place.file]->write_at(offset, rest.first(run_bytes));
      rest = rest.subspan(run_bytes);
    }
  }

  void sync() override {
    for (const std::unique_ptr<io::WritableFile>& file : open_)
      file->sync();
  }
  bool keep(const std::string& array,
            const Ranges& /*piece*/,
            const std::string& /*receipt*/) override {
    return was_there_[arrays_.at(array).place.file];
  }

  void finish() override {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const RawFile& file = plan_.files[i];
      if (file.complete) file.complete(*open_[i], *files_->open(path_of(file)));
      open_[i]->sync();
      open_[i]->close();
    }
    for (const auto& [name, text] : plan_.others)
      write_text(*files_, join_path(folder_.unfinished(), name), text, io::Durability::synced);
  }

  void commit() override { folder_.publish(); }
  void abandon() noexcept override { folder_.abandon(); }

 private:
  struct Array {
    ArrayType type;
    RawPlace place;
  };

  std::string path_of(const RawFile& file) const {
    return join_path(folder_.unfinished(), file.name);
  }

  Files files_;
  RawFiles plan_;
  NewFolder folder_;
  std::map<std::string, Array> arrays_;
  std::vector<std::unique_ptr<io::WritableFile>> open_;
  std::vector<bool> was_there_;  // by number of the file: an earlier attempt has begun it
};

}  // namespace

std::unique_ptr<CheckpointWriter> raw_files_writer(const Files& files,
                                                   RawFiles plan,
                                                   const Tree<ArrayPlan>& arrays,
                                                   const WriteOptions& options) {
  MW_CHECK(options.num_processes == 1, "checkpoint: only one process can write ", plan.path);
  return std::make_unique<RawFilesWriter>(files, std::move(plan), arrays, options.continues);
}

}  // namespace meshwright::checkpoint

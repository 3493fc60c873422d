// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/orbax_writer.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/containers/new_folder.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"
#include "meshwright/checkpoint/formats/orbax_files.h"
#include "meshwright/io/ocdbt/writer.h"

namespace meshwright::checkpoint {
namespace {

constexpr ZarrLayout kOrbaxArrays = {.folder = orbax_folder};

class OrbaxWriter : public CheckpointWriter {
 public:
  OrbaxWriter(const Files& files,
              const std::string& path,
              CheckpointPlan plan,
              const WriteOptions& options)
      : plan_(std::move(plan)),
        folder_(files, path, options.continues),
        files_(folder_.make_folder()),
        database_(files_, ""),
        arrays_(database_.files(), plan_, kOrbaxArrays, options) {
    arrays_.write_metadata();
  }

  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const override {
    return arrays_.pieces(array, part);
  }
  void write(const std::string& array, const Part& piece) override { arrays_.write(array, piece); }
  void sync() override { database_.sync(); }
  std::string receipt(const std::string& array, const Ranges& piece) const override {
    return database_.receipt(arrays_.file_of(array, piece));
  }
  bool keep(const std::string& array, const Ranges& piece, const std::string& receipt) override {
    return database_.keep(arrays_.file_of(array, piece), receipt);
  }
  void finish() override { database_.finish(); }
  void commit() override {
    write_orbax_files(*files_, plan_, {.name = folder_.full_name(), .is_ocdbt = true});
    folder_.publish();
  }
  void abandon() noexcept override { folder_.abandon(); }

 private:
  CheckpointPlan plan_;
  NewFolder folder_;
  Files files_;  // below the folder
  io::OcdbtWriter database_;
  ZarrArrays arrays_;
};

}  // namespace

std::unique_ptr<CheckpointWriter> orbax_writer(const Files& files,
                                               const std::string& path,
                                               CheckpointPlan plan,
                                               const WriteOptions& options) {
  MW_CHECK(options.num_processes == 1, "orbax: only one process can write ", path);
  return std::make_unique<OrbaxWriter>(files, path, std::move(plan), options);
}

}  // namespace meshwright::checkpoint

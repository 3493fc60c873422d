// SPDX-License-Identifier: Apache-2.0
// Parameters that Big Vision's own ViT drew, read under its names: the logits are its own.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/models/vit.h"
#include "meshwright/systems/big_vision/big_vision.h"
#include "meshwright/train/foreign/foreign_layouts.h"
#include "nn_testutil.h"
#include "npy/npy.h"

namespace meshwright::nn {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(GOLDEN_FOLDER) / "big_vision/checkpoints";

HostTensor array_of(const std::string& name, const char* what) {
  return test_npy::read_npy(kFolder / (name + what));
}

checkpoint::Stored stored(const std::string& name) {
  const checkpoint::Location found = checkpoint::locate((kFolder / (name + ".npz")).string());
  return found.container->open(found.files, found.step().folder);
}

checkpoint::ForeignLayout layout_of(const models::Vit& model) {
  std::vector<std::string> paths;
  for_each(param_specs(model),
           [&](const std::string& path, const ParamSpec&) { paths.push_back("model/" + path); });
  return train::layout_of(systems::big_vision(), model, paths, {}, 0);
}

models::Vit small_vit(models::Pooling pooling, models::ImagePositions positions) {
  models::VitConfig c{.height = 6, .width = 9, .patch = 3, .classes = 5, .layers = 2, .embed = 8};
  c.heads = 2;
  c.mlp = 12;
  c.pooling = pooling;
  c.positions = positions;
  return models::Vit(c);
}

void expect_as_big_vision(const std::string& name,
                          models::Pooling pooling,
                          models::ImagePositions positions) {
  const models::Vit model = small_vit(pooling, positions);
  const checkpoint::Stored theirs = stored(name);
  const checkpoint::Stored ours = checkpoint::from_foreign(theirs, layout_of(model));
  HostTree params;
  for_each(param_specs(model), [&](const std::string& path, const ParamSpec& spec) {
    params[path] = ours.arrays.at("model/" + path).value().read();
    EXPECT_EQ(params.at(path).value().type(), spec.type) << path;
  });
  const std::vector<HostTensor> found =
      run_module(model, params, {{array_of(name, "_images.npy"), ""}},
                 [&](const ValueTree& values, std::span<const Value> in) {
                   Context ctx(model, values);
                   return std::vector{model.logits(ctx, in[0])};
                 });
  const HostTensor expected = array_of(name, "_logits.npy");
  ASSERT_EQ(found[0].type(), expected.type());
  for (std::size_t i = 0; i < expected.values<float>().size(); ++i)
    EXPECT_NEAR(found[0].values<float>()[i], expected.values<float>()[i], 2e-5) << name << " " << i;

  // And back.
  const checkpoint::Files files = std::make_shared<io::MemoryFileSystem>();
  const checkpoint::Container& npz = *checkpoint::find_container("npz");
  write_checkpoint(npz, files, "again.npz",
                   to_foreign(pending_checkpoint(read_contents(ours)), layout_of(model)));
  const checkpoint::Stored again = npz.open(files, "again.npz");
  for_each(theirs.arrays, [&](const std::string& path, const checkpoint::StoredArray& array) {
    const HostTensor before = array.read(), after = again.arrays.at(path).value().read();
    EXPECT_EQ(after.type(), before.type()) << path;
    EXPECT_TRUE(std::ranges::equal(after.bytes(), before.bytes())) << path;
  });
}

TEST(BigVisionNames, WithAttentionPooling) {
  expect_as_big_vision("vit_map", models::Pooling::attention, models::ImagePositions::learned);
}

TEST(BigVisionNames, OfAModelThatScansOverLayers) {
  const models::Vit model = small_vit(models::Pooling::attention, models::ImagePositions::learned);
  const checkpoint::Stored scanned =
      checkpoint::from_foreign(stored("vit_map_scan"), layout_of(model));
  const checkpoint::Stored looped = checkpoint::from_foreign(stored("vit_map"), layout_of(model));
  EXPECT_EQ(scanned.arrays.num_leaves(), looped.arrays.num_leaves());
  for_each(looped.arrays, [&](const std::string& path, const checkpoint::StoredArray& array) {
    const HostTensor before = array.read(), after = scanned.arrays.at(path).value().read();
    EXPECT_EQ(after.type(), before.type()) << path;
    EXPECT_TRUE(std::ranges::equal(after.bytes(), before.bytes())) << path;
  });
}

TEST(BigVisionNames, WithMeanAndSines) {
  expect_as_big_vision("vit_gap", models::Pooling::mean, models::ImagePositions::sincos_2d);
}

TEST(BigVisionNames, WithATokenOfItsOwn) {
  expect_as_big_vision("vit_tok", models::Pooling::first, models::ImagePositions::learned);
}

}  // namespace
}  // namespace meshwright::nn

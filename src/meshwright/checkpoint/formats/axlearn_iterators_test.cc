// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/axlearn_iterators.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/formats/axlearn.h"
#include "meshwright/checkpoint/formats/native.h"
#include "meshwright/checkpoint/formats/seqax.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kStep = "step_00000005";
constexpr const char* kTfClass = "<class 'tensorflow.python.data.ops.iterator_ops.OwnedIterator'>";

KeptFile kept(const std::string& text) {
  return {text.size(), [text] { return text; }};
}

// A tf.data iterator of two processes, in a subfolder, and a Python iterator.
Contents with_iterators() {
  Contents out = sample_contents(5);
  out.iterators = {{"input/iter", kTfClass, {}}, {"other", "<class 'grain.It'>", {}}};
  for (const char* process : {"tf_0", "tf_1"}) {
    for (const char* suffix : {".index", ".data-00000-of-00001"}) {
      const std::string name = str(process, "/input/iter", suffix);
      out.iterators[0].files.emplace(name, kept("content of " + name));
    }
  }
  out.iterators[1].files.emplace("python_0/other", kept(std::string("\x81\0\xff", 3)));
  return out;
}

std::shared_ptr<io::MemoryFileSystem> written() {
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(axlearn_format(), files, "", with_iterators());
  return files;
}

// As written by AXLearn itself.
std::shared_ptr<io::MemoryFileSystem> foreign() {
  auto files = written();
  make_foreign(*files, kStep);
  return files;
}

void expect_iterators(const Stored& stored) {
  const std::vector<IteratorState> wanted = with_iterators().iterators;
  ASSERT_EQ(stored.iterators.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(stored.iterators[i].path, wanted[i].path);
    EXPECT_EQ(stored.iterators[i].type, wanted[i].type);
    ASSERT_EQ(stored.iterators[i].files.size(), wanted[i].files.size());
    for (const auto& [name, file] : wanted[i].files) {
      ASSERT_TRUE(stored.iterators[i].files.contains(name)) << name;
      EXPECT_EQ(stored.iterators[i].files.at(name).num_bytes, file.num_bytes);
      EXPECT_EQ(stored.iterators[i].files.at(name).read(), file.read());
    }
  }
}

TEST(AxLearnIterators, AreFoundWhoeverWroteTheStep) {
  expect_iterators(axlearn_format().open(written(), kStep));
  expect_iterators(axlearn_format().open(foreign(), kStep));
}

TEST(AxLearnIterators, StayWhenAStepIsReadAndWrittenAgain) {
  const Contents read = read_contents(axlearn_format().open(foreign(), kStep));
  auto again = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(axlearn_format(), again, "", read);
  expect_iterators(axlearn_format().open(again, kStep));
  EXPECT_EQ(io::read_text(*again, str(kStep, "/index")),
            io::read_text(*foreign(), str(kStep, "/index")));
}

TEST(AxLearnIterators, AreListedInTheOrderOfTheirPaths) {
  const std::string index = io::read_text(*written(), str(kStep, "/index"));
  EXPECT_THAT(index, HasSubstr(str("[[\"step\", 5], [\"input/iter\", \"", kTfClass,
                                   "\"], [\"learner/count\", ")));
  EXPECT_TRUE(index.ends_with("[\"other\", \"<class 'grain.It'>\"]]")) << index;
}

TEST(AxLearnIterators, AreNoFilesOfOthers) {
  auto files = foreign();
  io::write_text(*files, str(kStep, "/tf_0/input/iterator.index"), "of another");
  files->make_folder(str(kStep, "/tf_x/input"));
  io::write_text(*files, str(kStep, "/tf_x/input/iter.index"), "no process");
  expect_iterators(axlearn_format().open(files, kStep));
  auto ours = written();
  ours->make_folder(str(kStep, "/python_7"));
  io::write_text(*ours, str(kStep, "/python_7/other"), "came later");
  expect_iterators(axlearn_format().open(ours, kStep));
}

std::vector<std::string> damage(const Files& files) {
  std::vector<std::string> out;
  for (const Damage& found : axlearn_format().verify(files, kStep))
    out.push_back(str(found.file, ": ", found.what));
  return out;
}

TEST(AxLearnIterators, AreVerified) {
  EXPECT_THAT(damage(foreign()), ElementsAre());
  auto files = foreign();
  files->remove(str(kStep, "/tf_1/input/iter.data-00000-of-00001"));
  files->remove(str(kStep, "/python_0/other"));
  EXPECT_THAT(damage(files),
              ElementsAre(HasSubstr("tf_1/input/iter.data-*: is missing"),
                          HasSubstr("the iterator 'other' of the index has no file")));
  auto ours = written();
  io::write_text(*ours, str(kStep, "/python_0/other"), "abc");
  EXPECT_THAT(damage(ours), ElementsAre(HasSubstr("python_0/other")));
}

TEST(AxLearnIterators, AreRefusedWhereThereIsNoRoom) {
  for (const Format* format : {&native_format(), &seqax_format()}) {
    auto files = std::make_shared<io::MemoryFileSystem>();
    EXPECT_THAT(message_of([&] { write_checkpoint(*format, files, "", with_iterators()); }),
                HasSubstr("cannot store the state of the iterator 'input/iter'"));
    EXPECT_TRUE(files->list("").empty());
  }
}

}  // namespace
}  // namespace meshwright::checkpoint

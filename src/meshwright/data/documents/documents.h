// SPDX-License-Identifier: Apache-2.0
// Documents of tokens: what a text corpus is for training.
//
// A Documents object numbers the documents of a corpus and reads any range of tokens of any of
// them in constant time. Sources of documents are plain files read byte by byte (byte_files.h) and
// caches of tokens. Views select, join and frame other documents (views.h).
//
// Rows are cut from documents by a RowPlan (rows.h), and TextSource (text_source.h) turns rows into
// the batches of language models.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "meshwright/data/core/row_part.h"

namespace meshwright::data {

/// A file of a corpus and a digest of its documents.
struct FileDigest {
  std::string name;
  std::uint64_t digest = 0;
};

/// A range of tokens of a document.
struct Slice {
  std::int64_t document = 0;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  bool operator==(const Slice&) const = default;
};

/// Pure and thread-safe.
class Documents {
 public:
  virtual ~Documents() = default;

  virtual std::int64_t num_documents() const = 0;
  /// Returns the sum of all lengths.
  virtual std::int64_t num_tokens() const;
  /// Returns the number of tokens of a document. Requires 0 <= document < num_documents().
  virtual std::int64_t length(std::int64_t document) const = 0;
  /// Reads tokens [begin, begin + out.size()) of a document, which must have that many.
  virtual void read(std::int64_t document,
                    std::int64_t begin,
                    std::span<std::int32_t> out) const = 0;

  /// True if some tokens are not to be learnt, such as the prompts of instruction data.
  virtual bool has_weights() const { return false; }
  /// Reads the weights in the loss of tokens [begin, begin + out.size()): 0 or 1.
  virtual void read_weights(std::int64_t document, std::int64_t begin, std::span<float> out) const;

  /// Returns the place of its first token.
  virtual Origin origin(std::int64_t document) const = 0;
  /// Returns a number that is equal for equal content of a document, wherever it is stored. It
  /// decides which documents are held out.
  virtual std::uint64_t content_hash(std::int64_t document) const = 0;
  /// Returns text that differs if any token of any document does.
  virtual std::string fingerprint() const = 0;
  /// Returns the files that the documents come from, in order; none if they are not from files.
  virtual std::vector<FileDigest> files() const { return {}; }
};
using DocumentsPtr = std::shared_ptr<const Documents>;

/// Returns the sum of all lengths.
inline std::int64_t num_tokens(const Documents& documents) {
  return documents.num_tokens();
}
/// Returns a hash for content_hash(). Never changes between versions.
std::uint64_t hash_of_tokens(std::span<const std::int32_t> tokens);
/// Returns all tokens of a document.
std::vector<std::int32_t> whole_document(const Documents& documents, std::int64_t document);

}  // namespace meshwright::data

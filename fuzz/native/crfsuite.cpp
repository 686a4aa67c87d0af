// Model files of CRFsuite: read all content, tag a sentence, compute marginals.
#include "base/fault.hpp"
#include "crfsuite/tagger.hpp"
#include "harness.hpp"

namespace {

using namespace tagpool;

void check(std::string_view input) {
    CrfsuiteTagger tagger(input, nullptr);
    const CrfsuiteFile& file = tagger.file();
    Attributes sentence;
    for (const char* const word : {"word=Ann", "word=left", "unknown"}) {
        sentence.append(word, 1.0);
        sentence.append("bias", 0.5);
        sentence.end_token();
    }
    tagger.set(sentence);
    for (const int32_t label : tagger.best())
        fuzz::require(label >= 0 && static_cast<uint32_t>(label) < file.label_count(), "a tag is the number of a label");
    tagger.marginals();
    tagger.probability({0, 0, 0});
    for (uint32_t label = 0; label < file.label_count(); ++label) file.labels().text(label);
    for (uint32_t attribute = 0; attribute < file.attribute_count(); ++attribute) {
        file.attributes().text(attribute);
        const CrfsuiteFile::Numbers numbers = file.of_attribute(attribute);
        for (uint32_t i = 0; i < numbers.count; ++i) file.weight(numbers[i]);
    }
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)

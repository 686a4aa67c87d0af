// Template programs with their lexicons, as model files contain them: fit, encode and describe a small corpus.
#include "features/program_file.hpp"

#include "base/fault.hpp"
#include "features/encode.hpp"
#include "harness.hpp"

namespace {

using namespace tagpool;

void check(std::string_view input) {
    const Tensors tensors = Tensors::read(input, nullptr);
    std::optional<Program> program = read_program(tensors, "program");
    const auto corpus = std::make_shared<const Columns>(fuzz::make_corpus(columns_in({&program})));
    Encoder encoder(*program, 1);
    const Encoding encoding = encoder.fit(corpus);
    const Encoding again = encoder.encode(*corpus);
    fuzz::require(std::equal(again.ids.begin(), again.ids.end(), encoding.ids.begin(), encoding.ids.end()),
                  "encoding the fitted corpus repeats its features");
    for (uint32_t sentence = 0; sentence < corpus->sentence_count(); ++sentence) encoder.describe(*corpus, sentence);
    const std::vector<uint64_t> keys = encoder.keys();
    const NameList& names = encoder.names();
    fuzz::require(names.size() == keys.size(), "every feature has a name");
    Tensors written;
    write_program(*program, "program", written);
    const std::string block = written.write();
    read_program(Tensors::read(block, nullptr), "program");
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)

// Reader of CoNLL columns and CoNLL-U. The first byte selects the form and the number of columns.
#include "text/conll.hpp"

#include "base/fault.hpp"
#include "harness.hpp"

namespace {

void check(std::string_view input) {
    if (input.empty()) return;
    const auto selector = static_cast<unsigned char>(input[0]);
    const std::string_view text = input.substr(1);
    tagpool::ConllOptions options;
    options.conllu = selector % 2 == 1;
    options.longest_line = 200;
    const size_t count = options.conllu ? 9 : selector / 2 % 5 == 0 ? tagpool::count_columns(text, false) : selector / 2 % 5;
    for (size_t i = 0; i < count; ++i) options.names.push_back("column" + std::to_string(i));
    if (count == 0) return;
    const tagpool::Columns columns = tagpool::read_conll(text, options);
    tagpool::fuzz::require(columns.sentences.back() == columns.columns[0].ids.size(), "sentences cover all tokens");
    std::vector<uint32_t> reversed;
    for (auto sentence = static_cast<uint32_t>(columns.sentence_count()); sentence > 0; --sentence) {
        const auto [first, last] = columns.document_of(sentence - 1);
        tagpool::fuzz::require(first < sentence && sentence <= last && last <= columns.sentence_count(), "a document contains its sentences");
        reversed.push_back(sentence - 1);
    }
    tagpool::fuzz::require(columns.select(reversed).token_count() == columns.token_count(), "a selection of all sentences has all tokens");
    for (const tagpool::Aside& aside : columns.asides)
        tagpool::fuzz::require(aside.sentence <= columns.sentence_count(), "an aside is at or after a sentence");
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)

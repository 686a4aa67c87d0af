#include "text/columns.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

const Column* Columns::find(std::string_view name) const {
    for (const Column& column : columns)
        if (column.name == name) return &column;
    return nullptr;
}

const Column& Columns::at(std::string_view name) const {
    const Column* const column = find(name);
    if (!column) throw InputFault(concat("the corpus has no column \"", name, "\""));
    return *column;
}

void Columns::check_sentence(size_t sentence) const {
    if (sentence >= sentence_count())
        throw InputFault(concat("sentence ", sentence, " does not exist; the corpus has ", counted(sentence_count(), "sentence")));
}

Columns Columns::select(const std::vector<uint32_t>& selection) const {
    Columns out;
    size_t tokens = 0;
    for (uint32_t s : selection) {
        check_sentence(s);
        tokens += sentences[s + 1] - sentences[s];
    }
    for (const Column& column : columns) {
        Column copy{column.name, column.strings, {}};
        copy.ids.reserve(tokens);
        for (uint32_t s : selection) copy.ids.insert(copy.ids.end(), column.ids.begin() + sentences[s], column.ids.begin() + sentences[s + 1]);
        out.columns.push_back(std::move(copy));
    }
    size_t last_document = SIZE_MAX;
    for (uint32_t s : selection) {
        const auto number = static_cast<uint32_t>(out.sentence_count());
        if (!documents.empty()) {
            const size_t document = static_cast<size_t>(std::upper_bound(documents.begin(), documents.end(), s) - documents.begin());
            if (document != last_document) out.documents.push_back(number);
            last_document = document;
        }
        auto aside = std::lower_bound(asides.begin(), asides.end(), s, [](const Aside& a, uint32_t sentence) { return a.sentence < sentence; });
        for (; aside != asides.end() && aside->sentence == s; ++aside) out.asides.push_back({number, aside->position, aside->line});
        out.sentences.push_back(out.sentences.back() + sentences[s + 1] - sentences[s]);
    }
    return out;
}

std::pair<uint32_t, uint32_t> Columns::document_of(uint32_t sentence) const {
    check_sentence(sentence);
    if (documents.empty()) return {sentence, sentence + 1};
    const auto next = std::upper_bound(documents.begin(), documents.end(), sentence);
    return {next == documents.begin() ? 0 : *(next - 1), next == documents.end() ? static_cast<uint32_t>(sentence_count()) : *next};
}

ColumnsBuilder::ColumnsBuilder(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        tables_.push_back(std::make_shared<StringTable>());
        columns_.columns.push_back({name, tables_.back(), {}});
    }
}

void ColumnsBuilder::end_sentence() {
    if (tokens_in_sentence() > 0) add_sentence();
}

void ColumnsBuilder::add_sentence() {
    if (columns_.columns[0].ids.size() >= UINT32_MAX) throw InputFault("more than 4 billion tokens in one corpus");
    if (document_pending_) {
        columns_.documents.push_back(sentence_count());
        document_pending_ = false;
    }
    columns_.sentences.push_back(static_cast<uint32_t>(columns_.columns[0].ids.size()));
}

void ColumnsBuilder::start_document() {
    end_sentence();
    // Sentences before the first mark are a document.
    if (columns_.documents.empty() && sentence_count() > 0) columns_.documents.push_back(0);
    document_pending_ = true;
}

Columns ColumnsBuilder::finish() {
    end_sentence();
    for (Column& column : columns_.columns) column.ids.shrink_to_fit();
    columns_.sentences.shrink_to_fit();
    // Drop comments after the last sentence.
    while (!columns_.asides.empty() && columns_.asides.back().sentence >= sentence_count()) columns_.asides.pop_back();
    return std::move(columns_);
}

}  // namespace tagpool

#include "bindings/tagging.hpp"
#include "text/label_lines.hpp"

namespace tagpool {
namespace {

// Looks up the features of a token together, so that their cache misses overlap.
class IndexedFeatures {
public:
    explicit IndexedFeatures(const FrozenIndex& slots) : slots_(slots) {}
    void add(std::string_view name, float value, Encoding&) {
        const uint64_t key = hash_bytes(name);
        slots_.prefetch(key);
        pending_.push_back({key, value});
    }
    void end_token(Encoding& out) {
        for (const auto& [key, value] : pending_)
            if (const uint32_t place = slots_.find(key); place != FrozenIndex::kNone) out.append(place, value);
        pending_.clear();
        out.end_token();
    }

private:
    const FrozenIndex& slots_;
    std::vector<std::pair<uint64_t, float>> pending_;
};

}  // namespace

Encoding encode_given(const FrozenIndex& slots, bool given, nb::handle sentences) {
    if (!given) throw InputFault("this model was trained on words, not on given features");
    Encoding out;
    IndexedFeatures features(slots);
    FeatureReader(features, out).sentences(sentences);
    return out;
}

LabelLists as_lists(const std::vector<std::string>& labels, const std::vector<int32_t>& numbers, const std::vector<uint32_t>& sentences) {
    std::vector<nb::object> texts;
    for (const std::string& label : labels) texts.push_back(to_str(label));
    nb::list out;
    for (size_t s = 0; s + 1 < sentences.size(); ++s) {
        const int32_t* const labelled = numbers.data() + sentences[s];
        out.append(list_of(sentences[s + 1] - sentences[s], [&](size_t t) { return texts[static_cast<size_t>(labelled[t])].ptr(); }));
    }
    return out;
}

LabelledText label_lines(const nb::bytes& text, const std::vector<int32_t>& numbers, const std::vector<std::string>& labels, std::optional<bool> tabs) {
    const std::optional<LabelledLines> lines = append_labels(bytes_view(text), numbers, labels, tabs);
    if (!lines) return std::nullopt;
    return std::pair{nb::bytes(lines->text.data(), lines->text.size()), lines->tabs};
}

Columns columns_of(std::vector<std::string> names, nb::handle sentences) {
    if (names.empty()) names.emplace_back("word");
    ColumnsBuilder builder(names);
    size_t number = 0;
    for (nb::handle sentence : sentences) {
        const std::string place = concat("sentence ", ++number);
        const bool is_dict = PyDict_Check(sentence.ptr());
        if (!is_dict && names.size() > 1) {
            std::string all;
            for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
            throw InputFault("the model was trained with the columns " + all + "; words alone are not enough: give a Corpus or dicts of columns, or train on words only, such as with the templates \"ner\"");
        }
        size_t length = 0;
        for (size_t column = 0; column < names.size(); ++column) {
            const nb::handle tokens = is_dict ? PyDict_GetItemString(sentence.ptr(), names[column].c_str()) : sentence.ptr();
            if (!tokens) throw InputFault(place + " has no column \"" + names[column] + "\", which the model was trained with");
            if (PyUnicode_Check(tokens.ptr())) throw InputFault(place + ": expected a list of words, got one string; split it with tokenize");
            const size_t count = read_tokens(tokens, number, is_dict ? names[column] : "", [&](std::string_view text) { builder.add(column, text); });
            if (column > 0 && count != length) throw InputFault(place + ": the columns have different numbers of tokens");
            length = count;
        }
        builder.add_sentence();
    }
    return builder.finish();
}

std::vector<std::string> keys_in(const std::optional<Program>& program) {
    std::vector<std::string> keys;
    if (program)
        for (const Template& conjunction : program->templates) keys.push_back(conjunction.key);
    return keys;
}

void add_to(Tensors& tensors, const StringDict<nb::str>& texts, const StringDict<nb::bytes>& arrays) {
    for (auto [key, value] : texts) tensors.set(nb::cast<std::string>(key), nb::cast<std::string>(value));
    for (auto [name, value] : arrays) {
        const auto bytes = nb::cast<nb::bytes>(value);
        tensors.add(nb::cast<std::string>(name), Type::u8, {bytes.size()}, bytes.c_str(), nullptr);
    }
}

nb::str decode_text(const std::string& text) {
    PyObject* const decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict");
    if (decoded) return nb::steal<nb::str>(decoded);
    PyErr_Clear();
    throw InputFault("damaged file: a text is not UTF-8");
}

}  // namespace tagpool

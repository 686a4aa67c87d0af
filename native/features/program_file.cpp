#include "features/program_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/fault.hpp"
#include "base/json.hpp"
#include "features/lexicon_file.hpp"

namespace tagpool {
namespace {

constexpr int kFurthest = 64;  // offsets and windows

void write_strings(Tensors& to, const std::string& name, const std::vector<std::string_view>& strings) {
    std::vector<uint8_t> bytes;
    std::vector<uint64_t> ends;
    for (std::string_view text : strings) {
        bytes.insert(bytes.end(), text.begin(), text.end());
        ends.push_back(bytes.size());
    }
    to.add(name + ".bytes", std::move(bytes));
    to.add(name + ".ends", std::move(ends));
}

std::vector<std::string_view> read_strings(const Tensors& from, const std::string& name) {
    const auto bytes = from.array<uint8_t>(name + ".bytes");
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<std::string_view> out;
    size_t begin = 0;
    for (const uint64_t end : from.array<uint64_t>(name + ".ends")) {
        if (end < begin || end > all.size()) throw InputFault("the texts of \"" + name + "\" are out of order");
        out.push_back(all.substr(begin, end - begin));
        begin = end;
    }
    return out;
}

}  // namespace

void write_lexicon(const WordLexicon& lexicon, const std::string& name, Tensors& to) {
    std::vector<std::string_view> words, values;
    std::map<std::string_view, uint32_t> numbers;
    std::vector<uint32_t> value_of;
    for (uint32_t i = 0; i < lexicon.size(); ++i) {
        words.push_back(lexicon.word(i));
        const auto [place, fresh] = numbers.emplace(lexicon.value_at(i), static_cast<uint32_t>(values.size()));
        if (fresh) values.push_back(lexicon.value_at(i));
        value_of.push_back(place->second);
    }
    write_strings(to, name + ".words", words);
    write_strings(to, name + ".values", values);
    to.add(name + ".value_of", std::move(value_of));
}

namespace {

std::shared_ptr<const WordLexicon> read_words(const Tensors& from, const std::string& name) {
    const auto words = read_strings(from, name + ".words"), values = read_strings(from, name + ".values");
    const auto value_of = from.array<uint32_t>(name + ".value_of");
    if (value_of.size() != words.size()) throw InputFault("a lexicon has not one value a word");
    auto lexicon = std::make_shared<WordLexicon>();
    for (size_t i = 0; i < words.size(); ++i) {
        if (value_of[i] >= values.size()) throw InputFault("a lexicon has a value that is not there");
        lexicon->add(words[i], values[value_of[i]]);
    }
    return lexicon;
}

}  // namespace

void write_lexicon(const PhraseLexicon& lexicon, const std::string& name, Tensors& to) {
    std::vector<std::string_view> lists;
    for (uint16_t i = 0; i < lexicon.list_count(); ++i) lists.push_back(lexicon.list_name(i));
    write_strings(to, name + ".lists", lists);
    std::vector<uint64_t> hashes, ends;
    std::vector<uint32_t> sets;
    std::vector<uint16_t> members;
    std::vector<PhraseLexicon::Entry> entries = lexicon.entries();
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.hash < b.hash; });
    for (const PhraseLexicon::Entry& entry : entries) {
        hashes.push_back(entry.hash);
        sets.push_back(entry.lists);
    }
    for (const auto& set : lexicon.list_sets()) {
        members.insert(members.end(), set.begin(), set.end());
        ends.push_back(members.size());
    }
    to.add(name + ".hashes", std::move(hashes));
    to.add(name + ".sets", std::move(sets));
    to.add(name + ".set_ends", std::move(ends));
    to.add(name + ".set_members", std::move(members));
}

namespace {

std::shared_ptr<const PhraseLexicon> read_phrases(const Tensors& from, const std::string& name) {
    std::vector<std::string> lists;
    for (std::string_view list : read_strings(from, name + ".lists")) lists.emplace_back(list);
    const auto hashes = from.array<uint64_t>(name + ".hashes");
    const auto sets = from.array<uint32_t>(name + ".sets");
    if (hashes.size() != sets.size()) throw InputFault("a gazetteer has not one set of lists a phrase");
    const auto members = from.array<uint16_t>(name + ".set_members");
    std::vector<std::vector<uint16_t>> list_sets;
    size_t begin = 0;
    for (const uint64_t end : from.array<uint64_t>(name + ".set_ends")) {
        if (end < begin || end > members.size()) throw InputFault("the lists of a gazetteer are out of order");
        list_sets.emplace_back(members.begin() + static_cast<std::ptrdiff_t>(begin), members.begin() + static_cast<std::ptrdiff_t>(end));
        begin = end;
    }
    std::vector<PhraseLexicon::Entry> entries;
    for (size_t i = 0; i < hashes.size(); ++i) entries.push_back({hashes[i], sets[i]});
    return std::make_shared<const PhraseLexicon>(PhraseLexicon::restored(std::move(lists), list_sets, entries));
}

}  // namespace

void write_lexicon(const VectorLexicon& lexicon, const std::string& name, Tensors& to) {
    std::vector<std::string_view> words;
    std::vector<float> vectors;
    vectors.reserve(size_t{lexicon.size()} * lexicon.width());
    for (uint32_t i = 0; i < lexicon.size(); ++i) {
        words.push_back(lexicon.word(i));
        const float* const vector = lexicon.vector(lexicon.word(i));
        vectors.insert(vectors.end(), vector, vector + lexicon.width());
    }
    write_strings(to, name + ".words", words);
    auto kept = std::make_shared<const std::vector<float>>(std::move(vectors));
    to.add(name + ".vectors", Type::f32, {lexicon.size(), lexicon.width()}, kept->data(), kept);
}

namespace {

std::shared_ptr<const VectorLexicon> read_vectors(const Tensors& from, const std::string& name) {
    const auto vectors = from.array<float>(name + ".vectors");
    const std::vector<size_t>& shape = from.find(name + ".vectors")->shape;
    if (shape.size() != 2 || shape[1] > UINT32_MAX || !std::all_of(vectors.begin(), vectors.end(), [](float value) { return std::isfinite(value); }))
        throw InputFault("the vectors of words cannot be");
    RowLexicon words;
    uint32_t row = 0;
    for (const std::string_view word : read_strings(from, name + ".words")) words.add(word, row++);
    return std::make_shared<const VectorLexicon>(std::move(words), std::vector<float>(vectors.begin(), vectors.end()), static_cast<uint32_t>(shape[1]));
}

// Lexicons by number, each written once however many atoms look into it.
template <class Lexicon>
class Numbered {
public:
    size_t of(const std::shared_ptr<const Lexicon>& lexicon, const std::string& name, Tensors& to) {
        const auto [place, fresh] = numbers_.emplace(lexicon.get(), numbers_.size());
        if (fresh) write_lexicon(*lexicon, name + std::to_string(place->second), to);
        return place->second;
    }
    template <class Read>
    std::shared_ptr<const Lexicon> at(size_t number, const std::string& name, const Tensors& from, Read&& read) {
        auto& found = known_[number];
        if (!found) found = read(from, name + std::to_string(number));
        return found;
    }

private:
    std::map<const Lexicon*, size_t> numbers_;
    std::map<size_t, std::shared_ptr<const Lexicon>> known_;
};

std::string boolean(bool value) { return value ? "true" : "false"; }

constexpr int64_t kMostLexicons = 1 << 20;

// The lexicons of a program's atoms, under its name.
struct Lexicons {
    std::string name;
    Numbered<WordLexicon> words;
    Numbered<PhraseLexicon> phrases;
    Numbered<VectorLexicon> vectors;
};

void write_atom(const Atom& atom, Lexicons& lexicons, Tensors& to, std::string& out) {
    out += "{\"kind\":\"" + std::string(kAtomKindNames[static_cast<size_t>(atom.kind)]) + "\",\"column\":";
    append_quoted(out, atom.column);
    out += ",\"total\":" + boolean(atom.total) + ",\"plain\":" + boolean(atom.plain) + ",\"window\":[" + std::to_string(atom.a) + "," +
           std::to_string(atom.b) + "],\"steps\":[";
    for (size_t k = 0; k < atom.function.steps().size(); ++k) {
        const Step& step = atom.function.steps()[k];
        out += std::string(k ? "," : "") + "[\"" + std::string(kFunctionNames[static_cast<size_t>(step.function)]) + "\"," + std::to_string(step.a) + "," +
               std::to_string(step.b);
        if (step.lexicon) out += "," + std::to_string(lexicons.words.of(step.lexicon, lexicons.name + ".words.", to));
        out += "]";
    }
    out += "]";
    if (atom.phrases) out += ",\"phrases\":" + std::to_string(lexicons.phrases.of(atom.phrases, lexicons.name + ".phrases.", to));
    if (atom.vectors) out += ",\"vectors\":" + std::to_string(lexicons.vectors.of(atom.vectors, lexicons.name + ".vectors.", to));
    if (atom.inner) {
        out += ",\"gathering\":\"" + std::string(kGatheringNames[static_cast<size_t>(atom.gathering)]) + "\",\"inner\":";
        write_atom(*atom.inner, lexicons, to, out);
    }
    out += "}";
}

Atom read_atom(const Json& each, Lexicons& lexicons, const Tensors& from, bool is_inner = false) {
    Atom atom;
    atom.kind = named<AtomKind>(kAtomKindNames, each.at("kind").as_string());
    atom.column = each.at("column").as_string();
    atom.total = each.at("total").as_bool();
    atom.plain = each.at("plain").as_bool();
    atom.a = static_cast<int>(each.at("window").at(size_t{0}).as_integer(-kFurthest, kFurthest));
    atom.b = static_cast<int>(each.at("window").at(size_t{1}).as_integer(atom.a, kFurthest));
    std::vector<Step> steps;
    for (const Json& part : each.at("steps").as_array()) {
        Step step{named<Function>(kFunctionNames, part.at(size_t{0}).as_string()), 0, 0, nullptr};
        step.a = static_cast<int>(part.at(1).as_integer(0, INT32_MAX));
        step.b = static_cast<int>(part.at(2).as_integer(0, INT32_MAX));
        if (step.function == Function::lookup)
            step.lexicon = lexicons.words.at(static_cast<size_t>(part.at(3).as_integer(0, kMostLexicons)), lexicons.name + ".words.", from, read_words);
        steps.push_back(std::move(step));
    }
    atom.function = WordFunction(std::move(steps));
    if (atom.kind == AtomKind::gazetteer)
        atom.phrases = lexicons.phrases.at(static_cast<size_t>(each.at("phrases").as_integer(0, kMostLexicons)), lexicons.name + ".phrases.", from, read_phrases);
    if (atom.kind == AtomKind::embedding)
        atom.vectors = lexicons.vectors.at(static_cast<size_t>(each.at("vectors").as_integer(0, kMostLexicons)), lexicons.name + ".vectors.", from, read_vectors);
    if (atom.kind == AtomKind::elsewhere) {
        if (is_inner) throw InputFault("an atom that looks elsewhere is inside another one");
        atom.gathering = named<Gathering>(kGatheringNames, each.at("gathering").as_string());
        atom.inner = std::make_shared<const Atom>(read_atom(each.at("inner"), lexicons, from, true));
    }
    atom.check();
    return atom;
}

}  // namespace

void write_program(const Program& program, const std::string& name, Tensors& to) {
    Lexicons lexicons{name, {}, {}, {}};
    std::string out = "{\"boundary\":" + boolean(program.boundary) + ",\"atoms\":[";
    for (size_t i = 0; i < program.atoms.size(); ++i) {
        out += i ? "," : "";
        write_atom(program.atoms[i], lexicons, to, out);
    }
    out += "],\"templates\":[";
    for (size_t i = 0; i < program.templates.size(); ++i) {
        const Template& each = program.templates[i];
        out += i ? ",[" : "[";
        append_quoted(out, each.key);
        for (const Term& term : each.terms) out += ",[" + std::to_string(term.atom) + "," + std::to_string(term.offset) + "]";
        out += "]";
    }
    to.set(name, out + "]}");
}

Program read_program(const Tensors& from, const std::string& name) {
    const Json source = Json::parse(from.text(name));
    Lexicons lexicons{name, {}, {}, {}};
    Program program;
    program.boundary = source.at("boundary").as_bool();
    for (const Json& each : source.at("atoms").as_array()) program.atoms.push_back(read_atom(each, lexicons, from));
    for (const Json& each : source.at("templates").as_array()) {
        Template made{each.at(size_t{0}).as_string(), {}};
        for (size_t i = 1; i < each.items.size(); ++i) {
            const auto atom = each.at(i).at(size_t{0}).as_integer(0, static_cast<int64_t>(program.atoms.size()) - 1);
            const auto offset = each.at(i).at(1).as_integer(-kFurthest, kFurthest);
            made.terms.push_back({static_cast<uint32_t>(atom), static_cast<int>(offset)});
        }
        if (made.terms.empty()) throw InputFault("a template has no terms");
        if (made.terms.size() > 1 && std::any_of(made.terms.begin(), made.terms.end(), [&](const Term& term) {
                return program.atoms[term.atom].kind == AtomKind::embedding;
            })) throw InputFault("an embedding is part of a conjunction");
        program.templates.push_back(std::move(made));
    }
    if (program.templates.size() > UINT16_MAX) throw InputFault("more than 65,535 templates");
    return program;
}

}  // namespace tagpool

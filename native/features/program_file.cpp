#include "features/program_file.hpp"

#include <algorithm>
#include <map>

#include "base/fault.hpp"
#include "base/json.hpp"
#include "features/lexicon_file.hpp"

namespace tagpool {
namespace {

// Numbers lexicons, so that one that several atoms share is written and read once.
template <class Lexicon>
class SharedLexicons {
public:
    explicit SharedLexicons(std::string prefix) : prefix_(std::move(prefix)) {}

    std::string write(const std::shared_ptr<const Lexicon>& lexicon, Tensors& to) {
        const auto [number, inserted] = numbers_.emplace(lexicon.get(), std::to_string(numbers_.size()));
        if (inserted) write_lexicon(*lexicon, prefix_ + number->second, to);
        return number->second;
    }
    template <class Read>
    std::shared_ptr<const Lexicon> read(const Json& number, const Tensors& from, Read&& read_lexicon) {
        constexpr int64_t kMaxLexicons = 1 << 20;
        const int64_t index = number.as_integer(0, kMaxLexicons);
        auto& lexicon = lexicons_[index];
        if (!lexicon) lexicon = read_lexicon(from, prefix_ + std::to_string(index));
        return lexicon;
    }

private:
    std::string prefix_;                                          // of array names
    std::map<const Lexicon*, std::string> numbers_;               // written
    std::map<int64_t, std::shared_ptr<const Lexicon>> lexicons_;  // read, by number
};

const char* boolean(bool value) { return value ? "true" : "false"; }

// The lexicons of a program's atoms.
struct Lexicons {
    explicit Lexicons(const std::string& program) : words(program + ".words."), phrases(program + ".phrases."), vectors(program + ".vectors.") {}
    SharedLexicons<WordLexicon> words;
    SharedLexicons<PhraseLexicon> phrases;
    SharedLexicons<VectorLexicon> vectors;
};

void write_atom(const Atom& atom, Lexicons& lexicons, Tensors& to, std::string& out) {
    out += concat("{\"kind\":\"", kAtomKindNames[static_cast<size_t>(atom.kind)], "\",\"column\":");
    append_quoted(out, atom.column);
    out += concat(",\"total\":", boolean(atom.total), ",\"plain\":", boolean(atom.plain));
    out += concat(",\"window\":[", atom.first_offset, ",", atom.last_offset, "],\"steps\":[");
    for (const Step& step : atom.function.steps()) {
        out += concat(out.back() == '[' ? "[\"" : ",[\"", step.function->name, "\",", step.a, ",", step.b);
        if (step.lexicon) out += concat(",", lexicons.words.write(step.lexicon, to));
        out += "]";
    }
    out += "]";
    if (atom.phrases) out += ",\"phrases\":" + lexicons.phrases.write(atom.phrases, to);
    if (atom.vectors) out += ",\"vectors\":" + lexicons.vectors.write(atom.vectors, to);
    if (atom.inner) {
        out += concat(",\"gathering\":\"", kGatheringNames[static_cast<size_t>(atom.gathering)], "\",\"inner\":");
        write_atom(*atom.inner, lexicons, to, out);
    }
    out += "}";
}

Atom read_atom(const Json& source, Lexicons& lexicons, const Tensors& from, bool is_inner = false) {
    Atom atom;
    atom.kind = named<AtomKind>(kAtomKindNames, source.at("kind").as_string());
    atom.column = source.at("column").as_string();
    atom.plain = source.at("plain").as_bool();
    const Json& window = source.at("window");
    atom.first_offset = static_cast<int>(window.at(size_t{0}).as_integer(-kMaxOffset, kMaxOffset));
    atom.last_offset = static_cast<int>(window.at(size_t{1}).as_integer(atom.first_offset, kMaxOffset));
    std::vector<Step> steps;
    for (const Json& part : source.at("steps").as_array()) {
        Step step{&find_function(part.at(size_t{0}).as_string())};
        step.a = static_cast<int>(part.at(1).as_integer(0, WordFunction::kMaxLength));
        step.b = static_cast<int>(part.at(2).as_integer(0, WordFunction::kMaxLength));
        if (step.function->needs_lexicon()) step.lexicon = lexicons.words.read(part.at(3), from, read_word_lexicon);
        steps.push_back(std::move(step));
    }
    atom.function = WordFunction(std::move(steps));
    if (atom.kind == AtomKind::gazetteer) atom.phrases = lexicons.phrases.read(source.at("phrases"), from, read_phrase_lexicon);
    if (atom.kind == AtomKind::embedding) atom.vectors = lexicons.vectors.read(source.at("vectors"), from, read_vector_lexicon);
    if (atom.kind == AtomKind::elsewhere) {
        if (is_inner) throw InputFault("an elsewhere atom inside another one");
        atom.gathering = named<Gathering>(kGatheringNames, source.at("gathering").as_string());
        atom.inner = std::make_shared<const Atom>(read_atom(source.at("inner"), lexicons, from, true));
    }
    atom.check();
    return atom;
}

}  // namespace

void write_program(const Program& program, const std::string& name, Tensors& to) {
    Lexicons lexicons(name);
    std::string out = concat("{\"boundary\":", boolean(program.boundary), ",\"atoms\":[");
    for (const Atom& atom : program.atoms) {
        out += out.back() == '[' ? "" : ",";
        write_atom(atom, lexicons, to, out);
    }
    out += "],\"templates\":[";
    for (const Template& source : program.templates) {
        out += out.back() == '[' ? "[" : ",[";
        append_quoted(out, source.key);
        for (const Term& term : source.terms) out += concat(",[", term.atom, ",", term.offset, "]");
        out += "]";
    }
    to.set(name, out + "]}");
}

namespace {

Program parse_program(const Json& source, const std::string& name, const Tensors& from) {
    Lexicons lexicons(name);
    Program program;
    program.boundary = source.at("boundary").as_bool();
    for (const Json& atom : source.at("atoms").as_array()) program.atoms.push_back(read_atom(atom, lexicons, from));
    for (const Json& item : source.at("templates").as_array()) {
        Template read{item.at(size_t{0}).as_string(), {}};
        for (size_t i = 1; i < item.as_array().size(); ++i) {
            const auto atom = item.at(i).at(size_t{0}).as_integer(0, static_cast<int64_t>(program.atoms.size()) - 1);
            const auto offset = item.at(i).at(1).as_integer(-kMaxOffset, kMaxOffset);
            read.terms.push_back({static_cast<uint32_t>(atom), static_cast<int>(offset)});
        }
        program.templates.push_back(std::move(read));
    }
    program.check();
    return program;
}

}  // namespace

Program read_program(const Tensors& from, const std::string& name) {
    const Json source = Json::parse(from.text(name));
    try {
        return parse_program(source, name, from);
    } catch (const InputFault& fault) {
        throw InputFault(concat("damaged model: the templates \"", name, "\": ", fault.what()));
    }
}

}  // namespace tagpool

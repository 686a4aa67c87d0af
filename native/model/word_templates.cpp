#include "model/word_templates.hpp"

#include <map>
#include <utility>

namespace tagpool {
namespace {

// Smaller groups are not faster than single features.
constexpr int kMinFeatures = 4;

// A lower bound of the features of a template at a token.
int features_of(const Atom& atom) {
    if (atom.function.is_identity()) return 1;
    switch (atom.function.steps().back().function->count) {
        case Function::Count::many: return kMinFeatures;
        case Function::Count::several: return 2;
        default: return 1;
    }
}

// Appends a template with its missing atoms.
class ProgramPart {
public:
    explicit ProgramPart(const Program& whole) : whole_(whole) { out_.boundary = whole.boundary; }
    void add(Template added, bool at_offset_0) {
        for (Term& term : added.terms) {
            const auto [place, is_new] = numbers_.emplace(term.atom, static_cast<uint32_t>(out_.atoms.size()));
            if (is_new) out_.atoms.push_back(whole_.atoms[term.atom]);
            term.atom = place->second;
            if (at_offset_0) term.offset = 0;
        }
        out_.templates.push_back(std::move(added));
    }
    Program take() { return std::move(out_); }

private:
    const Program& whole_;
    Program out_;
    std::map<uint32_t, uint32_t> numbers_;
};

}  // namespace

WordTemplates::WordTemplates(const Program& program) {
    using Key = std::pair<std::string, int>;
    std::map<Key, int> features;
    const auto sees_one_string = [&](const Template& source) {
        return source.terms.size() == 1 && program.atoms[source.terms[0].atom].kind == AtomKind::word;
    };
    const auto key_of = [&](const Template& source) { return Key(program.atoms[source.terms[0].atom].column, source.terms[0].offset); };
    for (const Template& source : program.templates)
        if (sees_one_string(source)) features[key_of(source)] += features_of(program.atoms[source.terms[0].atom]);
    ProgramPart others(program);
    std::map<Key, std::pair<ProgramPart, ProgramPart>> parts;
    for (const Template& source : program.templates) {
        if (!sees_one_string(source) || features[key_of(source)] < kMinFeatures) {
            others.add(source, false);
            continue;
        }
        const auto part = parts.try_emplace(key_of(source), ProgramPart(program), ProgramPart(program)).first;
        part->second.first.add(source, true);
        part->second.second.add(source, false);
    }
    rest = others.take();
    for (auto& [key, part] : parts) groups.push_back({key.first, key.second, part.first.take(), part.second.take()});
}

}  // namespace tagpool

#include "features/program.hpp"

#include <unordered_set>

namespace tagpool {
void Atom::check() {
    const std::vector<Step>& steps = function.steps();
    if (first_offset > last_offset || first_offset < -kMaxOffset || last_offset > kMaxOffset)
        throw InputFault(concat("window: expected offsets from -64 to 64 in order, got ", first_offset, "..", last_offset));
    const bool is_single = steps.empty() || steps.back().function->count <= Function::Count::at_most_one;
    if ((kind == AtomKind::gazetteer || kind == AtomKind::disjunction || kind == AtomKind::embedding) && !is_single)
        throw InputFault("a gazetteer, a disjunction and an embedding need a word function with at most one value");
    if ((kind == AtomKind::gazetteer) != static_cast<bool>(phrases)) throw InputFault("a gazetteer atom needs phrases, and no other atom has them");
    if ((kind == AtomKind::embedding) != static_cast<bool>(vectors)) throw InputFault("an embedding atom needs vectors, and no other atom has them");
    if ((kind == AtomKind::elsewhere) != static_cast<bool>(inner))
        throw InputFault("an elsewhere atom needs an inner atom, and no other atom has one");
    if (inner && (inner->inner || inner->kind == AtomKind::number || inner->kind == AtomKind::embedding))
        throw InputFault("an elsewhere atom needs an inner atom other than elsewhere, number and embedding");
    total = kind == AtomKind::word &&
            std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.function->count == Function::Count::one; });
}

void Program::check() const {
    if (templates.size() > kMaxTemplates) throw InputFault("more than 65,535 templates");
    for (const Template& source : templates) {
        const auto fail = [&](const std::string& problem) { throw InputFault("template \"" + source.key + "\": " + problem); };
        if (source.key.find_first_of(std::string_view("=\0", 2)) != std::string::npos) fail("a key without = and NUL is needed for names");
        if (source.terms.empty()) fail("expected at least one term");
        if (source.terms.size() > kMaxTerms) fail(concat("a conjunction of more than ", kMaxTerms, " terms"));
        for (const Term& term : source.terms) {
            if (term.atom >= atoms.size() || term.offset < -kMaxOffset || term.offset > kMaxOffset)
                fail("a term is out of range; offsets go from -64 to 64");
            if (source.terms.size() > 1 && atoms[term.atom].kind == AtomKind::embedding) fail("an embedding in a conjunction; use it alone");
        }
    }
}

std::vector<std::string> columns_in(std::initializer_list<const std::optional<Program>*> programs) {
    std::vector<std::string> columns;
    std::unordered_set<std::string_view> known = {""};
    const auto add = [&](const std::string& column) {
        if (known.insert(column).second) columns.push_back(column);
    };
    for (const std::optional<Program>* program : programs) {
        if (!*program) continue;
        for (const Atom& atom : (*program)->atoms) {
            add(atom.column);
            if (atom.inner) add(atom.inner->column);
        }
    }
    return columns;
}

}  // namespace tagpool

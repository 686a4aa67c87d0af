#include "features/encode.hpp"

#include <memory>

#include "base/fault.hpp"
#include "bindings/bindings.hpp"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

using TermPair = std::pair<uint32_t, int>;
using TemplatePair = std::pair<std::string, std::vector<TermPair>>;

Program make_program(const std::vector<Atom>& atoms, const std::vector<TemplatePair>& templates, bool boundary) {
    Program program{atoms, {}, boundary};
    for (const auto& [key, terms] : templates) {
        Template each{key, {}};
        for (const auto& [atom, offset] : terms) {
            if (atom >= atoms.size() || offset < -64 || offset > 64) throw InputFault("a template term is out of range");
            each.terms.push_back({atom, offset});
        }
        if (each.terms.empty()) throw InputFault("a template has no terms");
        program.templates.push_back(std::move(each));
    }
    return program;
}

// The embedding row of every token, -1 where the word has none.
nb::object dense_rows(const Columns& columns, const std::string& name, const WordFunction& function, const RowLexicon& lexicon) {
    const Column* column = columns.find(name);
    if (!column) throw InputFault("the corpus has no column \"" + name + "\"");
    std::vector<int32_t> row_of(column->strings->size());
    std::vector<std::string> values;
    for (uint32_t i = 0; i < row_of.size(); ++i) {
        values.clear();
        function.values((*column->strings)[i], Values(values));
        row_of[i] = values.empty() ? -1 : lexicon.row(values[0]);
    }
    std::vector<int32_t> rows(column->ids.size());
    for (size_t t = 0; t < rows.size(); ++t) rows[t] = row_of[column->ids[t]];
    return owned(std::move(rows));
}

}  // namespace

void bind_encoder(nb::module_& m) {
    nb::class_<Atom>(m, "Atom")
        .def("__init__", [](Atom* self, std::string_view name, const std::string& column, const WordFunction& function, bool total,
                            bool plain, int a, int b, std::shared_ptr<PhraseLexicon> phrases, std::shared_ptr<VectorLexicon> vectors,
                            const Atom* inner, std::string_view gathering) {
            if (a > b || a < -64 || b > 64) throw InputFault("an atom's window is out of range");
            Atom atom{named<AtomKind>(kAtomKindNames, name), column, function, total, plain, a, b, std::move(phrases), std::move(vectors),
                      inner ? std::make_shared<const Atom>(*inner) : nullptr, named<Gathering>(kGatheringNames, gathering)};
            atom.check();
            new (self) Atom(std::move(atom));
        }, nb::arg("kind"), nb::arg("column"), nb::arg("function"), nb::arg("total") = false, nb::arg("plain") = false,
             nb::arg("a") = 0, nb::arg("b") = 0, nb::arg("phrases") = nb::none(), nb::arg("vectors") = nb::none(),
             nb::arg("inner").none() = nb::none(), nb::arg("gathering") = "each");

    nb::class_<Encoding>(m, "Encoding")
        .def_prop_ro("token_count", &Encoding::token_count)
        .def_prop_ro("occurrence_count", [](const Encoding& e) { return e.ids.size(); })
        .def_prop_ro("has_values", [](const Encoding& e) { return !e.values.empty(); })
        .def("starts", [](nb::handle self) {
            const auto& e = nb::cast<const Encoding&>(self);
            return view(e.starts.data(), e.starts.size(), self);
        })
        .def("ids", [](nb::handle self) {
            const auto& e = nb::cast<const Encoding&>(self);
            return view(e.ids.data(), e.ids.size(), self);
        })
        .def("values", [](nb::handle self) {
            const auto& e = nb::cast<const Encoding&>(self);
            return view(e.values.data(), e.values.size(), self);
        })
        .def("sentences", [](nb::handle self) {
            const auto& e = nb::cast<const Encoding&>(self);
            return view(e.sentences.data(), e.sentences.size(), self);
        })
        .def("restricted", [](const Encoding& e, const nb::bytes& keep) {
            const std::string_view marks = bytes_view(keep);
            for (uint32_t id : e.ids)
                if (id >= marks.size()) throw InputFault("the marks do not cover every feature");
            return restricted(e, std::vector<uint8_t>(marks.begin(), marks.end()));
        }, nb::arg("keep"));

    nb::class_<Encoder>(m, "Encoder")
        .def("__init__", [](Encoder* self, const std::vector<Atom>& atoms, const std::vector<TemplatePair>& templates,
                            bool boundary, uint32_t minimum_count, uint32_t hash_size) {
            new (self) Encoder(make_program(atoms, templates, boundary), minimum_count, hash_size);
        }, nb::arg("atoms"), nb::arg("templates"), nb::arg("boundary"), nb::arg("minimum_count"), nb::arg("hash_size"))
        .def("fit", [](Encoder& e, std::shared_ptr<Columns> columns, std::vector<std::string> known) {
            nb::gil_scoped_release release;
            return e.fit(std::move(columns), std::move(known));
        }, nb::arg("columns"), nb::arg("known") = std::vector<std::string>())
        .def("keep", [](Encoder& e, const nb::bytes& marks, Encoding& encoding) {
            const std::string_view given = bytes_view(marks);
            nb::gil_scoped_release release;
            e.keep({given.begin(), given.end()}, encoding);
        }, nb::arg("marks"), nb::arg("encoding"))
        .def("encode", &Encoder::encode, nb::arg("columns"), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("feature_count", &Encoder::feature_count)
        .def("counts", [](Encoder& e) { return owned(e.counts()); })
        .def("template_numbers", [](const Encoder& e) { return owned(e.template_numbers()); })
        .def("keys", [](const Encoder& e) { return owned(e.keys()); })
        .def("names", [](Encoder& e) { return e.names(); })
        .def("packed_names", [](Encoder& e) {
            const std::vector<std::string>& names = e.names();
            return packed({names.begin(), names.end()}, '\0');
        })
        .def("describe", &Encoder::describe, nb::arg("columns"), nb::arg("sentence"));

    m.def("dense_rows", &dense_rows, nb::arg("columns"), nb::arg("column"), nb::arg("function"), nb::arg("lexicon"));
}

}  // namespace tagpool

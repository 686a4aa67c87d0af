#include "features/given.hpp"

#include "bindings/walker.hpp"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tagpool {

void bind_given(nb::module_& m) {
    nb::class_<GivenFeatures>(m, "GivenFeatures")
        .def(nb::init<>())
        .def("fit", [](GivenFeatures& features, nb::handle sentences, uint32_t minimum_count, const std::vector<std::string>& known) {
            features = GivenFeatures(known);
            Encoding out;
            Walker(features, out).sentences(sentences);
            features.freeze(out, minimum_count);
            return out;
        }, nb::arg("sentences"), nb::arg("minimum_count"), nb::arg("known") = std::vector<std::string>())
        .def("encode", [](GivenFeatures& features, nb::handle sentences) {
            if (!features.frozen()) throw InputFault("encode comes after fit");
            Encoding out;
            Walker(features, out).sentences(sentences);
            return out;
        }, nb::arg("sentences"))
        .def_prop_ro("feature_count", &GivenFeatures::feature_count)
        .def("counts", [](const GivenFeatures& f) { return f.counts(); })
        .def("keys", [](const GivenFeatures& f) { return f.keys(); })
        .def("packed_names", [](const GivenFeatures& f) {
            std::vector<std::string_view> names;
            for (uint32_t i = 0; i < f.feature_count(); ++i) names.push_back(f.name(i));
            return packed(std::move(names), '\0');
        })
        .def("names", [](const GivenFeatures& f) {
            nb::list out;
            for (uint32_t i = 0; i < f.feature_count(); ++i) out.append(nb::str(f.name(i).data(), f.name(i).size()));
            return out;
        });
}

}  // namespace tagpool

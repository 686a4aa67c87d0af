#include "base/hash.hpp"
#include "base/fault.hpp"
#include "text/tokenize.hpp"
#include "text/unicode.hpp"
#include "features/words.hpp"
#include "bindings/bindings.hpp"
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace tagpool {

void bind_text(nb::module_& m) {
    m.def("xxh64", [](const nb::bytes& data, uint64_t seed) { return xxh64(data.c_str(), data.size(), seed); },
          nb::arg("data"), nb::arg("seed") = 0);
    m.def("combine", &combine, nb::arg("first"), nb::arg("second"));
    m.def("character_class", [](uint32_t point) { return int{character_class(point)}; }, nb::arg("point"));
    m.def("to_lower", [](uint32_t point) { return static_cast<uint32_t>(to_lower(point)); }, nb::arg("point"));
    m.def("is_utf8", [](const nb::bytes& data) { return find_invalid_utf8(bytes_view(data)) == std::string_view::npos; },
          nb::arg("data"));
    m.def("tokenize", [](const nb::str& object) {
        std::string_view text;
        if (!utf8_of(object, text)) throw InputFault("the text has a lone surrogate and cannot be written as UTF-8");
        nb::list out;
        for (const TokenSpan& token : tokenize(text)) out.append(nb::make_tuple(token.start, token.end));
        return out;
    }, nb::arg("text"));
    m.def("capital_class", [](std::string_view text) { return std::string(1, capital_class(text)); }, nb::arg("text"));
}

}  // namespace tagpool

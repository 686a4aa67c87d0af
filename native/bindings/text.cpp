#include "base/fault.hpp"
#include "base/hash.hpp"
#include "bindings/helpers.hpp"
#include "features/words.hpp"
#include "text/tokenize.hpp"
#include "text/unicode.hpp"

namespace tagpool {

void bind_text(nb::module_& m) {
    m.def("xxh64", [](const nb::bytes& data, uint64_t seed) { return xxh64(data.c_str(), data.size(), seed); },
          nb::arg("data"), nb::arg("seed") = 0, "XXH64 hash of bytes.");
    m.def("combine", &combine, nb::arg("first"), nb::arg("second"), "Hash of two hashes.");
    m.def("character_class", [](uint32_t point) { return int{character_class(point)}; }, nb::arg("point"),
          "Class of a Unicode code point.");
    m.def("to_lower", [](uint32_t point) { return static_cast<uint32_t>(to_lower(point)); }, nb::arg("point"),
          "Lower case of a Unicode code point.");
    m.def("is_utf8", [](const nb::bytes& data) { return find_invalid_utf8(bytes_view(data)) == std::string_view::npos; },
          nb::arg("data"), "Whether bytes are valid UTF-8.");
    m.def("tokenize", [](const nb::str& object) -> nb::typed<nb::list, nb::typed<nb::tuple, int, int>> {
        std::string_view text;
        if (!utf8_of(object, text)) throw InputFault(kLoneSurrogate);
        nb::list spans;
        for (const TokenSpan& token : tokenize(text)) spans.append(nb::make_tuple(token.start, token.end));
        return spans;
    }, nb::arg("text"), "Start and end of each token, in characters.");
    m.def("capital_class", [](std::string_view text) { return std::string(1, capital_class(text)); }, nb::arg("text"),
          "Class of a word's capital letters, one character.");
}

}  // namespace tagpool

// Bindings of tables in the Arrow C data interface, which capsules pass.
#include "arrow/abi.hpp"
#include "arrow/columns_stream.hpp"
#include "arrow/table_reader.hpp"
#include "bindings/helpers.hpp"

namespace tagpool {
namespace {

// Whether this thread has the interpreter. The stable ABI cannot tell: false.
bool has_interpreter() {
#ifdef Py_LIMITED_API
    return false;
#else
    return PyGILState_Check();
#endif
}

// The columns of a bound object, which is kept alive. Consumers release batches in any thread, also while the interpreter ends: the object
// then stays if this thread may not have the interpreter.
std::shared_ptr<const Columns> share(nb::handle self) {
    PyObject* const object = self.inc_ref().ptr();
    return {nb::inst_ptr<Columns>(self), [object](const Columns*) {
        if (has_interpreter()) {
            Py_DECREF(object);
        } else if (Py_IsInitialized()) {
            nb::gil_scoped_acquire acquire;
            Py_DECREF(object);
        }
    }};
}

void release_capsule(PyObject* capsule) {
    auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kArrowStream));
    if (stream->release) stream->release(stream);
    delete stream;
}

using Exported = std::tuple<std::string, std::string, bool>;

nb::object arrow_stream(nb::handle_t<Columns> self, const std::vector<Exported>& columns, const std::string& document, uint32_t rows) {
    ExportOptions options;
    for (const auto& [column, name, dictionary] : columns) options.columns.push_back({column, name, dictionary});
    options.document = document;
    options.rows = rows;
    auto stream = std::make_unique<ArrowArrayStream>();
    export_columns(share(self), std::move(options), stream.get());
    PyObject* const capsule = PyCapsule_New(stream.get(), kArrowStream, release_capsule);
    if (!capsule) {
        stream->release(stream.get());
        nb::raise_python_error();
    }
    stream.release();
    return nb::steal(capsule);
}

// The structure in a capsule; the producer releases it if the reader has not taken it over.
template <class Structure>
Structure& structure_of(nb::handle capsule, const char* name, const char* method) {
    auto* const structure = PyCapsule_IsValid(capsule.ptr(), name) ? static_cast<Structure*>(PyCapsule_GetPointer(capsule.ptr(), name)) : nullptr;
    if (!structure || !structure->release) throw InputFault(concat(method, " returned no ", name, ", or one that was read already"));
    return *structure;
}

const char* kind_name(const ArrowType& type) {
    return type.kind == ArrowKind::text ? "text" : type.kind == ArrowKind::integer ? "integer" : "other";
}

}  // namespace

void bind_arrow(nb::module_& m) {
    using Field = std::tuple<std::string, std::string, bool, std::string>;
    using Text = std::pair<uint32_t, std::string>;

    nb::class_<TableReader>(m, "TableReader", "Table of an Arrow stream, read as a corpus.")
        .def("__init__", [](TableReader* self, nb::object capsule) {
            auto& stream = structure_of<ArrowArrayStream>(capsule, kArrowStream, "__arrow_c_stream__");
            nb::gil_scoped_release release;
            new (self) TableReader(stream);
        }, nb::arg("capsule"))
        .def_prop_ro("fields", [](const TableReader& reader) {
            std::vector<Field> out;
            for (size_t field = 0; field < reader.field_count(); ++field) {
                const ArrowType& type = reader.type(field);
                out.emplace_back(reader.field_name(field), kind_name(type), type.list, type.name);
            }
            return out;
        }, "Name, kind (text, integer, other), whether rows are lists, and type of each column.")
        .def("read", [](TableReader& reader, const std::vector<Text>& texts, std::optional<uint32_t> sentence, std::optional<uint32_t> document,
                        const std::vector<std::string>& required) {
            nb::gil_scoped_release release;
            return std::make_unique<Columns>(reader.read({texts, sentence, document, required}));
        }, nb::arg("texts"), nb::arg("sentence"), nb::arg("document"), nb::arg("required"),
           "Corpus of all rows. Texts are (number of a field, name of its column); required columns have no empty strings.");

    m.def("arrow_stream", &arrow_stream, nb::arg("columns"), nb::arg("exported"), nb::arg("document"), nb::arg("rows"),
          "Capsule with an Arrow stream of a corpus. Exported are (column, name in the stream, whether strings are a dictionary).");
    m.def("arrow_fields", [](nb::object capsule) {
        const auto& schema = structure_of<ArrowSchema>(capsule, kArrowSchema, "__arrow_c_schema__");
        std::vector<std::pair<std::string, bool>> out;
        for (int64_t field = 0; schema.children && field < schema.n_children; ++field) {
            const ArrowSchema* child = schema.children[field];
            const char* const name = child->name ? child->name : "";
            while (child->n_children == 1 && child->children) child = child->children[0];
            out.emplace_back(name, child->dictionary != nullptr);
        }
        return out;
    }, nb::arg("capsule"), "Name of each column of a schema, and whether its strings are a dictionary.");
}

}  // namespace tagpool

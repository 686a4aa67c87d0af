// Conversions of arguments that may throw std::bad_alloc, which becomes a MemoryError.
//
// nanobind declares its conversions noexcept although they allocate, so that an argument without memory would end the process.
// Include this file instead of nanobind/stl.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

// These headers have inline functions and templates only. Functions that call them handle exceptions.
#define noexcept
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#undef noexcept

// Arguments that share a Python object. There is no conversion to Python: functions return objects as unique pointers.
template <class T>
struct nanobind::detail::type_caster<std::shared_ptr<T>> {
    using Caster = make_caster<T>;
    static constexpr bool IsClass = true;
    NB_TYPE_CASTER(std::shared_ptr<T>, Caster::Name)

    template <class Flags>
    bool from_python(handle source, Flags flags, cleanup_list* cleanup) {
        Caster caster;
        if (!caster.from_python(source, flags & ~static_cast<Flags>(cast_flags::convert), cleanup)) return false;
        T* const object = caster.operator T*();
        value = object ? std::shared_ptr<T>(object, Release{source.inc_ref()}) : nullptr;  // calls Release if it throws
        return true;
    }

private:
    struct Release {
        handle object;
        void operator()(T*) const noexcept {
            if (!is_alive()) return;
            const gil_scoped_acquire acquire;
            object.dec_ref();
        }
    };
};

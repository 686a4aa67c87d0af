// Arrays that bindings take from Python.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "base/fault.hpp"
#include "bindings/bindings.hpp"

namespace tagpool {

template <class T>
using Given1D = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = Given1D<double>;
using Floats = Given1D<float>;
using UInts = Given1D<uint32_t>;
using UShorts = Given1D<uint16_t>;
using Ints = Given1D<int32_t>;

template <class Given>
auto copied(const Given& given) {
    using Value = std::remove_const_t<typename Given::Scalar>;
    return std::vector<Value>(given.data(), given.data() + given.size());
}

inline void expect_size(size_t got, size_t expected, const char* what) {
    if (got != expected)
        throw InputFault(std::string("expected ") + std::to_string(expected) + " " + what + ", got " + std::to_string(got));
}

}  // namespace tagpool

// Container of model files: header and arrays, without any meaning. The mutator repairs the checksum.
#include "base/tensors.hpp"

#include "base/fault.hpp"
#include "harness.hpp"

namespace {

void check(std::string_view input) {
    const tagpool::Tensors tensors = tagpool::Tensors::read(input, nullptr);
    const std::string written = tensors.write();
    tagpool::fuzz::require(tagpool::Tensors::read(written, nullptr).write() == written, "a file that was written is read back");
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)

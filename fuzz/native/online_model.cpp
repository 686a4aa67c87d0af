// Model files of inducing taggers: load, tag a small corpus greedily and with a beam, write.
#include "base/fault.hpp"
#include "harness.hpp"
#include "model_checks.hpp"
#include "online/model.hpp"

namespace {

using namespace tagpool;

void check(std::string_view input) {
    const OnlineModel model(Tensors::read(input, nullptr));
    model.feature_count();
    model.weight_count();
    const Columns corpus = fuzz::make_corpus(model.columns());
    std::vector<int32_t> tags(corpus.token_count());
    for (const size_t beam : {1, 3}) {
        if (!model.given()) {
            model.tag(corpus, 1, beam, tags.data());
        } else if (model.look_back().backs.empty()) {
            const Encoding features = fuzz::place_features(model.slots());
            tags.resize(features.token_count());
            model.tag(features, nullptr, 1, beam, tags.data());
        }
        fuzz::check_tags(tags, model.labels().size());
    }
    model.write(Tensors(), true);
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)

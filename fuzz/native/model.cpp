// Model files of CRF and MaxEnt: load, tag and score a small corpus, write.
#include "model/model.hpp"

#include "base/fault.hpp"
#include "harness.hpp"
#include "model_checks.hpp"

namespace {

using namespace tagpool;

void check(std::string_view input) {
    const Model model(Tensors::read(input, nullptr));
    const size_t labels = model.labels().size();
    model.feature_count();
    model.weight_count();
    const Columns corpus = fuzz::make_corpus(model.columns());
    std::vector<int32_t> tags(corpus.token_count());
    std::vector<float> scores(corpus.token_count() * labels);
    if (!model.given()) {
        model.tag(corpus, 1, tags.data());
        model.score(corpus, 1, scores.data());
    } else if (!model.transition_features().has_history()) {
        const Encoding features = fuzz::place_features(model.slots());
        tags.resize(features.token_count());
        scores.resize(features.token_count() * labels);
        model.tag(features, nullptr, 1, tags.data());
        model.score(features, scores.data());
    }
    fuzz::check_tags(tags, labels);
    model.write(Tensors(), true);
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)

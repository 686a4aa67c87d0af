// WordTemplates: templates of a program whose scores are remembered for strings and their neighbours, and the rest.
//
// N-grams, shape and affixes of a string do not depend on its position: tagging sums their weights once for each distinct string and offset
// (word_rows.hpp). A disjunction adds a row of every string in its window. Conjunctions of shapes or tags of neighbours have few
// combinations: their sum is remembered for each. The division depends only on the program and the number of labels, so that sums have the
// same order for every corpus.
#pragma once
#include <string>
#include <vector>

#include "features/program.hpp"

namespace tagpool {

struct WordTemplates {
    // Templates at one offset.
    struct Group {
        int offset;
        Program here;   // templates at offset 0, with the atoms of the column
        Program there;  // templates as written: for positions outside a sentence
    };
    // Disjunctions over the strings of one window.
    struct Window {
        int offset, first, last;
        Program here;  // templates of one string, with the atoms of the column
    };
    // Conjunctions within the window -1..1. They depend on a few values of each string, which are its class.
    struct Pattern {
        Program program;
        std::vector<WordFunction> functions;
        bool capitals = false;
    };
    struct OfColumn {
        std::string column;
        Program all;  // only the atoms of the groups and windows, whose values they share
        std::vector<Group> groups;
        std::vector<Window> windows;
        Pattern pattern;

        bool has_pattern() const { return !pattern.program.templates.empty(); }
        // Rows of a string.
        size_t row_count() const { return groups.size() + windows.size(); }
    };
    std::vector<OfColumn> columns;
    Program rest;

    // `row_bytes` is the size of a row of scores.
    WordTemplates(const Program& program, size_t row_bytes);
    // Rows that a token can add to memory.
    size_t row_count() const;
};

}  // namespace tagpool

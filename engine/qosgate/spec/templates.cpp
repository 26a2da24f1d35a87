// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/templates.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/body_reader.hpp"

#include <algorithm>
#include <set>

namespace qg::spec {
namespace {

/// A template that is being walked through, and the next of its parents.
template <typename Entry>
struct Step {
    Entry entry;
    std::vector<Entry> parents;
    std::size_t next = 0;
};

std::string describe_place(const Position& position) {
    return text::format("{}:{}", text::printable(position.file), position.line);
}

} // namespace

Templates::Templates(std::span<const Document> documents, ProblemList& problems) {
    for (const Document& document : documents) {
        for (const auto& [name, body] : document.templates) {
            const Position position{document.file, name->line, name->column};
            const auto [held, is_new] =
                templates_.emplace(name->text, Template{{body.get(), &document.file}, position});
            if (!is_new)
                problems.add(position, name->text,
                             text::format("this template is defined twice; the other one is in {}",
                                          describe_place(held->second.position)));
        }
    }
    for (const auto& [name, entry] : templates_)
        check_names(*entry.body.node, {entry.body.file, &problems});
    check_cycles(problems);
}

std::vector<Templates::Entry> Templates::parents_of(const Node& body) const {
    std::vector<Entry> parents;
    for (const NodePtr& name : template_names(body))
        if (const auto found = templates_.find(name->text); found != templates_.end())
            parents.push_back(found);
    return parents;
}

/// Not all: there may be thousands, and thousands of wrong names.
std::vector<std::string> Templates::names_near(const std::string& name) const {
    constexpr int max_each_side = 100;
    const auto middle = templates_.lower_bound(name);
    std::vector<std::string> names;
    int left = max_each_side;
    for (auto entry = middle; entry != templates_.end() && left > 0; ++entry, --left)
        names.push_back(entry->first);
    left = max_each_side;
    for (auto entry = middle; entry != templates_.begin() && left > 0; --left)
        names.push_back((--entry)->first);
    return names;
}

void Templates::check_names(const Node& body, const ReadContext& context) const {
    for (const NodePtr& name : template_names(body)) {
        if (templates_.contains(name->text)) continue;
        if (context.problems->is_full()) return;
        const std::vector<std::string> known = names_near(name->text);
        context.wrong(*name, "template",
                      text::format("there is no template {}{}", text::quoted(name->text, 80),
                                   text::did_you_mean(name->text, known)));
    }
}

void Templates::check_cycles(ProblemList& problems) const {
    std::set<std::string_view> done;
    std::set<std::string_view> open;
    for (auto first = templates_.begin(); first != templates_.end(); ++first) {
        if (done.contains(first->first)) continue;
        std::vector<Step<Entry>> path{{first, parents_of(*first->second.body.node)}};
        open.insert(first->first);
        while (!path.empty()) {
            Step<Entry>& step = path.back();
            if (step.next == step.parents.size()) {
                open.erase(step.entry->first);
                done.insert(step.entry->first);
                path.pop_back();
                continue;
            }
            const Entry parent = step.parents[step.next++];
            if (done.contains(parent->first)) continue;
            if (open.insert(parent->first).second) {
                path.push_back({parent, parents_of(*parent->second.body.node)});
                continue;
            }
            const auto start = std::find_if(path.begin(), path.end(),
                                            [&](const auto& each) { return each.entry == parent; });
            std::string chain;
            for (auto each = start; each != path.end() && chain.size() < 400; ++each)
                chain += text::printable(each->entry->first, 40) + " -> ";
            problems.add(parent->second.position, parent->first,
                         text::format("templates build upon each other in a circle: {}{}", chain,
                                      text::printable(parent->first, 40)));
        }
    }
}

std::vector<PlacedBody> Templates::bodies_for(const Node& body) const {
    std::vector<PlacedBody> bodies;
    std::set<std::string_view> seen;
    std::vector<Step<Entry>> path{{templates_.end(), parents_of(body)}};
    while (!path.empty()) {
        Step<Entry>& step = path.back();
        if (step.next < step.parents.size()) {
            const Entry parent = step.parents[step.next++];
            if (seen.insert(parent->first).second)
                path.push_back({parent, parents_of(*parent->second.body.node)});
            continue;
        }
        if (step.entry != templates_.end()) bodies.push_back(step.entry->second.body);
        path.pop_back();
    }
    return bodies;
}

std::vector<PlacedBody> Templates::all() const {
    std::vector<PlacedBody> bodies;
    for (const auto& [name, entry] : templates_)
        bodies.push_back(entry.body);
    return bodies;
}

} // namespace qg::spec

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/preempt_loops.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <string_view>
#include <utility>

namespace qg::model {
namespace {

/// Numbers for the groups of names that can all reach each other (Tarjan's algorithm, without recursion).
class Groups {
  public:
    explicit Groups(const PreemptMap& steps) : steps_(steps) {
        for (const auto& [name, targets] : steps_)
            if (!nodes_.contains(name)) visit_from(name);
    }

    [[nodiscard]] bool are_together(const std::string& a, const std::string& b) const {
        const auto x = nodes_.find(a);
        const auto y = nodes_.find(b);
        return x != nodes_.end() && y != nodes_.end() && x->second.group == y->second.group;
    }
    [[nodiscard]] std::size_t group_of(const std::string& name) const { return nodes_.at(name).group; }

  private:
    struct Node {
        std::size_t index = 0;
        std::size_t lowest = 0;
        std::size_t group = 0; ///< 0: none yet
    };
    struct Frame {
        std::string_view name;
        NameSet::const_iterator next, end;
    };

    Frame enter(std::string_view name) {
        const std::size_t index = nodes_.size() + 1;
        nodes_.emplace(name, Node{index, index, 0});
        stack_.push_back(name);
        const auto found = steps_.find(std::string(name));
        static const NameSet none;
        const NameSet& targets = found == steps_.end() ? none : found->second;
        return {name, targets.begin(), targets.end()};
    }

    void visit_from(std::string_view start) {
        std::vector<Frame> frames{enter(start)};
        while (!frames.empty()) {
            Frame& frame = frames.back();
            Node& node = nodes_.find(frame.name)->second;
            if (frame.next != frame.end) {
                const std::string& target = *frame.next++;
                const auto known = nodes_.find(target);
                if (known == nodes_.end())
                    frames.push_back(enter(target));
                else if (known->second.group == 0)
                    node.lowest = std::min(node.lowest, known->second.index);
                continue;
            }
            if (node.lowest == node.index) close_group(frame.name);
            const std::size_t lowest = node.lowest;
            frames.pop_back();
            if (!frames.empty()) {
                Node& above = nodes_.find(frames.back().name)->second;
                above.lowest = std::min(above.lowest, lowest);
            }
        }
    }

    void close_group(std::string_view first) {
        ++groups_;
        std::string_view name;
        do {
            name = stack_.back();
            stack_.pop_back();
            nodes_.find(name)->second.group = groups_;
        } while (name != first);
    }

    const PreemptMap& steps_;
    std::map<std::string, Node, std::less<>> nodes_;
    std::vector<std::string_view> stack_;
    std::size_t groups_ = 0;
};

/// The shortest way between two names of one group, both included.
std::vector<std::string> find_way(const PreemptMap& steps, const std::string& from, const std::string& to) {
    std::map<std::string, std::string> came_from{{from, {}}};
    std::deque<std::string> waiting{from};
    while (!waiting.empty() && !came_from.contains(to)) {
        const std::string name = std::move(waiting.front());
        waiting.pop_front();
        const auto found = steps.find(name);
        if (found == steps.end()) continue;
        for (const std::string& target : found->second)
            if (came_from.emplace(target, name).second) waiting.push_back(target);
    }
    std::vector<std::string> way;
    for (std::string name = to; name != from; name = came_from.at(name))
        way.push_back(name);
    way.push_back(from);
    std::reverse(way.begin(), way.end());
    return way;
}

} // namespace

std::vector<std::vector<std::string>> find_new_loops(const PreemptMap& before, const PreemptMap& after) {
    const Groups groups(after);
    const auto is_new = [&](const std::string& from, const std::string& to) {
        const auto found = before.find(from);
        return found == before.end() || !found->second.contains(to);
    };
    std::set<std::size_t> reported;
    std::vector<std::vector<std::string>> loops;
    for (const auto& [from, targets] : after) {
        for (const std::string& to : targets) {
            if (!is_new(from, to) || !groups.are_together(from, to)) continue;
            if (!reported.insert(groups.group_of(from)).second) break;
            std::vector<std::string> loop = find_way(after, to, from);
            std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
            loops.push_back(std::move(loop));
        }
    }
    return loops;
}

} // namespace qg::model

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/written_names.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/check/use_problems.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace qg::policy {
namespace {

/// How a kind of name is written.
struct KindFacts {
    std::string_view noun;
    std::string_view field;   ///< of a job
    std::string_view between; ///< what stands between several names in one text; empty: there is only one
    bool ignores_case;        ///< as accounting does
};
constexpr KindFacts kinds[] = {
    {"QOS", "qos", "", true},
    {"partition", "partition", ",", false},
    {"account", "account", "", true},
    {"feature", "features", "&|,[](){} ", false},
    {"license", "licenses", ",;|", false},
};

std::optional<NameKind> kind_of_field(std::string_view field) {
    const auto* found = std::ranges::find(kinds, field, &KindFacts::field);
    if (found == std::end(kinds)) return std::nullopt;
    return static_cast<NameKind>(found - std::begin(kinds));
}

/// Of the records that view gives.
std::optional<NameKind> kind_of_member(ViewKind object, std::string_view member) {
    if (object == ViewKind::qos && member == "name") return NameKind::qos;
    if (object == ViewKind::partition && member == "name") return NameKind::partition;
    if (object == ViewKind::association && member != "name") return kind_of_field(member);
    if (object == ViewKind::user && member == "default_account") return NameKind::account;
    if (object == ViewKind::cluster && member == "default_partition") return NameKind::partition;
    return std::nullopt;
}

/// One file.
class NameSearch {
  public:
    NameSearch(const SourceFile& file, CodeKind kind, std::vector<WrittenName>& found)
        : file_(file), tree_(file.text), types_(tree_, {.kind = kind}), found_(found) {}

    void run() {
        if (!tree_.is_complete()) return;
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.is(id, NodeKind::binary)) note_comparison(id);
            if (tree_.is(id, NodeKind::index)) note_index(id);
            if (tree_.is(id, NodeKind::method)) note_method(id);
            if (tree_.is(id, NodeKind::call)) note_call(id);
        }
    }

  private:
    /// What the names in a value are; empty: none, or not known.
    [[nodiscard]] std::optional<NameKind> kind_of(NodeId value) const {
        const ExpressionType& type = types_[value];
        if (type.meaning == Meaning::field) return kind_of_field(type.field->name);
        const NodeId object = tree_.object(value);
        if (object == no_node || !tree_.is(value, NodeKind::index)) return std::nullopt;
        const ExpressionType& owner = types_[object];
        if (owner.meaning == Meaning::options) return kind_of_option(tree_.member(value));
        if (owner.meaning == Meaning::view) return kind_of_member(owner.kind, tree_.member(value));
        const bool is_feature = owner.field != nullptr && owner.field->type == FieldType::feature_names;
        return is_feature ? std::optional(NameKind::feature) : std::nullopt;
    }
    /// Of sbatch's options, as far as they are called otherwise.
    [[nodiscard]] static std::optional<NameKind> kind_of_option(std::string_view option) {
        return option == "constraint" ? NameKind::feature : kind_of_field(option);
    }

    void note_comparison(NodeId binary) {
        if (tree_.text(binary) != "==" && tree_.text(binary) != "~=") return;
        note(kind_of(tree_.child(binary, 0)), tree_.child(binary, 1));
        note(kind_of(tree_.child(binary, 1)), tree_.child(binary, 0));
    }

    void note_index(NodeId index) {
        if (tree_.is_target(index)) note(kind_of(index), tree_.value_of(index));
        const ExpressionType& object = types_[tree_.object(index)];
        if (object.field != nullptr && object.field->type == FieldType::license_counts)
            note(NameKind::license, tree_.child(index, 1));
        note_keys(tree_.object(index), kind_of(tree_.child(index, 1)));
    }
    /// The keys of a table that is asked for a name: t[job.qos].
    void note_keys(NodeId table, std::optional<NameKind> kind) {
        if (!kind || !tree_.is(table, NodeKind::name) || tree_[table].local == no_node) return;
        const Declaration& local = tree_.declarations()[tree_[table].local];
        if (local.is_assigned || !tree_.is(local.value, NodeKind::table)) return;
        for (const NodeId entry : tree_.children(local.value))
            if (tree_.is(entry, NodeKind::entry)) note(kind, tree_.child(entry, 0));
    }

    /// job:add("features", "x")
    void note_method(NodeId method) {
        const bool is_add = types_.meaning(tree_.object(method)) == Meaning::job &&
                            tree_.member(method) == "add" && tree_[method].count == 3;
        if (is_add) note(kind_of_field(literal_text(tree_, tree_.child(method, 1))), tree_.child(method, 2));
    }

    void note_call(NodeId call) {
        const NodeId argument = tree_.child(call, 1);
        if (argument == no_node) return;
        if (const ViewFunction* function = types_[tree_.object(call)].function) {
            if (function->how == ViewCall::with_filter) return note_filter(argument);
            if (function->name == "coordinates") return note(NameKind::account, argument);
            if (function->how == ViewCall::with_name) return note(kind_of_field(function->name), argument);
        }
        if (is_of_names(tree_.object(call))) note(kind_of(argument), tree_.child(call, 2));
    }
    void note_filter(NodeId table) {
        if (!tree_.is(table, NodeKind::table)) return;
        for (const NodeId entry : tree_.children(table))
            if (!tree_.key(entry).empty()) note(kind_of_field(tree_.key(entry)), tree_.child(entry, 1));
    }
    /// names.has of the module `names`.
    [[nodiscard]] bool is_of_names(NodeId function) const {
        const NodeId module = tree_.is_dotted(function) ? tree_.object(function) : no_node;
        if (!tree_.is(module, NodeKind::name) || tree_[module].local == no_node) return false;
        const NodeId value = tree_.declarations()[tree_[module].local].value;
        return tree_.member(function) == "has" && tree_.is(value, NodeKind::call) &&
               tree_.is_global(tree_.object(value), "require") && tree_.only_text(value) == "names";
    }

    void note(std::optional<NameKind> kind, NodeId literal) {
        if (!kind) return;
        std::string_view rest = literal_text(tree_, literal);
        const KindFacts& facts = kinds[static_cast<std::size_t>(*kind)];
        while (!rest.empty()) {
            const std::size_t end = std::min(
                facts.between.empty() ? rest.size() : rest.find_first_of(facts.between), rest.size());
            note_name(*kind, rest.substr(0, end), tree_.line(literal));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    /// One name, and the count behind it: "a100*2", "matlab:3".
    void note_name(NameKind kind, std::string_view written, int line) {
        if (kind == NameKind::feature) written = written.substr(0, written.find('*'));
        if (kind == NameKind::license) written = written.substr(0, written.find_first_of(":="));
        written = text::trim(written);
        if (!written.empty()) found_.push_back({file_.name, line, kind, std::string(written)});
    }

    const SourceFile& file_;
    const SyntaxTree tree_;
    const ExpressionTypes types_;
    std::vector<WrittenName>& found_;
};

} // namespace

std::vector<WrittenName> find_written_names(const SourceDirectory& sources) {
    std::vector<WrittenName> found;
    for (const SourceFile& file : sources.files) {
        const SourceKind kind = kind_of(file.name);
        if (kind != SourceKind::rule && kind != SourceKind::module) continue;
        NameSearch(file, kind == SourceKind::rule ? CodeKind::rule : CodeKind::module, found).run();
    }
    std::ranges::sort(found);
    const auto same = std::ranges::unique(found);
    found.erase(same.begin(), same.end());
    return found;
}

std::string describe_unknown_name(const WrittenName& written, const ClusterNames& names) {
    const auto& known = names.of[static_cast<std::size_t>(written.kind)];
    const KindFacts& facts = kinds[static_cast<std::size_t>(written.kind)];
    const auto is_same = [&](const std::string& name) {
        return facts.ignores_case ? text::iequals(name, written.name) : name == written.name;
    };
    if (!known || std::ranges::any_of(*known, is_same)) return {};
    return text::format("the cluster has no {} '{}'{}", facts.noun, text::printable(written.name, 60),
                        text::did_you_mean(written.name, *known));
}

} // namespace qg::policy

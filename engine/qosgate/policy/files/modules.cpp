// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/modules.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/syntax_tree.hpp"

#include <algorithm>
#include <utility>

namespace qg::policy {
namespace {

bool is_name_sign(char sign) noexcept {
    return text::is_letter(sign) || text::is_digit(sign) || sign == '_' || sign == '-';
}

const ShippedModule* find_shipped(std::string_view name) noexcept {
    const auto found = std::ranges::find(shipped_modules(), name, &ShippedModule::name);
    return found == shipped_modules().end() ? nullptr : &*found;
}

/// A call of require with a literal name.
struct Requirement {
    std::string_view name;
    int line = 0;
};

/// It may find calls of a local function of that name, too: then a module is loaded that nobody needs.
std::vector<Requirement> find_requirements(std::string_view source) {
    std::vector<Requirement> found;
    const SyntaxTree tree(source);
    for (NodeId id = 0; id < tree.size(); ++id) {
        const bool is_require =
            tree.is(id, NodeKind::name) && tree.text(id) == "require" && tree.is_called(id);
        if (is_require && !tree.only_text(tree.parent(id)).empty())
            found.push_back({tree.only_text(tree.parent(id)), tree.line(id)});
    }
    return found;
}

/// Goes from the files to the modules that they require.
class Order {
  public:
    explicit Order(const SourceDirectory& sources) : sources_(sources) {}

    Result<std::vector<Module>> run() {
        for (const SourceFile& file : sources_.files) {
            if (kind_of(file.name) == SourceKind::module)
                add(to_module(file));
            else if (kind_of(file.name) == SourceKind::rule)
                add_required(file.name, file.text);
            if (problem_) return *problem_;
        }
        return std::move(ordered_);
    }

  private:
    static Module to_module(const SourceFile& file) {
        return {std::string(module_name(file.name)), file.name, file.text, /*is_shipped=*/false};
    }

    void add(Module module) {
        const auto is_same = [&](const Module& other) { return other.name == module.name; };
        if (problem_ || std::ranges::any_of(ordered_, is_same)) return;
        if (std::string why = describe_bad_module_name(module.file); !module.is_shipped && !why.empty())
            return fail(text::format("{}: {}", module.file, why));
        open_.push_back(module.name);
        add_required(module.file, module.text);
        open_.pop_back();
        ordered_.push_back(std::move(module));
    }

    void add_required(std::string_view file, std::string_view source) {
        for (const Requirement& needed : find_requirements(source)) {
            if (problem_) return;
            const auto begin = std::ranges::find(open_, needed.name);
            if (begin != open_.end()) {
                std::vector<std::string> circle(begin, open_.end());
                circle.emplace_back(needed.name);
                return fail(text::format("{}:{}: modules require each other: {}", file, needed.line,
                                         text::join(circle, " -> ")));
            }
            // An unknown name is for the check of names, which tells locals apart.
            const std::string site_file = text::format("{}/{}.lua", module_directory_name, needed.name);
            if (const SourceFile* own = sources_.find(site_file))
                add(to_module(*own));
            else if (const ShippedModule* shipped = find_shipped(needed.name))
                add({std::string(shipped->name), std::string(shipped->file), shipped->text,
                     /*is_shipped=*/true});
        }
    }

    void fail(std::string message) { problem_ = Error{ErrorCode::invalid_input, std::move(message)}; }

    const SourceDirectory& sources_;
    std::vector<std::string> open_; ///< modules being added, each required by the one before
    std::vector<Module> ordered_;
    std::optional<Error> problem_;
};

} // namespace

std::string_view module_name(std::string_view file) noexcept {
    file.remove_prefix(std::min(module_directory_name.size() + 1, file.size()));
    file.remove_suffix(std::min(std::string_view(".lua").size(), file.size()));
    return file;
}

std::string describe_bad_module_name(std::string_view file) {
    const std::string_view name = module_name(file);
    if (name.empty() || name.size() > max_module_name || !std::ranges::all_of(name, is_name_sign))
        return text::format("the name of a module has at most {} letters, digits, '_' and '-', and no other "
                            "characters: rename the file",
                            max_module_name);
    if (find_shipped(name) != nullptr)
        return text::format("qosgate has a module '{}' of its own: rename the file", name);
    return {};
}

std::vector<std::string> module_names(const SourceDirectory& sources) {
    std::vector<std::string> names;
    for (const ShippedModule& module : shipped_modules())
        names.emplace_back(module.name);
    for (const SourceFile& file : sources.files)
        if (kind_of(file.name) == SourceKind::module) names.emplace_back(module_name(file.name));
    std::ranges::sort(names);
    return names;
}

Result<std::vector<Module>> order_modules(const SourceDirectory& sources) {
    return Order(sources).run();
}

} // namespace qg::policy

// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/load_files.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/body_reader.hpp"
#include "qosgate/spec/manifest.hpp"
#include "qosgate/spec/templates.hpp"

#include <algorithm>
#include <exception>
#include <set>

namespace qg::spec {
namespace {

/// What reading all QOSs with their templates may cost: values looked at.
constexpr std::size_t max_work = 2'000'000;

/// Makes Desired of documents. Threads: one.
class Loader {
  public:
    Loader(const model::TresCatalogue* catalogue, ProblemList& problems)
        : catalogue_(catalogue), problems_(&problems) {}

    /// The sources must outlive the loader.
    void read(std::span<const SourceText> files);
    Desired finish();

    /// Whether all QOSs of the files were read, if not all of their values.
    [[nodiscard]] bool has_all_qos() const {
        return problems_->met() == met_in_bodies_ && !problems_->is_full();
    }

  private:
    [[nodiscard]] ReadContext context_of(const std::string& file) const {
        return {&file, problems_, catalogue_};
    }

    void check_shared(const PlacedBody& body, const Templates& templates);
    void add_qos(const Document& document, const Node& name, const Node& node, const Templates& templates);
    void add_row(const Document& document, const Node& name, const std::vector<PlacedBody>& layers,
                 const ReadContext& own);
    void add(DesiredQos qos);
    bool spend(std::size_t nodes, const Position& at);

    const model::TresCatalogue* catalogue_;
    ProblemList* problems_;
    std::vector<Document> documents_;
    std::map<std::string, DesiredQos> qos_;
    std::size_t work_left_ = max_work;
    std::size_t met_in_bodies_ = 0; ///< problems
    bool is_too_much_ = false;
};

bool Loader::spend(std::size_t nodes, const Position& at) {
    if (is_too_much_) return false;
    is_too_much_ = nodes > work_left_ || qos_.size() >= max_qos;
    if (is_too_much_)
        problems_->add(
            at, {},
            text::format("too much: at most {} QOSs, with {} values in all of them with their templates",
                         max_qos, max_work));
    else
        work_left_ -= nodes;
    return !is_too_much_;
}

void Loader::add(DesiredQos qos) {
    const Position at = qos.position;
    const auto [held, is_new] = qos_.emplace(qos.name, qos);
    if (is_new) return;
    const Position& first = held->second.position;
    const bool has_other_owner = held->second.owner != qos.owner;
    problems_->add(at, qos.name,
                   text::format("this QOS is defined twice; {}:{}:{} defines it{}",
                                text::printable(first.file), first.line, first.column,
                                has_other_owner ? text::format(" for the owner {}, this is {}",
                                                               held->second.owner, qos.owner)
                                                : std::string(" too")));
}

/// Defaults and templates are checked once without values for placeholders, also if no QOS uses them.
void Loader::check_shared(const PlacedBody& body, const Templates& templates) {
    ReadContext context = context_of(*body.file);
    context.placeholders = Placeholders::skipped;
    if (!spend(body.node->size, context.at(*body.node))) return;
    const std::size_t met = problems_->met();
    read_body(*body.node, BodyKind::shared, context);
    met_in_bodies_ += problems_->met() - met;
    templates.check_names(*body.node, context);
}

void Loader::add_qos(const Document& document, const Node& name, const Node& node,
                     const Templates& templates) {
    if (is_too_much_ || problems_->is_full()) return;
    ReadContext own = context_of(document.file);
    templates.check_names(node, own);
    std::vector<PlacedBody> layers;
    if (document.defaults != nullptr) {
        layers = templates.bodies_for(*document.defaults);
        layers.push_back({document.defaults.get(), &document.file});
    }
    for (const PlacedBody& body : templates.bodies_for(node))
        layers.push_back(body);
    layers.push_back({&node, &document.file});

    const Node* for_each = node.find("for_each");
    if (for_each == nullptr) return add_row(document, name, layers, own);
    own.placeholders = Placeholders::replaced;
    for (const Bindings& row : read_for_each(*for_each, document.file, *problems_)) {
        own.bindings = &row;
        add_row(document, name, layers, own);
        if (is_too_much_ || problems_->is_full()) return;
    }
}

void Loader::add_row(const Document& document, const Node& name, const std::vector<PlacedBody>& layers,
                     const ReadContext& own) {
    std::size_t size = 1;
    for (const PlacedBody& layer : layers)
        size += layer.node->size;
    if (const Node* for_each = layers.back().node->find("for_each")) size -= for_each->size; // not read again
    if (!spend(size, own.at(name))) return;

    Body body;
    const std::size_t met = problems_->met();
    for (const PlacedBody& layer : layers) {
        ReadContext context = own;
        context.file = layer.file;
        const bool is_own = &layer == &layers.back();
        body.lay(read_body(*layer.node, is_own ? BodyKind::qos : BodyKind::shared, context));
    }
    met_in_bodies_ += problems_->met() - met;
    const auto text = own.text(name, name.text);
    if (!text) return;
    auto valid = model::parse_qos_name(*text);
    if (!valid) return own.wrong(name, name.text, valid.error().message);

    DesiredQos qos;
    qos.name = *std::move(valid);
    qos.owner = document.owner;
    qos.fields = std::move(body.fields);
    qos.is_complete = body.is_complete.value_or(document.is_complete);
    qos.position = own.at(name);
    if (body.access) {
        AccessPart& part = *body.access;
        DesiredAccess& access = qos.access.emplace();
        const auto put = [](auto& list, auto& entries, auto& places) {
            if (!list) return;
            entries = std::move(list->entries);
            places = std::move(list->places);
        };
        put(part.accounts, access.accounts, access.entries.accounts);
        put(part.users, access.users, access.entries.users);
        put(part.default_for_accounts, access.default_for_accounts, access.entries.default_for_accounts);
        put(part.default_for_users, access.default_for_users, access.entries.default_for_users);
        access.is_complete = part.is_complete.value_or(false);
        access.position = std::move(part.position);
        access.lacks_entries = part.lacks_entries;
    }
    add(std::move(qos));
}

void Loader::read(std::span<const SourceText> files) {
    TreeBounds bounds;
    for (const SourceText& source : files) {
        for (const NodePtr& root : read_yaml(source, bounds, *problems_)) {
            const ReadContext context = context_of(source.file);
            if (!is_manifest(*root)) {
                documents_.push_back(read_document(root, context));
                continue;
            }
            if (!spend(root->size, context.at(*root))) return;
            for (DesiredQos& qos : read_manifest(*root, context))
                add(std::move(qos));
        }
    }
}

bool has_share(const DesiredTres& tres) {
    return std::any_of(tres.counts.begin(), tres.counts.end(),
                       [](const auto& entry) { return std::holds_alternative<Share>(entry.second); });
}

/// A share becomes a count, which Slurm would take as a percentage of the cluster again.
void check_relative(const DesiredQos& qos, ProblemList& problems) {
    bool is_relative = false;
    const DesiredField* share = nullptr;
    const model::QosField* name = nullptr;
    for (const auto& [field, desired] : qos.fields) {
        if (const auto* tres = std::get_if<DesiredTres>(&desired.value)) {
            if (!has_share(*tres)) continue;
            share = &desired;
            name = field;
        } else if (field->kind == model::FieldKind::flags) {
            const auto* words = std::get_if<model::NameSet>(&std::get<model::FieldValue>(desired.value));
            is_relative = words != nullptr && words->contains("Relative");
        }
    }
    if (is_relative && share != nullptr)
        problems.add(share->position, name->name,
                     "with the flag Relative, Slurm takes counts as percentages; write 50 instead of 50%");
}

Desired Loader::finish() {
    const Templates templates(documents_, *problems_);
    for (const PlacedBody& body : templates.all())
        check_shared(body, templates);
    Desired desired;
    std::set<std::string> pruned;
    for (const Document& document : documents_) {
        if (document.defaults != nullptr) check_shared({document.defaults.get(), &document.file}, templates);
        for (const auto& [name, node] : document.qos)
            add_qos(document, *name, *node, templates);
        desired.silenced.insert(desired.silenced.end(), document.silenced.begin(), document.silenced.end());
        if (document.prunes && !document.owner.empty()) pruned.insert(document.owner);
    }
    for (auto& [name, qos] : qos_) {
        check_relative(qos, *problems_);
        desired.qos.push_back(std::move(qos));
    }
    desired.pruned_owners.assign(pruned.begin(), pruned.end());
    return desired;
}

} // namespace

Loaded load(std::span<const SourceText> files, const model::TresCatalogue* catalogue) {
    ProblemList problems;
    Loaded loaded;
    try {
        Loader loader(catalogue, problems);
        loader.read(files);
        loaded.desired = loader.finish();
        loaded.has_all_qos = loader.has_all_qos();
    } catch (const std::exception& error) {
        problems.add({}, {}, text::format("the files cannot be read: {}", text::printable(error.what())));
        loaded.desired = {};
        loaded.has_all_qos = false;
    }
    loaded.problems = problems.sorted();
    return loaded;
}

} // namespace qg::spec

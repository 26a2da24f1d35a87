// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/manifest.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/spec/ownership.hpp"
#include "qosgate/spec/value_reader.hpp"

namespace qg::spec {
namespace {

constexpr std::string_view default_owner = "slurm-operator";
constexpr std::string_view owner_label = "qosgate/owner";
const std::vector<std::string> spec_keys{"name",   "owner",         "description",
                                         "config", "controllerRef", "accountingRef"};
const std::vector<std::string> top_keys{"apiVersion", "kind", "metadata", "spec", "status"};

/// Reads one manifest.
class ManifestReader {
  public:
    explicit ManifestReader(const ReadContext& context) : context_(&context) {}

    std::optional<DesiredQos> read(const Node& root);

  private:
    void read_metadata(const Node& metadata);
    void read_owner(const Node* labels);
    void read_spec(const Node& spec);
    void take_name(const Node& node, std::string_view key);
    void read_config(const Node& node, const std::string& path);
    void read_leaf(const Node& key, const Node& value, const std::string& path, const model::QosField& field);
    void read_number(const Node& key, const Node& value, const std::string& path,
                     const model::QosField& field);
    void store_number(const Node& key, const Node& number, const std::string& path,
                      const model::QosField& field);
    void read_counts(const Node& key, const Node& value, const std::string& path,
                     const model::QosField& field);
    void put(const Node& key, const std::string& path, const model::QosField& field, DesiredField value);

    const ReadContext* context_;
    DesiredQos qos_;
};

std::optional<DesiredQos> ManifestReader::read(const Node& root) {
    qos_.position = context_->at(root);
    qos_.owner = default_owner;
    for (const auto& [key, value] : root.entries) {
        if (key->text == "metadata")
            read_metadata(*value);
        else if (key->text == "spec")
            read_spec(*value);
        else if (key->text != "apiVersion" && key->text != "kind" && key->text != "status")
            context_->unknown_key(*key, top_keys);
    }
    if (!qos_.name.empty()) return std::move(qos_);
    context_->wrong(root, "metadata", "needs the name of the QOS");
    return std::nullopt;
}

void ManifestReader::read_metadata(const Node& metadata) {
    if (!metadata.is_mapping())
        return context_->wrong(metadata, "metadata", "needs a mapping with the name of the QOS");
    if (const Node* name = metadata.find("name")) take_name(*name, "metadata.name");
    read_owner(metadata.find("labels"));
    read_owner(metadata.find("annotations"));
}

void ManifestReader::read_owner(const Node* labels) {
    const Node* owner = labels == nullptr ? nullptr : labels->find(owner_label);
    if (owner == nullptr) return;
    if (owner->is_scalar() && is_owner(owner->text))
        qos_.owner = owner->text;
    else
        context_->wrong(*owner, owner_label, owner_rule());
}

/// The name may be in several places, where it must be the same.
void ManifestReader::take_name(const Node& node, std::string_view key) {
    const auto text = context_->text(node, key);
    if (!text) return;
    auto name = model::parse_qos_name(*text);
    if (!name) return context_->wrong(node, key, name.error().message);
    if (!qos_.name.empty() && qos_.name != *name)
        return context_->wrong(
            node, key, text::format("the name is '{}' in other places", text::printable(qos_.name, 80)));
    qos_.name = *std::move(name);
}

void ManifestReader::read_spec(const Node& spec) {
    if (!spec.is_mapping()) return context_->wrong(spec, "spec", "needs a mapping");
    for (const auto& [key, value] : spec.entries) {
        if (key->text == "name")
            take_name(*value, "spec.name");
        else if (key->text == "owner" && value->is_scalar() && is_owner(value->text))
            qos_.owner = value->text;
        else if (key->text == "owner")
            context_->wrong(*value, "spec.owner", owner_rule());
        else if (key->text == "description")
            read_leaf(*key, *value, key->text, *model::get_qos_field("Description")->field);
        else if (key->text == "config" && !value->is_mapping())
            context_->wrong(*value, "spec.config", "needs a mapping with fields of slurmrestd");
        else if (key->text == "config")
            read_config(*value, {});
        else if (key->text != "controllerRef" && key->text != "accountingRef") // the cluster is where we run
            context_->unknown_key(*key, spec_keys);
    }
}

void ManifestReader::read_config(const Node& node, const std::string& path) {
    for (const auto& [key, value] : node.entries) {
        if (context_->problems->is_full()) return;
        const std::string inner = path.empty() ? key->text : path + "/" + key->text;
        const model::QosField* found = nullptr;
        bool is_beginning = false;
        std::vector<std::string> beside;
        for (const model::QosField& each : model::qos_fields()) {
            const std::string_view rest_path = each.places.rest_path;
            if (rest_path == inner) found = &each;
            is_beginning = is_beginning || rest_path.starts_with(inner + "/");
            if (rest_path.starts_with(path.empty() ? path : path + "/")) {
                const auto rest = rest_path.substr(path.empty() ? 0 : path.size() + 1);
                beside.emplace_back(rest.substr(0, rest.find('/')));
            }
        }
        if (inner == "name") {
            take_name(*value, "config.name");
        } else if (found != nullptr) {
            read_leaf(*key, *value, inner, *found);
        } else if (is_beginning && value->is_mapping()) {
            read_config(*value, inner);
        } else if (is_beginning) {
            context_->wrong(*value, inner, text::format("needs a mapping, not {}", describe(value->kind)));
        } else {
            context_->wrong(*key, inner,
                            text::format("a QOS has no such field in slurmrestd's API{}",
                                         text::did_you_mean(key->text, beside)));
        }
    }
}

void ManifestReader::read_leaf(const Node& key, const Node& value, const std::string& path,
                               const model::QosField& field) {
    using model::FieldKind;
    if (field.kind == FieldKind::tres) return read_counts(key, value, path, field);
    const bool is_number = field.kind == FieldKind::number || field.kind == FieldKind::factor ||
                           field.kind == FieldKind::duration;
    if (is_number) return read_number(key, value, path, field);
    const bool is_off = field.kind == FieldKind::preempt_mode && value.is_sequence() &&
                        value.items.size() == 1 && value.items[0]->text == "DISABLED";
    if (is_off) return put(key, path, field, {{}, context_->at(key)});
    if (auto read = read_value(key, value, {&field, {}}, *context_)) put(key, path, field, *std::move(read));
}

/// {set: true, infinite: false, number: 5}, or a plain number.
void ManifestReader::read_number(const Node& key, const Node& value, const std::string& path,
                                 const model::QosField& field) {
    if (!value.is_mapping()) {
        if (value.kind == Node::Kind::null) return put(key, path, field, {{}, context_->at(key)});
        return store_number(key, value, path, field);
    }
    const Node* number = nullptr;
    bool is_set = true;
    bool is_infinite = false;
    for (const auto& [part, inner] : value.entries) {
        if (part->text == "number")
            number = inner.get();
        else if (part->text == "set")
            is_set = context_->boolean(*inner, path + "/set").value_or(true);
        else if (part->text == "infinite")
            is_infinite = context_->boolean(*inner, path + "/infinite").value_or(false);
        else
            context_->wrong(*part, path + "/" + part->text, "unknown; a number has set, infinite and number");
    }
    if (is_infinite) return put(key, path, field, {{}, context_->at(key)});
    if (!is_set) return; // slurmrestd leaves such a field as it is
    if (number == nullptr) return context_->wrong(value, path, "has no number");
    store_number(key, *number, path, field);
}

/// slurmrestd's numbers are in the unit that Slurm stores.
void ManifestReader::store_number(const Node& key, const Node& number, const std::string& path,
                                  const model::QosField& field) {
    const auto text = context_->text(number, path);
    if (!text) return;
    // A time's number is read as that of a field without unit.
    model::QosField plain = field;
    if (plain.kind == model::FieldKind::duration) plain.kind = model::FieldKind::number;
    auto parsed = model::parse_field_value(plain, *text);
    if (!parsed) return context_->wrong(number, path, parsed.error().message);
    put(key, path, field, {*std::move(parsed), context_->at(key)});
}

/// [{type: gres, name: gpu, count: 4}]
void ManifestReader::read_counts(const Node& key, const Node& value, const std::string& path,
                                 const model::QosField& field) {
    if (!value.is_sequence())
        return context_->wrong(value, path, "needs a list, for example [{type: gres, name: gpu, count: 4}]");
    DesiredTres counts;
    for (const NodePtr& item : value.items) {
        std::string type;
        std::string name;
        std::optional<DesiredCount> count;
        if (context_->problems->is_full()) return;
        for (const auto& [part, inner] : item->entries) {
            const auto text = context_->text(*inner, path + "/" + part->text);
            if (!text) continue;
            if (part->text == "type") {
                type = *text;
            } else if (part->text == "name") {
                name = *text;
            } else if (part->text == "count" && *text == "-1") {
                count = DesiredCount();
            } else if (part->text == "count") {
                const auto number = text::parse_unsigned(*text);
                if (number && *number <= model::max_tres_count)
                    count = DesiredCount(*number);
                else
                    context_->wrong(*inner, path + "/count",
                                    text::format("'{}' is not a whole number; memory is in MiB",
                                                 text::printable(*text, 40)));
            } else if (part->text != "id") { // the type and the name say it
                context_->wrong(*part, path + "/" + part->text, "unknown; a TRES has type, name and count");
            }
        }
        if (type.empty() || !count) {
            context_->wrong(*item, path, "each TRES needs a type and a count");
            continue;
        }
        const auto full = full_tres_name(name.empty() ? type : type + "/" + name, context_->catalogue);
        if (!full)
            context_->wrong(*item, path, full.error().message);
        else if (!counts.counts.emplace(*full, *count).second)
            context_->wrong(*item, path, *full + " is given twice");
    }
    put(key, path, field, {std::move(counts), context_->at(key)});
}

void ManifestReader::put(const Node& key, const std::string& path, const model::QosField& field,
                         DesiredField value) {
    if (!qos_.fields.emplace(&field, std::move(value)).second)
        context_->wrong(key, path, text::format("{} is given twice", field.name));
}

} // namespace

bool is_manifest(const Node& root) {
    return root.find("apiVersion") != nullptr && root.find("kind") != nullptr;
}

std::vector<DesiredQos> read_manifest(const Node& root, const ReadContext& context) {
    const Node& kind = *root.find("kind");
    const bool is_list = kind.is_scalar() && (kind.text == "List" || kind.text == "SlurmQosList");
    std::vector<DesiredQos> found;
    const auto add = [&](const Node& manifest) {
        const Node* own = manifest.find("kind");
        if (own == nullptr || own->text != "SlurmQos")
            return context.wrong(own == nullptr ? manifest : *own, "kind", "only SlurmQos is read");
        if (auto qos = ManifestReader(context).read(manifest)) found.push_back(*std::move(qos));
    };
    if (!is_list) {
        add(root);
        return found;
    }
    const Node* items = root.find("items");
    if (items == nullptr || !items->is_sequence()) {
        context.wrong(root, "items", "needs a list of manifests");
        return found;
    }
    for (const NodePtr& item : items->items)
        add(*item);
    return found;
}

} // namespace qg::spec

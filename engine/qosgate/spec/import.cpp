// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/import.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/sacctmgr_text.hpp"
#include "qosgate/spec/spec_writer.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace qg::spec {
namespace {

constexpr std::size_t max_bytes = 64u << 20u;

/// sacctmgr's names of options and columns; it has more of them than its manual.
const model::QosField* find_field(std::string_view name) {
    if (const auto match = model::get_qos_field(name)) return match.value().field;
    const auto whole = model::find_abbreviated_field(name);
    return whole ? model::get_qos_field(*whole).value().field : nullptr;
}

/// A catalogue in which the TRES of "cpu=1,gres/gpu=2" are: what exists is not known here.
model::TresCatalogue catalogue_of(std::string_view counts) {
    const auto built_in = model::TresCatalogue::built_in();
    std::vector<std::string> names(built_in->names().begin(), built_in->names().end());
    for (std::string_view part : text::split(counts, ',')) {
        const std::string_view name = text::trim(part.substr(0, part.find('=')));
        if (!name.empty() && !built_in->find(name)) names.emplace_back(name);
    }
    return model::TresCatalogue(std::move(names));
}

class Importer {
  public:
    Importer(std::span<const SourceText> sources, std::string owner)
        : sources_(sources), owner_(std::move(owner)) {}

    Imported import() && {
        if (!is_owner(owner_))
            add_problem(0,
                        text::format("'{}' cannot be an owner: {}", text::printable(owner_), owner_rule()));
        else
            read_all();
        for (const auto& [key, where] : left_out_)
            result_.left_out.push_back(text::format(
                "{}line {}{}: {}", sources_.size() > 1 ? key.first + " " : "", where.first,
                where.count == 1 ? "" : text::format(" and {} more", where.count - 1), key.second));
        if (result_.problems.empty()) write();
        return std::move(result_);
    }

  private:
    struct Lines {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    void add_problem(std::size_t line, std::string text) {
        result_.problems.push_back({{source_ == nullptr ? "" : source_->file, line, 0}, std::move(text)});
    }
    void leave_out(std::size_t line, const std::string& what) {
        Lines& lines = left_out_.try_emplace({source_->file, what}, Lines{line, 0}).first->second;
        ++lines.count;
    }

    void read_all() {
        std::size_t bytes = 0;
        for (const SourceText& source : sources_)
            bytes += source.text.size();
        if (bytes > max_bytes)
            return add_problem(0, text::format("there are more than {} MiB", max_bytes >> 20u));
        for (const bool is_of_dump : {false, true})
            for (const SourceText& source : sources_)
                if (is_dump(source.text) == is_of_dump) read(source, is_of_dump);
        if (!result_.problems.empty() || !qos_.empty() || source_ == nullptr) return;
        add_problem(0, is_dump(source_->text)
                           ? "no line is of a QOS; sacctmgr writes QOSs since Slurm 25.05, so save "
                             "the output of 'sacctmgr -P show qos' and import that, too"
                           : "there is no QOS in it");
    }

    void read(const SourceText& source, bool is_of_dump) {
        source_ = &source;
        columns_.clear();
        header_ = 0;
        account_.clear();
        std::size_t number = 0;
        if (text::trim(source.text).empty()) return add_problem(0, "it is empty");
        for (std::string_view line : text::split(source.text, '\n', /*keep_empty=*/true)) {
            ++number;
            if (line.empty()) continue;
            if (!is_of_dump)
                read_row(number, line);
            else if (!line.starts_with('#'))
                read_dump(number, line);
        }
    }

    // ---- the table of `show qos` -------------------------------------------------------------------------

    void read_row(std::size_t number, std::string_view line) {
        std::vector<std::string_view> cells = text::split(line, '|', /*keep_empty=*/true);
        if (columns_.empty() && !read_columns(number, cells)) return;
        if (number == header_) return;
        if (cells.size() == columns_.size() + 1 && cells.back().empty()) cells.pop_back(); // of -p
        if (cells.size() != columns_.size())
            return add_problem(
                number, text::format("it has {} cells, and {} are expected", cells.size(), columns_.size()));
        std::optional<std::string> name;
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (columns_[i] != nullptr && columns_[i]->kind == model::FieldKind::name) name = cells[i];
        WrittenQos* qos = add_qos(number, name.value_or(""));
        if (qos == nullptr) return;
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (columns_[i] != nullptr && columns_[i]->kind != model::FieldKind::name)
                set(number, *qos, *columns_[i], cells[i]);
    }

    /// Fields without a column may be set: the spec does not have them.
    void leave_out_missing(std::size_t number) {
        std::vector<std::string> missing;
        for (const model::QosField& field : model::qos_fields())
            if (std::ranges::find(columns_, &field) == columns_.end()) missing.emplace_back(field.name);
        if (!missing.empty())
            leave_out(number, "there is no column for " + text::list_names(missing) +
                                  ", which may be set ('sacctmgr -P show qos format=...' shows them)");
    }

    /// From the header, or from the number of cells.
    bool read_columns(std::size_t number, std::vector<std::string_view> cells) {
        if (cells.size() > 1 && cells.back().empty() && default_columns(cells.size()).empty())
            cells.pop_back();
        bool has_name = false;
        for (std::string_view cell : cells)
            has_name = has_name || text::iequals(cell, "Name");
        if (has_name)
            header_ = number;
        else
            cells = default_columns(cells.size());
        if (cells.empty()) {
            add_problem(number,
                        "there is no header with a column 'Name', and no release of Slurm shows so many "
                        "columns if none are asked for; save the output of 'sacctmgr -P show qos'");
            columns_.push_back(nullptr); // said once
            return false;
        }
        for (std::string_view cell : cells) {
            columns_.push_back(find_field(cell));
            if (columns_.back() == nullptr)
                leave_out(number, text::format("the column {} is no field of a spec", text::printable(cell)));
        }
        leave_out_missing(number);
        return true;
    }

    // ---- dump files --------------------------------------------------------------------------------------

    void read_dump(std::size_t number, std::string_view line) {
        const auto parsed = parse_dump_line(line);
        if (!parsed) return add_problem(number, parsed.error().message);
        if (text::iequals(parsed->object, "QOS")) return read_qos(number, *parsed);
        if (text::iequals(parsed->object, "Parent")) {
            account_ = text::lower(parsed->name);
        } else if (text::iequals(parsed->object, "Cluster")) {
            if (!cluster_.empty() && !text::iequals(cluster_, parsed->name))
                add_problem(number,
                            text::format("it is about cluster '{}', and a line before is about '{}': a "
                                         "spec is for one cluster",
                                         text::printable(parsed->name), text::printable(cluster_)));
            cluster_ = parsed->name;
            account_ = "root";
            read_association(number, *parsed, {.user = {}, .account = "root"});
        } else if (text::iequals(parsed->object, "Account") || text::iequals(parsed->object, "Project")) {
            read_association(number, *parsed, {.user = {}, .account = text::lower(parsed->name)});
        } else if (text::iequals(parsed->object, "User")) {
            if (account_.empty())
                return add_problem(number, "a user needs a line \"Parent - 'account'\" before it");
            read_association(number, *parsed, {.user = parsed->name, .account = account_});
        } else {
            add_problem(number, text::format("'{}' is not QOS, Cluster, Parent, Account or User",
                                             text::printable(parsed->object)));
        }
    }

    void read_qos(std::size_t number, const DumpLine& line) {
        WrittenQos* qos = add_qos(number, line.name);
        if (qos == nullptr) return;
        for (const DumpOption& option : line.options) {
            const model::QosField* field = find_field(option.key);
            if (field == nullptr || field->kind == model::FieldKind::name)
                add_problem(number, text::format("a QOS has no option '{}'", text::printable(option.key)));
            else
                set(number, *qos, *field, option.value, /*is_dump=*/true);
        }
    }

    /// What a cluster, account or user says about its QOSs.
    void read_association(std::size_t number, const DumpLine& line, DesiredUser who) {
        for (const DumpOption& option : line.options)
            if (text::iequals(option.key, "Partition")) who.partition = option.value;
        for (const DumpOption& option : line.options) {
            if (text::iequals(option.key, "QOS") || text::iequals(option.key, "QosLevel")) {
                for (std::string_view name : text::split(option.value, ','))
                    grant(number, text::lower(name), who);
            } else if (text::iequals(option.key, "DefaultQOS")) {
                add_access(number, text::lower(option.value), who, /*is_default=*/true);
            } else if (!text::iequals(option.key, "Partition")) {
                leave_out(number, text::format("{} of a {} is not of a QOS", text::printable(option.key),
                                               text::lower(line.object)));
            }
        }
    }

    void grant(std::size_t number, std::string name, const DesiredUser& who) {
        if (name.starts_with('-'))
            return leave_out(number,
                             text::format("a spec cannot say that an association does not have what the "
                                          "account above it has (-{})",
                                          text::printable(name.substr(1))));
        if (name.starts_with('+')) name.erase(0, 1);
        add_access(number, name, who, /*is_default=*/false);
    }

    void add_access(std::size_t number, const std::string& name, const DesiredUser& who, bool is_default) {
        const auto found = qos_.find(name);
        if (found == qos_.end())
            return leave_out(number,
                             text::format("no line before it defines QOS '{}'", text::printable(name)));
        DesiredAccess& access = found->second.access;
        if (!known_.insert({name, who.account, who.user, who.partition, is_default}).second) return;
        if (who.user.empty())
            (is_default ? access.default_for_accounts : access.accounts).push_back(who.account);
        else
            (is_default ? access.default_for_users : access.users).push_back(who);
    }

    // ---- QOSs --------------------------------------------------------------------------------------------

    /// Nullptr: a problem.
    WrittenQos* add_qos(std::size_t number, std::string_view typed) {
        const auto name = model::parse_qos_name(typed);
        if (!name) {
            add_problem(number, name.error().message);
            return nullptr;
        }
        return add_named(number, *name);
    }

    /// Nullptr: a problem. (gcc 12 takes the result for the name's address if it inlines this.)
    [[gnu::noinline]] WrittenQos* add_named(std::size_t number, const std::string& name) {
        const auto [place, is_new] = qos_.try_emplace(name);
        if (!is_new) {
            add_problem(number, text::format("QOS '{}' is there twice", name));
            return nullptr;
        }
        place->second.record.name = name;
        return &place->second;
    }

    void set(std::size_t number, WrittenQos& qos, const model::QosField& field, std::string_view typed,
             bool is_of_dump = false) {
        std::string value(field.kind == model::FieldKind::text ? typed : text::trim(typed));
        if (value.empty()) return;
        // A dump has all times as stored, and sacctmgr reads this one in minutes.
        if (const auto plain = text::parse_unsigned(value);
            is_of_dump && plain && field.kind == model::FieldKind::duration && field.unit == "seconds")
            value = units::format_seconds(*plain);
        const std::vector<std::string> assignment{text::format("{}={}", field.name, value)};
        const auto change = model::QosChange::parse(assignment, catalogue_of(value));
        if (!change) return add_problem(number, change.error().message);
        qos.record = change->apply_to(std::move(qos.record));
        // What specs manage of it is another spec's to say.
        qos.record.description = read_mark(qos.record.description).text;
    }

    void write() {
        std::vector<WrittenQos> all;
        for (auto& [name, qos] : qos_)
            all.push_back(std::move(qos));
        std::vector<std::string> files;
        for (const SourceText& source : sources_)
            files.push_back(source.file);
        const std::vector<std::string> comments{"Imported from " + text::join(files, ", ")};
        result_.spec = write_spec(owner_, all, comments);
    }

    std::span<const SourceText> sources_;
    const SourceText* source_ = nullptr; ///< the one that is read now
    std::string owner_;
    std::map<std::string, WrittenQos> qos_;
    std::map<std::pair<std::string, std::string>, Lines> left_out_; ///< file and what
    std::vector<const model::QosField*> columns_;
    std::size_t header_ = 0; ///< its line
    std::string account_;    ///< of the users that follow
    std::string cluster_;    ///< of the dumps; empty: none was read
    /// QOS, account, user, partition, whether as default: each is written once.
    std::set<std::tuple<std::string, std::string, std::string, std::string, bool>> known_;
    Imported result_;
};

} // namespace

Imported import_spec(std::span<const SourceText> sources, const std::string& owner) {
    return Importer(sources, owner).import();
}

} // namespace qg::spec

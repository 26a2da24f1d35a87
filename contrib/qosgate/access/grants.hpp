// SPDX-License-Identifier: GPL-2.0-or-later
//
// Temporary permissions to use a QOS: what was granted here, to which associations, and until when.
#pragma once

#include "common/output.hpp"
#include "common/state_directory.hpp"

#include "qosgate/base/result.hpp"
#include "qosgate/model/association_record.hpp"
#include "qosgate/spec/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// What an association stored about a QOS before it was granted.
enum class StoredBefore : std::uint8_t {
    unknown,  ///< it is not remembered: an older list
    nothing,  ///< it had the list of the account above, which had not the QOS or not for good
    removed,  ///< "-QOS": it had the list of the account above without the QOS
    own_list, ///< a list of its own, without the QOS
};

/// One association that may use one QOS for a time.
struct TemporaryGrant {
    std::string qos;
    model::AssociationName name;
    std::time_t until = 0;
    std::string reason = {};
    std::string by = {}; ///< who granted it
    std::time_t at = 0;
    StoredBefore before = StoredBefore::unknown;
    bool is_open = false; ///< whether it was granted is not known: the list is written first

    friend bool operator==(const TemporaryGrant&, const TemporaryGrant&) = default;
};

/// Whether both are about the same access: that of an association to a QOS.
bool is_same_access(const TemporaryGrant& one, const TemporaryGrant& other);
/// Whether one of `all` is about the same access.
bool has_access(const std::vector<TemporaryGrant>& all, const TemporaryGrant& grant);

/// A line of the list.
std::string to_line(const TemporaryGrant& grant);
/// Empty: it is no such line.
std::optional<TemporaryGrant> grant_of_line(std::string_view line);

/// The grants while no other process can change them.
class LockedGrants {
  public:
    std::vector<TemporaryGrant> all;

    /// Writes `all` to the disk. Errors: unavailable.
    [[nodiscard]] Result<void> write() const;

  private:
    friend class GrantFile;
    LockedGrants(std::vector<TemporaryGrant> grants, std::filesystem::path file, StateLock lock)
        : all(std::move(grants)), file_(std::move(file)), lock_(std::move(lock)) {}

    std::filesystem::path file_;
    StateLock lock_;
};

/// The grants of this machine: a file of JSON lines in a directory, of mode 0600.
class GrantFile {
  public:
    /// An empty `directory`: default_state_directory(). Makes it. Errors: those of make_state_directory().
    static Result<GrantFile> open(const std::string& directory);

    /// Errors: unavailable; invalid_input with the line that is damaged.
    [[nodiscard]] Result<std::vector<TemporaryGrant>> read() const;

    /// Reads the grants to change them. Waits while another process does: it may be changing access as well.
    /// Errors: those of read(); unavailable.
    [[nodiscard]] Result<LockedGrants> lock() const;

    [[nodiscard]] std::filesystem::path path() const;
    /// Whether the systemd timer ends what is in it: it runs as root, on the default directory.
    [[nodiscard]] bool is_of_timer() const;

  private:
    explicit GrantFile(std::filesystem::path directory) : directory_(std::move(directory)) {}
    std::filesystem::path directory_;
};

/// Decides grants that are open, which a program left that was ended: what is stored now was granted, and
/// anything else is taken from the list, so that it never ends what somebody grants later. Returns those
/// taken out. With LiveState::hides_associations nothing is decided.
std::vector<TemporaryGrant> settle(std::vector<TemporaryGrant>& all, const spec::LiveState& live);

/// "QOS long for user ana in account astro"
std::string describe(const TemporaryGrant& grant);
nlohmann::ordered_json to_json(const TemporaryGrant& grant);
/// "user ana in account astro"
std::string describe(const model::AssociationName& name);
/// account, user, partition; null: none.
nlohmann::ordered_json to_json(const model::AssociationName& name);

/// The grants of the default directory, which it does not make. What cannot be read is a warning, and none.
std::vector<TemporaryGrant> known_grants(Output& output);

/// Those of known_grants() that the plan's files name: that access has no end any more once the plan is
/// carried out.
std::vector<TemporaryGrant> find_named(const spec::Plan& plan, Output& output);

/// The temporary access of known_grants() that a plan touches.
struct TouchedGrants {
    std::vector<TemporaryGrant> made_permanent; ///< as find_named()
    std::vector<TemporaryGrant> ended;          ///< that it takes away
};

TouchedGrants find_touched(const spec::Plan& plan, Output& output);

/// Before a plan that made them permanent, or took them away, is undone: puts these grants into the list
/// again, unless it has the same access. They are open: settle() takes out what did not come back. Errors:
/// those of the list.
Result<void> make_temporary(const std::vector<TemporaryGrant>& grants);

/// After make_temporary(), if nothing was undone: takes what is open out again. Fails with a warning.
void leave_permanent(const std::vector<TemporaryGrant>& grants, Output& output);

/// After a plan was carried out, or needed nothing: forgets the end of grants that its files name, because
/// that access is permanent now, and notes each; and grants that the plan took away. Of the default
/// directory. Fails with a warning.
void forget_touched(const spec::Plan& plan, Output& output);

} // namespace qg::cli

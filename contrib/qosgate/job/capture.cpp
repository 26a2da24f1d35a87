// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate capture FILE
#include "common/command.hpp"
#include "common/output.hpp"
#include "job/judged_world.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/quota/anonymous_world.hpp"
#include "qosgate/quota/user_groups.hpp"
#include "qosgate/quota/world_text.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qg::cli {
namespace {

constexpr mode_t only_for_the_owner = 0600;

struct CaptureOptions {
    std::string file;
    bool is_anonymous = false;
    bool has_groups = true;
    unsigned group_seconds = 300; ///< for asking about groups
    bool replaces = false;
};

Error not_written(const std::string& file, int problem) {
    return {ErrorCode::unavailable,
            text::format("{}: cannot be written: {}", text::printable(file, 4000), std::strerror(problem))};
}

Error exists(const std::string& file) {
    return {ErrorCode::already_exists,
            text::format("{} exists: name another file, or add --force", text::printable(file, 4000))};
}

/// Whether there is nothing, or a regular file that may be replaced.
Result<void> check_target(const CaptureOptions& options) {
    struct stat found {};
    if (lstat(options.file.c_str(), &found) != 0) {
        if (errno == ENOENT) return {};
        return not_written(options.file, errno);
    }
    if (!options.replaces) return exists(options.file);
    if (S_ISREG(found.st_mode)) return {};
    return Error{ErrorCode::already_exists,
                 text::format("{} is not a regular file: --force does not replace it; name another file",
                              text::printable(options.file, 4000))};
}

/// Creates the file, which must not exist.
Result<void> claim(const std::string& file) {
    const int descriptor = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, only_for_the_owner);
    if (descriptor < 0) return errno == EEXIST ? exists(file) : not_written(file, errno);
    close(descriptor);
    return {};
}

/// Writes the file completely or not at all. One that has appeared since the check is not replaced unasked.
Result<void> store(const CaptureOptions& options, std::string_view content) {
    if (!options.replaces)
        if (const auto claimed = claim(options.file); !claimed) return claimed.error();
    auto done = write_output_file(options.file, content, only_for_the_owner);
    if (!done && !options.replaces) unlink(options.file.c_str());
    return done;
}

/// The id of a user whom slurmdbd knows and slurmctld's host does not.
constexpr std::uint32_t no_id = 0xfffffffeu;

/// Leaves out users without an id: they all have the same one, and slurmctld takes no job of them. Returns
/// how many there were.
std::size_t drop_unknown_users(quota::LocalRecords& records) {
    std::set<std::string> names;
    std::erase_if(records.users, [&](const quota::UserRecord& user) {
        if (user.id < no_id) return false;
        names.insert(user.name);
        return true;
    });
    std::vector<quota::LocalAssociation> kept;
    std::vector<std::size_t> places; // the new one of each association
    for (quota::LocalAssociation& association : records.associations) {
        places.push_back(kept.size());
        const bool is_user = association.link.level == model::AssociationLevel::user;
        if (is_user && association.user_id >= no_id)
            names.insert(association.link.user);
        else
            kept.push_back(std::move(association));
    }
    for (quota::LocalAssociation& association : kept)
        if (association.parent) association.parent = places[*association.parent];
    records.associations = std::move(kept);
    return names.size();
}

/// The ids of all users who have an association, each once.
std::set<std::uint32_t> users_of(const quota::World& world) {
    std::set<std::uint32_t> ids;
    for (const quota::LocalAssociation& association : world.records.associations)
        if (association.link.level == model::AssociationLevel::user) ids.insert(association.user_id);
    return ids;
}

/// People wait for this; programs do not read it.
void note_progress(Output& output, std::string_view what) {
    if (isatty(STDERR_FILENO) == 1) output.note(what);
}

/// Asks the directory service, for a bounded time, and tells how far it is.
class GroupQuestions {
  public:
    GroupQuestions(std::size_t users, std::chrono::seconds patience, Output& output)
        : users_(users), patience_(patience), output_(output) {}

    Result<std::vector<std::string>> groups_of(std::uint32_t user_id) {
        const auto now = Clock::now();
        if (now - begin_ >= patience_)
            return Error{
                ErrorCode::unavailable,
                text::format("the directory service was asked for {} s; --group-seconds gives it more",
                             patience_.count())};
        if (now - shown_ >= std::chrono::seconds(5)) {
            shown_ = now;
            note_progress(output_, text::format("asked about {} of {} users", asked_, users_));
        }
        ++asked_;
        return groups_.groups_of(user_id);
    }

  private:
    using Clock = std::chrono::steady_clock;
    std::size_t users_;
    std::chrono::seconds patience_;
    Output& output_;
    std::size_t asked_ = 0;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point shown_ = begin_;
    quota::AskedGroups groups_;
};

/// Adds the groups of users, as this host's directory service tells them. Returns why some are not known, and
/// of how many users; 0: all are known. Cost: some questions to the service for each user.
std::pair<std::size_t, std::string> add_groups(quota::World& world, const CaptureOptions& options,
                                               Output& output) {
    std::set<std::uint32_t> left = users_of(world);
    for (const quota::UserRecord& user : world.records.users)
        left.erase(user.id);
    GroupQuestions groups(world.records.users.size() + left.size(),
                          std::chrono::seconds(options.group_seconds), output);
    std::pair<std::size_t, std::string> unknown;
    const auto add = [&](quota::UserRecord& user) {
        auto names = groups.groups_of(user.id);
        if (names)
            user.groups = *std::move(names);
        else if (unknown.first++ == 0)
            unknown.second = names.error().message;
    };
    for (quota::UserRecord& user : world.records.users)
        add(user);
    for (const std::uint32_t id : left) {
        world.records.users.emplace_back().id = id;
        add(world.records.users.back());
    }
    return unknown;
}

Result<int> capture(const CaptureOptions& options, Output& output) {
    if (const auto ready = check_target(options); !ready) return ready.error();
    note_progress(output, "reading the cluster from slurmctld");
    auto world = capture_world();
    if (!world) return world.error();
    const std::size_t unknown_users = drop_unknown_users(world->records);
    std::pair<std::size_t, std::string> without_groups;
    if (options.has_groups) {
        note_progress(output, "asking the directory service for the groups of users");
        without_groups = add_groups(*world, options, output);
    }
    if (options.is_anonymous) quota::make_anonymous(*world);
    note_progress(output, text::format("writing {} associations", world->records.associations.size()));
    const std::string content = quota::to_json(*world);
    if (const auto done = store(options, content); !done) return done.error();
    output.note_stored();
    if (unknown_users > 0)
        output.note(text::format("{} of accounting {} no user of slurmctld's host, and {} left out",
                                 unknown_users == 1 ? "1 user" : text::format("{} users", unknown_users),
                                 unknown_users == 1 ? "is" : "are", unknown_users == 1 ? "is" : "are"));
    if (without_groups.first > 0)
        output.note(text::format("the groups of {} {} are not known: {}{}", without_groups.first,
                                 without_groups.first == 1 ? "user" : "users",
                                 text::printable(without_groups.second, 1000),
                                 without_groups.first == 1 ? "" : " (and so on)"));
    const quota::LocalRecords& records = world->records;
    if (output.json())
        output.write({{"file", options.file},
                      {"captured_at", world->captured_at},
                      {"is_anonymous", options.is_anonymous},
                      {"qos", records.qos.size()},
                      {"associations", records.associations.size()},
                      {"users", records.users.size()},
                      {"without_groups", options.has_groups ? without_groups.first : records.users.size()},
                      {"unknown_users", unknown_users},
                      {"partitions", world->partitions.size()},
                      {"bytes", content.size()}});
    else
        output.text() << text::format("{}: {} QOSs, {} associations, {} users, {} partitions, {} bytes\n",
                                      text::printable(options.file, 4000), records.qos.size(),
                                      records.associations.size(), records.users.size(),
                                      world->partitions.size(), content.size());
    return 0;
}

} // namespace

void add_capture(Command app, Invocation& invocation) {
    auto options = std::make_shared<CaptureOptions>();
    Command command = add_command(
        app, "capture", "Write limits, usage and partitions, as they are now, to a file",
        "The file is for 'qosgate policy try --world FILE', which tries jobs against it at any time, and "
        "for\n"
        "'qosgate eval', if a job is added to it. It has the keys of a scenario (eval.md): QOSs with their\n"
        "usage, associations, users with their Linux groups, partitions with their kinds of nodes,\n"
        "reservations and licenses. Jobs are not in it. The groups are those that this host knows: it asks\n"
        "the directory service for each user, for at most five minutes (--group-seconds); --no-groups "
        "leaves\n"
        "them out. Users of accounting whom slurmctld's host does not know are left out.\n\n"
        "It has what slurmctld shows you: everything only for root, SlurmUser and operators. Only you can\n"
        "read it. --anonymous replaces the names and ids of users and the names of accounts and groups: a\n"
        "name gets the same new name wherever it is used. QOSs, partitions and reservations keep their\n"
        "names, even if a user or an account has the same name.\n\n"
        "Exit status:\n"
        "  0   written\n"
        "  64  the command line is wrong\n"
        "  69  slurmctld cannot be reached, or the file cannot be written\n"
        "  73  the file exists, and there is no --force, or it is not a regular file\n"
        "  74  the output cannot be written\n\n"
        "Examples:\n"
        "  sudo qosgate capture monday.json\n"
        "  sudo qosgate capture --anonymous --force for-the-vendor.json\n"
        "  qosgate policy try --world monday.json --user ana -- sbatch --qos=gpu --gres=gpu:2 job.sh\n"
        "  jq -c '. + {job: {user: 1017, qos: \"gpu\", tres: {\"gres/gpu\": 2}}}' monday.json | qosgate "
        "eval");
    command.add_option("FILE", options->file, "The file to write").required();
    command.add_flag("--anonymous", options->is_anonymous, "Replace the names of users, accounts and groups");
    command.add_flag("!--no-groups", options->has_groups, "Leave out the Linux groups of users");
    command.add_option("--group-seconds", options->group_seconds,
                       "How long to ask for groups, in seconds; default: 300");
    command.add_flag("--force", options->replaces, "Replace the file if it exists");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return capture(*options, output); };
    });
}

} // namespace qg::cli

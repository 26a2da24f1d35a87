// SPDX-License-Identifier: GPL-2.0-or-later
//
// For LD_PRELOAD, before nss_wrapper: the plugin's threads are told nothing about users and groups while
// there is a file "hangs" beside the file that NSS_WRAPPER_PASSWD names, as by a directory service that is
// gone. slurmctld's own threads are told: it asks for the name of the user of each job that it accepts, and
// would hang with any plugin.
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <unistd.h>

namespace {

bool is_of_plugin() {
    std::array<char, 16> name{};
    return pthread_getname_np(pthread_self(), name.data(), name.size()) == 0 &&
           std::string_view(name.data()).starts_with("qosgate-");
}

void wait_while_hanging() {
    const char* passwd = getenv("NSS_WRAPPER_PASSWD");
    if (passwd == nullptr || !is_of_plugin()) return;
    const std::string path(passwd);
    const std::string mark = path.substr(0, path.rfind('/') + 1) + "hangs";
    while (access(mark.c_str(), F_OK) == 0)
        usleep(20000);
}

template <typename Function, typename... Arguments>
int answer(Function* /*the name that is asked*/, const char* symbol, Arguments... arguments) {
    wait_while_hanging();
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol))(arguments...);
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int getpwnam_r(const char* name, passwd* record, char* buffer, size_t size, passwd** found) {
    return answer(&getpwnam_r, "getpwnam_r", name, record, buffer, size, found);
}
int getpwuid_r(uid_t id, passwd* record, char* buffer, size_t size, passwd** found) {
    return answer(&getpwuid_r, "getpwuid_r", id, record, buffer, size, found);
}
int getgrnam_r(const char* name, group* record, char* buffer, size_t size, group** found) {
    return answer(&getgrnam_r, "getgrnam_r", name, record, buffer, size, found);
}
int getgrgid_r(gid_t id, group* record, char* buffer, size_t size, group** found) {
    return answer(&getgrgid_r, "getgrgid_r", id, record, buffer, size, found);
}
int getgrouplist(const char* user, gid_t primary, gid_t* groups, int* count) {
    return answer(&getgrouplist, "getgrouplist", user, primary, groups, count);
}
}

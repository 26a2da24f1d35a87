// SPDX-License-Identifier: GPL-2.0-or-later
//
// For LD_PRELOAD: a process whose clock is set. Real-time clocks are off by the seconds in the file that
// SHIFTED_CLOCK names, which is read at each look; steady clocks are right.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <sys/time.h>

namespace {

long shift() {
    const char* path = getenv("SHIFTED_CLOCK");
    FILE* file = path == nullptr ? nullptr : fopen(path, "re");
    if (file == nullptr) return 0;
    long seconds = 0;
    if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
    fclose(file);
    return seconds;
}

template <typename Function>
Function* next(Function* /*of this type*/, const char* symbol) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol));
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
    static auto* const own = next(&clock_gettime, "clock_gettime");
    const int result = own(clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += shift();
    return result;
}
time_t time(time_t* stored) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (stored != nullptr) *stored = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(timeval* now, void* /*zone*/) noexcept {
    timespec precise{};
    const int result = clock_gettime(CLOCK_REALTIME, &precise);
    *now = {precise.tv_sec, precise.tv_nsec / 1000};
    return result;
}
}

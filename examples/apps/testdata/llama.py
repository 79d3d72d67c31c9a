"""Makes small checkpoints of each kind of model with random weights, and what a float64 decoder makes of them.

llama.py DIR [CASE...] writes DIR/CASE/config.json and *.safetensors, and the greedy continuations of some prompts: their tokens in
expected-FORMAT.json and the logits of each step in expected-FORMAT.safetensors. FORMAT is f32 for the weights as they are, int8 and
int4 for weights that were rounded to such integers, gguf for DIR/CASE/model.gguf. The decoder is written from the papers that the models follow; check.py
compares it with transformers.
"""

import json
import os
import sys

import numpy as np
from safetensors.numpy import save_file

STEPS = 64

BASE = dict(hidden_act="silu", max_position_embeddings=160, rms_norm_eps=1e-5, rope_theta=10000.0, tie_word_embeddings=False,
            bos_token_id=1, eos_token_id=2)


def config(arch, vocab, dim, layers, heads, groups, hidden, **more):
    return dict(BASE, architectures=[arch], vocab_size=vocab, hidden_size=dim, num_hidden_layers=layers, num_attention_heads=heads,
                num_key_value_heads=groups, intermediate_size=hidden, **more)


LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)

# The configuration, the element type of the file, the number of files, and the formats of weights.
CASES = {
    "llama": (config("LlamaForCausalLM", 320, 64, 2, 4, 2, 96), "F32", 1, ["f32", "int8", "int4"]),
    "llama3": (config("LlamaForCausalLM", 300, 48, 3, 4, 1, 80, head_dim=32, rope_scaling=LLAMA3, rope_theta=500000.0,
                      **{"tie_word_embeddings": True}), "F16", 2, ["f32"]),
    "linear": (config("LlamaForCausalLM", 264, 64, 2, 4, 4, 64, rope_scaling=dict(type="linear", factor=4.0)), "BF16", 1, ["f32"]),
    "mistral": (config("MistralForCausalLM", 320, 64, 2, 4, 2, 96, sliding_window=8), "F32", 1, ["f32"]),
    "qwen2": (config("Qwen2ForCausalLM", 333, 56, 2, 4, 2, 100, tie_word_embeddings=True, use_sliding_window=False,
                     sliding_window=8), "BF16", 1, ["f32"]),
    "qwen2window": (config("Qwen2ForCausalLM", 320, 64, 3, 4, 2, 96, use_sliding_window=True, sliding_window=9,
                           max_window_layers=1), "F32", 1, ["f32"]),
    "qwen3": (config("Qwen3ForCausalLM", 320, 80, 2, 6, 3, 112, head_dim=24, tie_word_embeddings=True,
                     rope_parameters=dict(rope_type="default", rope_theta=1000000.0)), "F32", 3, ["f32", "int8"]),
    "wide": (config("Qwen2ForCausalLM", 1024, 896, 2, 14, 2, 4864, tie_word_embeddings=True, rope_theta=1000000.0), "BF16", 1,
             ["f32", "int8", "int4"]),
}

PROMPTS = [3, 1, 17, 40]  # lengths


def bfloat16(x):
    """Rounds float32 to the bits of bfloat16, ties to even."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def rounded(x, dtype):
    """What is left of x in a file of the type."""
    if dtype == "F16":
        return x.astype(np.float16).astype(np.float32)
    if dtype == "BF16":
        return (bfloat16(x).astype(np.uint32) << 16).view(np.float32)
    return x


def weights(c, dtype, rng):
    """Random weights under the names of checkpoints."""
    dim, hidden, heads, groups = c["hidden_size"], c["intermediate_size"], c["num_attention_heads"], c["num_key_value_heads"]
    head = c.get("head_dim") or dim // heads
    w = {}

    def matrix(name, rows, cols, scale=1.0):
        w[name] = rounded((rng.standard_normal((rows, cols)) * scale / np.sqrt(cols)).astype(np.float32), dtype)

    def vector(name, n, mean, scale):
        w[name] = rounded((mean + scale * rng.standard_normal(n)).astype(np.float32), dtype)

    # A table that is also the last layer is small, or each token would be followed by itself.
    matrix("model.embed_tokens.weight", c["vocab_size"], dim, np.sqrt(dim) * (0.02 if c["tie_word_embeddings"] else 1))
    vector("model.norm.weight", dim, 1, 0.1)
    if not c["tie_word_embeddings"]:
        matrix("lm_head.weight", c["vocab_size"], dim)
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        vector(p + "input_layernorm.weight", dim, 1, 0.1)
        vector(p + "post_attention_layernorm.weight", dim, 1, 0.1)
        for name, n in ("q", heads), ("k", groups), ("v", groups):
            matrix(p + f"self_attn.{name}_proj.weight", n * head, dim, 1.5)
            if c["architectures"][0].startswith("Qwen2"):
                vector(p + f"self_attn.{name}_proj.bias", n * head, 0, 0.3)
        if c["architectures"][0].startswith("Qwen3"):
            vector(p + "self_attn.q_norm.weight", head, 1, 0.3)
            vector(p + "self_attn.k_norm.weight", head, 1, 0.3)
        matrix(p + "self_attn.o_proj.weight", dim, heads * head, 2)
        matrix(p + "mlp.gate_proj.weight", hidden, dim)
        matrix(p + "mlp.up_proj.weight", hidden, dim)
        matrix(p + "mlp.down_proj.weight", dim, hidden, 2)
    return w


def integers(x, most):
    """Rounds a matrix to integers up to most with a scale for each group of a row, and gives what they stand for."""
    group = min(64, x.shape[1] & -x.shape[1])
    g = x.reshape(x.shape[0], -1, group)
    scale = np.abs(g).max(axis=2, keepdims=True) / np.float32(most)
    q = np.rint(g.astype(np.float64) / np.where(scale == 0, 1, scale).astype(np.float64))
    return (np.clip(q, -most, most) * scale).reshape(x.shape)


class Decoder:
    """A decoder in float64 that keeps keys and values."""

    def __init__(self, c, w):
        self.c, self.heads, self.groups = c, c["num_attention_heads"], c["num_key_value_heads"]
        self.head = c.get("head_dim") or c["hidden_size"] // self.heads
        self.w = {name: x.astype(np.float64) for name, x in w.items()}
        self.k = [np.zeros((0, self.groups, self.head)) for _ in range(c["num_hidden_layers"])]
        self.v = list(self.k)
        self.frequencies()

    def frequencies(self):
        c = self.c
        s = c.get("rope_scaling") or c.get("rope_parameters") or {}
        theta = s.get("rope_theta", c["rope_theta"])
        f = theta ** (-np.arange(0, self.head, 2) / self.head)
        kind = s.get("rope_type", s.get("type"))
        if kind == "linear":
            f = f / s["factor"]
        if kind == "llama3":
            wave = 2 * np.pi / f
            smooth = (s["original_max_position_embeddings"] / wave - s["low_freq_factor"]) / (s["high_freq_factor"] - s["low_freq_factor"])
            mixed = (1 - smooth) * f / s["factor"] + smooth * f
            slow = wave > s["original_max_position_embeddings"] / s["low_freq_factor"]
            fast = wave < s["original_max_position_embeddings"] / s["high_freq_factor"]
            f = np.where(slow, f / s["factor"], np.where(fast, f, mixed))
        self.f = f

    def window(self, layer):
        c = self.c
        kind = c["architectures"][0]
        if kind.startswith("Mistral"):
            return c["sliding_window"]
        if kind.startswith("Qwen") and c.get("use_sliding_window") and layer >= c["max_window_layers"]:
            return c["sliding_window"]
        return 1 << 30

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.c["rms_norm_eps"]) * self.w[name]

    def linear(self, x, name):
        y = x @ self.w[name + ".weight"].T
        return y + self.w[name + ".bias"] if name + ".bias" in self.w else y

    def rotate(self, x, positions):
        angle = positions[:, None, None] * self.f
        cos, sin, half = np.cos(angle), np.sin(angle), self.head // 2
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def attention(self, h, p, layer, positions):
        n = len(h)
        q = self.linear(h, p + "q_proj").reshape(n, self.heads, self.head)
        k = self.linear(h, p + "k_proj").reshape(n, self.groups, self.head)
        v = self.linear(h, p + "v_proj").reshape(n, self.groups, self.head)
        if p + "q_norm.weight" in self.w:
            q, k = self.norm(q, p + "q_norm.weight"), self.norm(k, p + "k_norm.weight")
        q, k = self.rotate(q, positions), self.rotate(k, positions)
        self.k[layer] = np.concatenate([self.k[layer], k])
        self.v[layer] = np.concatenate([self.v[layer], v])
        share = self.heads // self.groups
        keys, values = np.repeat(self.k[layer], share, 1), np.repeat(self.v[layer], share, 1)
        score = np.einsum("qhd,khd->hqk", q, keys) / np.sqrt(self.head)
        at = np.arange(len(keys))[None]
        seen = (at <= positions[:, None]) & (at > positions[:, None] - self.window(layer))
        score = np.where(seen[None], score, -np.inf)
        e = np.exp(score - score.max(-1, keepdims=True))
        o = np.einsum("hqk,khd->qhd", e / e.sum(-1, keepdims=True), values)
        return self.linear(o.reshape(n, -1), p + "o_proj")

    def step(self, ids):
        """Logits behind the last of some tokens."""
        positions = len(self.k[0]) + np.arange(len(ids))
        x = self.w["model.embed_tokens.weight"][ids]
        for i in range(self.c["num_hidden_layers"]):
            p = f"model.layers.{i}."
            x = x + self.attention(self.norm(x, p + "input_layernorm.weight"), p + "self_attn.", i, positions)
            h = self.norm(x, p + "post_attention_layernorm.weight")
            gate = self.linear(h, p + "mlp.gate_proj")
            x = x + self.linear(gate / (1 + np.exp(-gate)) * self.linear(h, p + "mlp.up_proj"), p + "mlp.down_proj")
        head = "model.embed_tokens.weight" if self.c["tie_word_embeddings"] else "lm_head.weight"
        return self.norm(x[-1], "model.norm.weight") @ self.w[head].T

    def restart(self):
        self.k = [k[:0] for k in self.k]
        self.v = [v[:0] for v in self.v]


def greedy(decoder, prompt):
    """The greedy continuation, its logits, and by how much the least sure token won, in standard deviations of the logits."""
    decoder.restart()
    tokens, logits, margin, ids = [], [], np.inf, prompt
    for _ in range(STEPS):
        y = decoder.step(ids)
        best = np.sort(y)[-2:]
        margin = min(margin, (best[1] - best[0]) / y.std())
        ids = [int(y.argmax())]
        tokens.append(ids[0])
        logits.append(y.astype(np.float32))
    return tokens, np.array(logits), margin


def save(path, w, dtype, files):
    """Writes weights to one file or to several with an index."""
    names = list(w)
    index = {}
    for i in range(files):
        name = "model.safetensors" if files == 1 else f"model-{i + 1:05}-of-{files:05}.safetensors"
        part = {n: w[n] for n in names[i::files]}
        if dtype == "F16":
            part = {n: x.astype(np.float16) for n, x in part.items()}
        if dtype == "BF16":
            save_bfloat16(os.path.join(path, name), part)
        else:
            save_file(part, os.path.join(path, name))
        index.update({n: name for n in part})
    if files > 1:
        with open(os.path.join(path, "model.safetensors.index.json"), "w") as f:
            json.dump({"metadata": {}, "weight_map": index}, f)


def save_bfloat16(path, part):
    """NumPy has no bfloat16: the header is written here."""
    header, data = {}, b""
    for name, x in part.items():
        b = bfloat16(x).tobytes()
        header[name] = {"dtype": "BF16", "shape": list(x.shape), "data_offsets": [len(data), len(data) + len(b)]}
        data += b
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + data)


def quantised(w, form):
    """The weights after rounding: matrices but for the table of tokens, which is rounded where it is the last layer."""
    most = {"int8": 127, "int4": 7}[form]
    out = {}
    for name, x in w.items():
        out[name] = integers(x, most) if x.ndim == 2 and name != "model.embed_tokens.weight" else x
    return out


class Tied(Decoder):
    """A decoder whose last layer is the rounded table of tokens."""

    def __init__(self, c, w, most):
        super().__init__(dict(c, tie_word_embeddings=False), dict(w, **{"lm_head.weight": integers(w["model.embed_tokens.weight"], most)}))


def decoder(c, w, form):
    if form == "f32":
        return Decoder(c, w)
    if c["tie_word_embeddings"]:
        return Tied(c, quantised(w, form), {"int8": 127, "int4": 7}[form])
    return Decoder(c, quantised(w, form))


# What the kinds of models and of tensors are in GGUF, longer names first.
GGUF_ARCH = {"Llama": "llama", "Qwen2": "qwen2", "Qwen3": "qwen3"}
GGUF_NAMES = [("model.embed_tokens", "token_embd"), ("model.norm", "output_norm"), ("lm_head", "output"), ("model.layers.", "blk."),
              ("post_attention_layernorm", "ffn_norm"), ("input_layernorm", "attn_norm"), ("self_attn.q_proj", "attn_q"),
              ("self_attn.k_proj", "attn_k"), ("self_attn.v_proj", "attn_v"), ("self_attn.o_proj", "attn_output"),
              ("self_attn.q_norm", "attn_q_norm"), ("self_attn.k_norm", "attn_k_norm"), ("mlp.gate_proj", "ffn_gate"),
              ("mlp.up_proj", "ffn_up"), ("mlp.down_proj", "ffn_down")]


def save_gguf(path, c, w, quantise):
    """Writes a model with gguf. Matrices are rounded to Q8_0 with quantise. Returns the weights that the file stands for."""
    import gguf
    from gguf import quants

    arch = GGUF_ARCH[c["architectures"][0].removesuffix("ForCausalLM")]
    out = gguf.GGUFWriter(path, arch)
    head = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    out.add_block_count(c["num_hidden_layers"])
    out.add_context_length(c["max_position_embeddings"])
    out.add_embedding_length(c["hidden_size"])
    out.add_feed_forward_length(c["intermediate_size"])
    out.add_head_count(c["num_attention_heads"])
    out.add_head_count_kv(c["num_key_value_heads"])
    out.add_layer_norm_rms_eps(c["rms_norm_eps"])
    out.add_rope_freq_base((c.get("rope_parameters") or c)["rope_theta"])
    out.add_rope_dimension_count(head)
    out.add_key_length(head)
    out.add_value_length(head)
    vocabulary(out, c["vocab_size"])
    scaling = c.get("rope_scaling") or {}
    if scaling.get("type") == "linear":
        out.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        out.add_rope_scaling_factor(scaling["factor"])
    if scaling.get("rope_type") == "llama3":
        plain = Decoder(dict(c, rope_scaling=None), {})
        out.add_tensor("rope_freqs.weight", (plain.f / Decoder(c, {}).f).astype(np.float32))
    same = {}
    for name, x in w.items():
        to = name
        for a, b in GGUF_NAMES:
            to = to.replace(a, b)
        kind = gguf.GGMLQuantizationType.F32
        if quantise and x.ndim == 2 and x.shape[1] % 32 == 0:
            kind = gguf.GGMLQuantizationType.Q8_0
            x = quants.dequantize(quants.quantize(x, kind), kind)
        same[name] = x
        if arch == "llama" and to.endswith(("attn_q.weight", "attn_k.weight")):  # adjacent numbers form pairs
            heads = c["num_attention_heads"] if "attn_q" in to else c["num_key_value_heads"]
            x = x.reshape(heads, 2, head // 2, x.shape[1]).swapaxes(1, 2).reshape(x.shape)
        if kind == gguf.GGMLQuantizationType.F32:
            out.add_tensor(to, x)
        else:
            out.add_tensor(to, quants.quantize(x, kind), raw_dtype=kind)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return same


def vocabulary(out, size):
    """Writes a vocabulary of bytes, some pairs, and two special tokens at its end."""
    signs = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    tokens = [chr(b) for b in signs] + [chr(256 + i) for i in range(256 - len(signs))]
    merges = [a + " " + b for a, b in zip("thaeriouns", "heinednnde")][: max(size - 258, 0)]
    tokens += [m.replace(" ", "") for m in merges]
    tokens = tokens[: size - 2] + [f"[{i}]" for i in range(size - 2 - len(tokens))] + ["<|s|>", "<|e|>"]
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("qwen2")
    out.add_token_list(tokens)
    out.add_token_types([1] * (size - 2) + [3, 3])
    out.add_token_merges([m for m in merges if m.replace(" ", "") in tokens])
    out.add_bos_token_id(size - 2)
    out.add_eos_token_id(size - 1)
    out.add_add_bos_token(True)
    out.add_chat_template("{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}")


def expect(path, form, d, prompts):
    """Writes the greedy continuations of prompts."""
    texts, logits = [], {}
    for i, prompt in enumerate(prompts):
        tokens, y, margin = greedy(d, prompt)
        texts.append({"prompt": prompt, "tokens": tokens, "margin": float(margin)})
        logits[str(i)] = y
    with open(os.path.join(path, f"expected-{form}.json"), "w") as f:
        json.dump(texts, f)
    save_file(logits, os.path.join(path, f"expected-{form}.safetensors"))
    return texts


def make(folder, name):
    c, dtype, files, forms = CASES[name]
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    rng = np.random.default_rng(sum(map(ord, name)))
    w = weights(c, dtype, rng)
    save(path, w, dtype, files)
    with open(os.path.join(path, "config.json"), "w") as f:
        json.dump(c, f)
    for form in forms:
        d = decoder(c, w, form)
        expect(path, form, d, [sure(d, n, rng) for n in PROMPTS])
    if name in GGUF:
        same = save_gguf(os.path.join(path, "model.gguf"), c, w, GGUF[name])
        d = Decoder(c, same)
        expect(path, "gguf", d, [sure(d, n, rng) for n in PROMPTS])


# The cases that are written as GGUF, too, and whether matrices are quantised there.
GGUF = {"llama": True, "llama3": False, "linear": False, "qwen2": False, "qwen3": False}


def sure(d, n, rng):
    """A prompt in whose continuation no step is a tie for float32."""
    while True:
        prompt = [int(t) for t in rng.integers(3, d.c["vocab_size"], n)]
        if greedy(d, prompt)[2] > 2e-4:
            return prompt


if __name__ == "__main__":
    for case in sys.argv[2:] or CASES:
        make(sys.argv[1], case)

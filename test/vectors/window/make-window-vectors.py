"""Golden observation windows: FIFO playout by the rule of docs/metrics.md, "Observation window", in floats, and scipy's resampler
(pip install numpy scipy). Run: python make-window-vectors.py > windows.json"""
import base64, json, math, sys
import numpy as np, scipy
from scipy.signal import resample_poly


def samples(count, seed):
    return [(37 * i * i + 7919 * i + 104729 * seed) % 65536 - 32768 for i in range(count)]


def window(start, events, length, rate):
    end = start + length / 16000
    buffer = np.zeros(math.ceil(length * rate / 16000))
    cursor = cuts = 0
    for event in events:
        if event["at_s"] > end:
            continue
        position = round((event["at_s"] - start) * rate)
        if "samples" in event:
            begin = max(cursor, position)
            part = np.array(samples(event["samples"], event["seed"]), dtype=float)
            room = max(0, len(buffer) - begin)
            buffer[begin : begin + min(room, len(part))] = part[:room]
            cursor = begin + len(part)
        elif position < cursor:
            buffer[position:cursor] = 0
            cursor = position
            cuts += 1
    divisor = math.gcd(16000, rate)
    output = buffer if rate == 16000 else resample_poly(buffer, 16000 // divisor, rate // divisor)
    pcm = np.clip(np.round(output), -32768, 32767).astype("<i2")[:length]
    assert len(pcm) == length
    crop = length * rate / 16000
    return pcm, {"playout_active_at_T": cursor > crop, "queued_audio_cropped_s": max(0, cursor - crop) / rate, "barge_in_cuts": cuts}


START = 593390.135901
cases = []
for rate in (16000, 22050, 24000):
    tenth = rate // 25
    for name, length, events in [
        ("one delta and a gap", 800, [(0.0121, tenth // 2, 1), (0.0405, 200, 2)]),
        ("first in, first out, beyond the end", 799, [(0.005, tenth // 4, 3), (0.0055, tenth // 2, 4), (0.0057, tenth, 5)]),
        ("cut inside queued audio, then more", 1001, [(0.008, tenth, 6), (0.0251, None, 0), (0.0252, 300, 7), (0.041, None, 0)]),
        ("at and after the end", 640, [(0.02, 100, 8), (0.04, 400, 9), (0.0400001, 400, 10)]),
    ]:
        listed = [
            {"at_s": START + at if at != 0.04 or length != 640 else START + length / 16000, **({} if count is None else {"samples": count, "seed": seed})}
            for at, count, seed in events
        ]
        pcm, flags = window(START, listed, length, rate)
        cases.append({"name": f"{name}, {rate} Hz", "rate": rate, "length": length, "start_s": START, "events": listed, "flags": flags, "pcm": base64.b64encode(pcm.tobytes()).decode()})
origin = f"scipy {scipy.__version__}, numpy {np.__version__}; made by make-window-vectors.py"
rule = "sample i of a delta is ((37 i^2 + 7919 i + 104729 seed) mod 65536) - 32768; an event without samples is a cut; pcm is base64 of 16-bit little endian"
lines = ",\n    ".join(json.dumps(case) for case in cases)
sys.stdout.write('{\n  "origin": %s,\n  "rule": %s,\n  "cases": [\n    %s\n  ]\n}\n' % (json.dumps(origin), json.dumps(rule), lines))

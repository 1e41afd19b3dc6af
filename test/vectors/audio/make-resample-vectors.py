"""Golden vectors of scipy.signal.resample_poly (pip install scipy). Run: python make-resample-vectors.py > resample-poly.json"""
import json, sys
import numpy as np, scipy
from scipy.signal import resample_poly
def signal(n):
    i = np.arange(n, dtype=np.float64)
    return 0.5*np.sin(0.07*i + 0.0009*i*i) + 0.3*((i*7919) % 101)/101 - 0.2
out = {"origin": f"scipy {scipy.__version__} signal.resample_poly(x, up, down), numpy {np.__version__}, default window ('kaiser', 5.0); made by make-resample-vectors.py", "input": "x[i] = 0.5 sin(0.07 i + 0.0009 i^2) + 0.3 ((7919 i) mod 101) / 101 - 0.2", "cases": []}
for up, down, n in [(3,2,157),(2,3,157),(441,320,151),(160,441,397),(1,2,156),(2,1,41),(6,4,31),(3,2,1)]:
    y = resample_poly(signal(n), up, down)
    out["cases"].append({"up": up, "down": down, "inputSamples": n, "output": [float(v) for v in y]})
lines = ",\n    ".join(json.dumps(c) for c in out["cases"])
sys.stdout.write('{\n  "origin": %s,\n  "input": %s,\n  "cases": [\n    %s\n  ]\n}\n' % (json.dumps(out["origin"]), json.dumps(out["input"]), lines))

/** The protocols that answer in turns, and vLLM's duplex one, over real sockets. */
import { test } from 'vitest'
import { type Conformance, expectConformance } from '../helpers/conformance.js'

const SERVER_VAD = ['--turn-detection', '{"type":"server_vad","silence_duration_ms":300}']

test.for<Conformance>([
  { name: 'turn-based', flags: SERVER_VAD },
  { name: 'qwen3-omni-half-duplex', flags: SERVER_VAD },
  { name: 'openai-realtime' },
  { name: 'vllm-duplex', inputMs: 4100 },
])('a sweep of levels 1, 2 and 4 with $name is complete and meets its targets', { timeout: 120_000 }, (row) =>
  expectConformance(row),
)

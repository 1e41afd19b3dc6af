/** The Python whose asyncio client is measured: the one named in the environment, or the one on the path. */
import { runs } from './processes.js'

export function pythonWithWebsockets() {
  const candidates = [process.env.FLOORLOAD_BENCH_PYTHON, 'python3'].filter((name) => name !== undefined)
  return candidates.find((python) => runs([python, '-c', 'import websockets.asyncio.client']))
}

/** Ctrl-C: the first asks for an orderly end, the second takes none. */
import { EXIT } from '../base/errors.js'

/**
 * A signal that is aborted by SIGINT or SIGTERM; `dispose` gives the process its old manners back.
 * @param whatFollows said to the person who pressed the keys
 */
export function interruptSignal(whatFollows = 'closing the sessions, keeping the finished levels'): {
  signal: AbortSignal
  dispose: () => void
} {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    // On a terminal this takes the place of a status line, and of the ^C in it.
    const start = process.stderr.isTTY === true ? '\r\u001b[J' : '\n'
    process.stderr.write(`${start}interrupted: ${whatFollows} (again to quit at once)\n`)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

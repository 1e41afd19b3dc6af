/** An `error` event in words, for every protocol: any of them fails the session, fatal or not. */
import type { WireRecord } from './session-log.js'
import { show, valueAt } from './wire-values.js'

export function serverErrorMessage(record: WireRecord): string {
  const fatal = valueAt(record.event, 'sglang', 'fatal')
  const kind = fatal === true ? 'fatal error' : fatal === false ? 'non-fatal error' : 'error'
  const code = valueAt(record.event, 'error', 'code')
  return `${kind} from the server: code ${show(code)}, message ${show(valueAt(record.event, 'error', 'message'))}`
}

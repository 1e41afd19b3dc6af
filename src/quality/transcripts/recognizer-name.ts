/** Short names of recognizers for tables and folders, and what of a command may be stored. Pure. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { redactUrl } from '../../base/redact.js'

const NAME_LENGTH_MAX = 80

/** `model`, and the host where it is not OpenAI's own: the same model name may stand for other weights elsewhere. */
export function endpointName(url: string, model: string): string {
  const { host, hostname } = new URL(url)
  const short = model.split('/').at(-1) || model
  return fileName(hostname === 'api.openai.com' ? short : `${short}@${host}`)
}

/** The model directory's name, without what packagers put before it. */
export function modelName(directory: string): string {
  return (
    fileName(
      basename(directory)
        .replace(/^sherpa-onnx-/, '')
        .replace(/^nemo-/, ''),
    ) || 'parakeet'
  )
}

/** The program's name; with arguments, also a few digits of their hash, so that two settings have two names. */
export function commandName(program: string, args: readonly string[]): string {
  const name = basename(program).replace(/\.(?:sh|py|js|mjs|cjs|exe)$/, '')
  if (args.length === 0) return fileName(name)
  return fileName(`${name}-${createHash('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 6)}`)
}

const SECRET_FLAG = /(?:key|token|secret|password|passwd|auth|credential)s?$/i

/** Arguments with what looks like a secret masked: `--api-key X`, `--token=X`, URLs with user information. */
export function redactArguments(args: readonly string[]): string[] {
  return args.map((argument, index) => {
    const before = args[index - 1] ?? ''
    if (/^--?[\w-]+$/.test(before) && SECRET_FLAG.test(before) && !argument.startsWith('-')) return '***'
    const assigned = /^([\w-]+)=(.*)$/s.exec(argument)
    if (assigned?.[1] !== undefined && SECRET_FLAG.test(assigned[1])) return `${assigned[1]}=***`
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(argument) ? redactUrl(argument) : argument
  })
}

/** Letters, digits, `.`, `_`, `-` and `@`; anything else becomes one `-`. */
function fileName(text: string): string {
  const name = text.replace(/[^\w.@-]+/g, '-').replace(/^[-.]+|-+$/g, '')
  return name.slice(0, NAME_LENGTH_MAX) || 'recognizer'
}

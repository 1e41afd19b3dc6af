/** The server as the flags of a command describe it: address, model in the query, and what is sent with the upgrade. */
import { UserError } from '../base/errors.js'
import { checkUrl, type ServerAddress } from '../sweep/reach.io.js'
import { checkHeaderValue, parseHeaders } from './parse.js'

export interface ServerFlags {
  readonly url: string
  readonly model?: string | undefined
  readonly header?: string[] | undefined
  readonly apiKeyEnv?: string | undefined
}

/** @throws UserError URL_INVALID, or USAGE when the named environment variable is empty */
export function serverAddress({ url, model, header, apiKeyEnv }: ServerFlags): ServerAddress {
  checkUrl(url)
  const address = new URL(url)
  if (model !== undefined) address.searchParams.set('model', model)
  const headers = parseHeaders(header ?? [])
  // Names of headers do not depend on case: what is given by hand stands.
  const isAuthorized = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  return {
    url: model === undefined ? url : address.href,
    headers: isAuthorized ? headers : { ...bearer(apiKeyEnv), ...headers },
  }
}

function bearer(variable: string | undefined): Record<string, string> {
  if (variable === undefined) return {}
  const key = process.env[variable]
  if (key === undefined || key.trim() === '') {
    throw new UserError({
      code: 'USAGE',
      message: `--api-key-env ${variable}: there is no such environment variable, or it is empty`,
      fix: `export ${variable}=KEY first`,
    })
  }
  checkHeaderValue('Authorization', key.trim())
  return { Authorization: `Bearer ${key.trim()}` }
}

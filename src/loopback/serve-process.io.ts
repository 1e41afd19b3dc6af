/**
 * The loopback server in a process of its own, for whoever forked it: takes its settings in one message, answers with its
 * address, and ends when its parent does. Sharing a process with the load generator would let one delay the other.
 */
import { messageOf } from '../base/errors.js'
import { profileSchema } from '../profile/profile.js'
import { loopbackOptionsSchema } from './options.js'
import { startLoopbackServer } from './server.io.js'

export type FromServeProcess =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string }

// An interrupt is for the parent to act on; the server must outlive the sessions that are being closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.once('disconnect', () => process.exit(0))
process.once('message', async (message: { profile: unknown; options: unknown }) => {
  try {
    const server = await startLoopbackServer({
      profile: profileSchema.parse(message.profile),
      options: loopbackOptionsSchema.parse(message.options),
    })
    process.send?.({ kind: 'ready', url: server.url } satisfies FromServeProcess)
  } catch (thrown) {
    process.send?.({ kind: 'failed', message: messageOf(thrown) } satisfies FromServeProcess)
  }
})

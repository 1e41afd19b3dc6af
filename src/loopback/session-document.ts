/** The `session` object of `session.created` and `session.updated`. */
import { type Deployment, grantOf } from './deployment.js'
import type { SessionConfig } from './session-update.js'

interface DescribedSession {
  readonly id: string
  readonly deployment: Deployment
}

export function identifySession({ id, deployment }: DescribedSession): Record<string, unknown> {
  return { id, object: 'realtime.session', type: 'realtime', model: deployment.model }
}

export function describeSession(session: DescribedSession, config: SessionConfig): Record<string, unknown> {
  const { deployment } = session
  const { turnDetection } = config
  return {
    ...identifySession(session),
    output_modalities: config.outputModalities,
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: deployment.inputRateHz },
        ...(turnDetection === undefined ? {} : { turn_detection: turnDetection?.echo ?? null }),
      },
      output: { format: { type: 'audio/pcm', rate: deployment.outputRateHz } },
    },
    sglang: {
      ...(config.sampling === undefined ? {} : { sampling: config.sampling }),
      ...(config.voice === undefined ? {} : { voice: config.voice }),
      granted: grantOf(deployment, config.outputModalities, config.rejections),
    },
  }
}

/** The voices that speech detectors hear as well as recorded speech: a woman (US), a man (US), a man (Scotland). */
export const VOICES = ['slt', 'rms', 'awb'] as const
export type Voice = (typeof VOICES)[number]

/**
 * What the page's charts are drawn from: one compact JSON, embedded once. Whole numbers throughout, since digits are what
 * a page is made of: durations in tenths of a millisecond, instants in milliseconds or tenths as their names say, shares
 * in millionths. Types alone, so that the page's script can be checked against them.
 */

export interface PageData {
  /** Places on the percentile axis, thousandths of log10(1 / (1 - q)), ascending from 0. */
  readonly grid: readonly number[]
  readonly profiles: readonly ProfileData[]
}

export interface ProfileData {
  readonly name: string
  readonly mode: 'native' | 'turn_based' | 'stream'
  /** Null where nothing is judged by units. */
  readonly unitMs: number | null
  readonly missTargetPpm: number
  readonly rtfTarget: number
  /** Index of the level to show first. */
  readonly first: number
  readonly levels: readonly LevelData[]
  readonly quality: readonly QualityChart[]
  readonly server: readonly ServerChart[]
}

export type LevelState = 'meets' | 'misses' | 'invalid'

export interface LevelData {
  /** Concurrency, with the repeat where it is not the first. */
  readonly label: string
  readonly concurrency: number
  readonly state: LevelState
  /** Unit miss rate and its one-sided 95% bounds; null without units. */
  readonly missPpm: readonly [rate: number, low: number, high: number] | null
  /** RTF p90 in thousandths; null without one. */
  readonly rtfMilli: number | null
  readonly failedPpm: number
  readonly lag: { readonly all: Curve; readonly speak: Curve | null; readonly listen: Curve | null } | null
  readonly firstAudio: Curve | null
  readonly buffer: Curve | null
  readonly plays: Plays | null
  readonly time: TimeData
  readonly session: TimelineData | null
}

/**
 * Quantiles of n values in tenths of a millisecond: at the places of the grid below 1 - 1/n, in order, then the maximum,
 * which stands for the n-th value and belongs at log10(n).
 */
export interface Curve {
  readonly n: number
  readonly at: readonly number[]
}

/** How many of n replies play without a gap after a start-up buffer of 0, step, 2 step, … milliseconds. */
export interface Plays {
  readonly n: number
  readonly stepMs: number
  readonly counts: readonly number[]
}

/** What happened when within a level; time 0 is its first open session. */
export interface TimeData {
  readonly spanMs: number
  readonly binMs: number
  /** Every unit, where they are few: receipt in ms, lag in tenths, 1 for a speak unit. */
  readonly points: readonly (readonly [atMs: number, lag: number, isSpeak: 0 | 1])[] | null
  /** By bin, where they are many; null for a bin without a unit. */
  readonly bins: readonly (readonly [p50: number, p99: number, max: number] | null)[] | null
  /** Worst send lateness by bin, tenths; null where no packet was sent in it. Null as a whole where it was not recorded. */
  readonly late: readonly (number | null)[] | null
  /** Longest stall of the client by bin, tenths; null where the recorder kept no record of its stalls. */
  readonly stall: readonly number[] | null
  /** Worst delay of a receipt that a sender measured on itself, by bin, tenths; null as a whole where none did. */
  readonly receive: readonly (number | null)[] | null
  /** Longest pause of a sender's garbage collector by bin, tenths; null where it was not recorded. */
  readonly gc: readonly number[] | null
  /** Most sessions open at one time by bin. */
  readonly open: readonly number[]
}

/** One session; instants in tenths of a millisecond after the start of its first send. */
export interface TimelineData {
  readonly name: string
  /** Null where not all of the input was sent. */
  readonly inputEnd: number | null
  /** Start of the send and lateness. */
  readonly packets: readonly (readonly [at: number, late: number | null])[]
  /** Ready and done; null where it never was. */
  readonly units: readonly (readonly [unit: number, ready: number | null, done: number | null, isSpeak: 0 | 1])[]
  readonly replies: readonly {
    readonly id: string
    readonly isCut: boolean
    /** Receipt and playing time. */
    readonly arrivals: readonly (readonly [at: number, length: number])[]
    readonly played: readonly (readonly [from: number, to: number])[]
  }[]
  readonly events: readonly (readonly [at: number, text: string, isProblem: 0 | 1])[]
  /** The client's own: due and came. */
  readonly stalls: readonly (readonly [due: number, came: number])[]
}

/** One series of the server's own against concurrency, in the series' unit: mean, lowest and highest. */
export interface ServerChart {
  readonly title: string
  readonly points: readonly {
    readonly label: string
    readonly concurrency: number
    readonly isInvalid: boolean
    readonly value: number
    readonly low: number
    readonly high: number
  }[]
}

/** One quality metric against concurrency. */
export interface QualityChart {
  readonly title: string
  readonly isShare: boolean
  /** Shares in millionths, latencies in tenths of a millisecond; bounds are null where they are not finite. */
  readonly points: readonly {
    readonly label: string
    readonly concurrency: number
    readonly isInvalid: boolean
    readonly value: number
    readonly low: number | null
    readonly high: number | null
    readonly n: number
  }[]
}

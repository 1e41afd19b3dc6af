import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SelfMonitoring } from '../../../src/capture/self-monitoring.js'
import { calibrationText, stepLine } from '../../../src/report/calibration-table.js'
import {
  type Calibration,
  calibratedSessions,
  calibrationMismatch,
  calibrationSchema,
} from '../../../src/sweep/calibration/calibration.js'
import {
  calibratedHost,
  calibrationPath,
  knownCalibration,
  storeCalibration,
} from '../../../src/sweep/calibration/calibration-file.io.js'
import { sessionCap } from '../../../src/sweep/calibration/session-cap.js'
import { calibrationStep } from '../../../src/sweep/calibration/step.js'
import { folderWith, temporaryFolder } from '../../helpers/temp-folders.js'

const us = (p50: number, p99: number, p99_9: number, max: number) => ({ p50, p99, p99_9, max, n: 1000 })

function monitoring(late: SelfMonitoring['live_send_lateness_us'], cpuShares = [0.9, 0.5, 0.5, 0.1]): SelfMonitoring {
  const figures = {
    event_loop_delay_ms: us(0.5, 2.5, 3, 9),
    receive_delay_ms: us(0.1, 0.4, 1, 2),
    live_send_lateness_us: late,
    gc: { pauses: 0, total_ms: 0, max_ms: 0 },
    rss_max_mb: 120,
    trace_bytes: 0,
  }
  const series = cpuShares.map((cpu_share, index) => ({ at_s: index, cpu_share, open_sessions: 100, sends: 1250 }))
  // Only these figures of a record are read.
  return { ...figures, senders: [{ sender: 0, ...figures, series }], host: null } as unknown as SelfMonitoring
}

function calibration(changes: Partial<Calibration> = {}): Calibration {
  return {
    schema: 'floorload.calibration/1',
    made_at: '2026-01-01T00:00:00.000Z',
    host: calibratedHost(),
    transport: 'lean',
    packet_ms: 80,
    reply_share: 0.4,
    per_sender: { senders: 1, sessions: 2400, limited_by: 'timing' },
    host_limit: { senders: 7, sessions: 15_000, limited_by: 'file_descriptors' },
    steps: [calibrationStep({ sessions: 100, completed: 100, monitoring: monitoring(us(800, 2000, 3000, 9000)) })],
    ...changes,
  }
}

describe('a step', () => {
  test.each([
    { name: 'in time', late: us(800, 4999, 9000, 19_999), completed: 100, reason: '' },
    { name: 'with a late tail', late: us(800, 5100, 9000, 12_000), completed: 100, reason: 'lateness p99 is 5.1 ms' },
    {
      name: 'with one late packet',
      late: us(800, 2000, 9000, 20_100),
      completed: 100,
      reason: 'a packet went out 20.1 ms late',
    },
    { name: 'that lost a session', late: us(1, 2, 3, 4), completed: 99, reason: '1 of 100 sessions failed' },
    { name: 'that sent nothing', late: null, completed: 100, reason: 'nothing was sent' },
  ])('$name is judged', ({ late, completed, reason }) => {
    const step = calibrationStep({ sessions: 100, completed, monitoring: monitoring(late) })
    expect(step).toMatchObject({ holds: reason === '', reason })
    expect(stepLine(step)).toContain(reason === '' ? 'holds' : reason)
  })

  test('takes the processor time of the seconds in its midst', () => {
    const step = calibrationStep({ sessions: 100, completed: 100, monitoring: monitoring(us(1, 2, 3, 4)) })
    expect(step.cpu_ms_per_session_s).toBe(5)
    const short = monitoring(us(1, 2, 3, 4), [0.9, 0.1])
    expect(calibrationStep({ sessions: 100, completed: 100, monitoring: short }).cpu_ms_per_session_s).toBeNull()
  })
})

describe('a calibration', () => {
  test('is what its schema says, and reads well', () => {
    expect(calibrationSchema.parse(calibration())).toEqual(calibration())
    const text = calibrationText(calibration())
    expect(text).toContain('One sender drives 2400 sessions over lean (more go out late).')
    expect(text).toContain('limited by open files, not by timing')
    expect(text).toContain('Up to 10500 sessions leave room')
  })

  test.each([
    { senders: 1, sessions: 2400 },
    { senders: 2, sessions: 4800 },
    { senders: 6, sessions: 14_400 },
    { senders: 7, sessions: 15_000 },
    { senders: 9, sessions: 15_000 },
  ])('says what $senders senders can have', ({ senders, sessions }) => {
    expect(calibratedSessions(calibration(), senders)).toBe(sessions)
  })

  test('counts for the host, the runtime and the transport that it was made with', async () => {
    const now = { host: calibratedHost(), transport: 'lean' }
    expect(calibrationMismatch(calibration(), now)).toBeUndefined()
    expect(calibrationMismatch(calibration(), { ...now, transport: 'ws' })).toMatch(/transport lean, and this is ws/)
    const other = { ...now, host: { ...now.host, node: 'v0.0.0' } }
    expect(calibrationMismatch(calibration(), other)).toMatch(/node v\d+.*and this is v0\.0\.0/)
    const path = join(await temporaryFolder(), 'deep', 'calibration.json')
    expect(await knownCalibration('lean', path)).toEqual({ kind: 'none' })
    await storeCalibration(path, calibration())
    expect(await knownCalibration('lean', path)).toEqual({ kind: 'known', calibration: calibration() })
    expect(await knownCalibration('ws', path)).toMatchObject({ kind: 'unfit' })
  })

  test.each(['{', '{"schema":"floorload.calibration/9"}'])('that is %s counts as none', async (text) => {
    const folder = await folderWith({ 'calibration.json': text })
    expect(await knownCalibration('lean', join(folder, 'calibration.json'))).toMatchObject({ kind: 'unfit' })
  })

  test('lies in the cache of the user, or where the environment says', () => {
    expect(calibrationPath({ XDG_CACHE_HOME: '/c' })).toBe('/c/floorload/calibration.json')
    expect(calibrationPath({ FLOORLOAD_CALIBRATION: '/x.json', XDG_CACHE_HOME: '/c' })).toBe('/x.json')
  })
})

test.each([
  [{ openFilesMax: 1024, localPorts: 28_232 }, undefined, 960, 'file_descriptors'],
  [{ openFilesMax: 1e6, localPorts: 28_232 }, undefined, 28_232, 'ephemeral_ports'],
  [{ openFilesMax: undefined, localPorts: undefined }, undefined, 100_000, 'asked'],
  [{ openFilesMax: 1024, localPorts: 28_232 }, 300, 300, 'asked'],
] as const)('with %j and at most %s asked a calibration tries up to %i', (facts, maxSessions, sessions, limitedBy) => {
  expect(sessionCap({ facts, senders: 1, maxSessions })).toEqual({ sessions, limitedBy })
})

import { describe, expect, test } from 'vitest'
import type { InputClip } from '../../src/dataset/input-clip.js'
import type { Profile } from '../../src/profile/profile.js'
import { bytesToWrite } from '../../src/sweep/preflight/bytes-to-write.js'
import {
  type HostFacts,
  parseCpuQuota,
  parseMemoryAvailable,
  parseOpenFilesLimit,
  parsePortRange,
} from '../../src/sweep/preflight/host-facts.js'
import { type PlannedLoad, preflightFindings } from '../../src/sweep/preflight/preflight-checks.js'

const HOST: HostFacts = {
  cores: 8,
  openFilesMax: 1024,
  localPorts: 28_232,
  governors: ['performance'],
  load1: 0.4,
  cpuQuotaCores: undefined,
  memoryAvailableBytes: 8e9,
}
const LOAD: PlannedLoad = { concurrency: 128, senders: 1, sessions: 300, sessionS: 30 }
const UNKNOWN: HostFacts = {
  ...{ cores: 8, openFilesMax: undefined, localPorts: undefined, governors: [], load1: undefined },
  ...{ cpuQuotaCores: undefined, memoryAvailableBytes: undefined },
}

describe('preflight', () => {
  test('finds nothing on a host that will do, and nothing where nothing is known', () => {
    expect(preflightFindings(HOST, LOAD)).toEqual([])
    expect(preflightFindings(UNKNOWN, { ...LOAD, concurrency: 100_000 })).toEqual([])
  })

  test.each([
    ['too few files', {}, { concurrency: 961 }, 'file_descriptors', 'error', /1024 files open.*level 961 needs 1025/],
    ['as many files as it takes', {}, { concurrency: 960 }, undefined, undefined, undefined],
    ['files for each of two senders', {}, { concurrency: 1920, senders: 2 }, undefined, undefined, undefined],
    [
      'more sessions than ports',
      { openFilesMax: 1e6 },
      { concurrency: 28_233, senders: 8 },
      'ephemeral_ports',
      'error',
      /28232 local ports/,
    ],
    [
      'ports of closed connections',
      { openFilesMax: 1e6 },
      { concurrency: 20_000, senders: 8, sessions: 60_000, sessionS: 30 },
      'ephemeral_ports',
      'warning',
      /may hold 60000 local ports/,
    ],
    ['little memory', { memoryAvailableBytes: 1e8 }, {}, 'memory', 'warning', /100 MB of memory are free/],
    ['a slow governor', { governors: ['performance', 'powersave'] }, {}, 'cpu_governor', 'warning', /powersave/],
    ['a small quota', { cpuQuotaCores: 1.25 }, {}, 'cpu_quota', 'warning', /1\.25 cores, and one sender wants/],
    ['a busy host', { load1: 4.1 }, {}, 'host_load', 'warning', /4\.10 tasks.*8 cores/],
    ['more senders than cores', { cores: 1 }, { senders: 2 }, 'senders', 'warning', /2 senders share 1 core:/],
  ] as const)('says of %s', (_name, facts, load, check, severity, message) => {
    const findings = preflightFindings({ ...HOST, ...facts }, { ...LOAD, ...load })
    if (check === undefined) expect(findings).toEqual([])
    else
      expect(findings).toEqual([{ check, severity, message: expect.stringMatching(message), fix: expect.any(String) }])
  })
})

describe("the host's words", () => {
  test.each([
    [
      parseOpenFilesLimit,
      'Limit  Soft Limit\nMax open files            1024                 524288               files\n',
      1024,
    ],
    [
      parseOpenFilesLimit,
      'Max open files            unlimited            unlimited            files',
      Number.POSITIVE_INFINITY,
    ],
    [parseOpenFilesLimit, 'Max processes 5 5', undefined],
    [parsePortRange, '32768\t60999\n', 28_232],
    [parsePortRange, 'none', undefined],
    [parseCpuQuota, '150000 100000\n', 1.5],
    [parseCpuQuota, 'max 100000\n', undefined],
    [parseMemoryAvailable, 'MemTotal:  4 kB\nMemAvailable:    2048 kB\n', 2_097_152],
    [parseMemoryAvailable, undefined, undefined],
  ] as const)('%o reads %j as %s', (parse, text, value) => {
    expect(parse(text)).toBe(value)
  })
})

test('a sweep writes its traces, its windows where they are scored, and the journal of its largest level', () => {
  const clip = { pcm: new Int16Array(160_000), sampleRateHz: 16_000 } as InputClip
  const profile = { input: { sample_rate_hz: 16_000 }, output: { sample_rate_hz: 24_000 } } as Profile
  const bytes = (sessions: number[], isScored = false) => bytesToWrite({ inputs: [clip], profile, sessions, isScored })
  const received = 10 * (24_000 * 2 * 1.4 + 20_000)
  const stored = 10 * (16_000 * 2 * 1.4 + 16_000 * 4) + received
  expect(bytes([])).toBe(10_000_000)
  expect(bytes([2, 5])).toBeCloseTo(10_000_000 + 7 * stored + 5 * received, 3)
  expect(bytes([2], true) - bytes([2])).toBeCloseTo(2 * 10 * 64_000, 3)
})

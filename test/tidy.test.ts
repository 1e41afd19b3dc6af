/** House rules that no linter knows: docs/architecture.md says why each of them is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../src/base/errors.js'

/** From the top: a folder may import from itself and from folders further down, never from those above it. */
const FOLDERS = [
  ...['cli', 'report', 'sweep', 'load', 'loopback', 'quality', 'metrics', 'protocol', 'capture', 'speech', 'dataset'],
  ...['profile', 'stats', 'base'],
]

/** What touches the world: files, sockets, processes, timers, and the packages that do so for us. */
const WORLD = [
  ...['fs', 'fs/promises', 'net', 'http', 'https', 'tls', 'dgram', 'child_process', 'worker_threads', 'timers'].map(
    (name) => `node:${name}`,
  ),
  ...['node:timers/promises', 'node:readline', 'ws', 'undici', 'onnxruntime-node'],
]

/** What makes two runs differ, or ends a test only when the wall clock says so. */
const UNREPEATABLE =
  /\b(?:Date\.now|new Date\(\)|Math\.random|performance\.now|(?:set|clear)(?:Timeout|Interval|Immediate))\b|process\.hrtime/

const LINES_MAX = 330

interface SourceFile {
  /** `src/base/clock.ts` */
  readonly path: string
  /** Without comments, so that a comment may name what the code must not use. */
  readonly code: string
  readonly lines: number
  /** Module names as written, in imports, exports and dynamic imports. */
  readonly imports: readonly string[]
}

const SOURCES = filesBelow('src').map(readSource)
const TESTS = filesBelow('test').filter((path) => path.endsWith('.ts'))

describe('src', () => {
  it('has no folders but those of the design, and no file beside them but the entry', () => {
    const entries = readdirSync('src').filter((name) => !FOLDERS.includes(name))
    expect(entries).toEqual(['index.ts'])
  })

  it('imports point down the list of folders only', () => {
    const upward = SOURCES.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.join(posix.dirname(path), name))
        .filter((target) => rankOf(target) < rankOf(path))
        .map((target) => `${path} imports ${target}`),
    )
    expect(upward).toEqual([])
  })

  it('has no circle of imports', () => {
    expect(circlesIn(SOURCES)).toEqual([])
  })

  it('only *.io.ts files and cli/main.ts touch files, sockets, processes and timers', () => {
    const touching = SOURCES.filter(({ path }) => !isMarked(path)).flatMap(({ path, imports }) =>
      imports.filter((name) => WORLD.includes(name)).map((name) => `${path} imports ${name}`),
    )
    expect(touching).toEqual([])
  })

  it('only *.io.ts files read clocks, set timers or draw unseeded random numbers', () => {
    const found = SOURCES.filter(({ path }) => !path.endsWith('.io.ts')).flatMap(({ path, code }) =>
      (code.match(UNREPEATABLE) ?? []).slice(0, 1).map((name) => `${path} uses ${name}`),
    )
    expect(found).toEqual([])
  })

  it('relative imports end in .js', () => {
    const wrong = SOURCES.flatMap(({ path, imports }) =>
      imports.filter((name) => name.startsWith('.') && !name.endsWith('.js')).map((name) => `${path}: ${name}`),
    )
    expect(wrong).toEqual([])
  })

  it(`every file has fewer than ${LINES_MAX} lines`, () => {
    expect(SOURCES.filter(({ lines }) => lines >= LINES_MAX).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
  })

  it('has a use for every error code', () => {
    const used = new Set(
      SOURCES.filter(({ path }) => path !== 'src/base/errors.ts').flatMap(({ code }) =>
        [...code.matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].flatMap((match) => match[1] ?? []),
      ),
    )
    expect(Object.keys(ERROR_CODES).filter((code) => !used.has(code))).toEqual([])
  })
})

describe('tests', () => {
  it('none is left running alone, skipped or unwritten', () => {
    const marked = TESTS.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\b(?:it|test|describe|bench)\.(?:only|skip|todo|fails)\b/g)].map(
        ([found]) => `${path}: ${found}`,
      ),
    )
    expect(marked).toEqual([])
  })

  it('names of test files end in .test.ts, .prop.test.ts or .socket.test.ts', () => {
    const odd = TESTS.filter((path) => /\.test\.ts$/.test(path)).filter(
      (path) => !/^[a-z0-9-]+(?:\.prop|\.socket)?\.test\.ts$/.test(posix.basename(path)),
    )
    expect(odd).toEqual([])
  })
})

describe('the package', () => {
  // Written whole only once the errors are documented; until then there is no list to compare.
  it.runIf(existsSync('docs/errors.md'))('docs/errors.md lists exactly the codes there are', () => {
    const documented = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^(?:#+ |\| ?)`?([A-Z]+(?:_[A-Z]+)*)\b/gm)]
    expect([...new Set(documented.map((match) => match[1]))].sort()).toEqual(Object.keys(ERROR_CODES).sort())
  })

  it('package-lock.json names no registry, so that anybody’s mirror will do', () => {
    expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved"')
  })
})

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesBelow(path)
    return /\.[cm]?[jt]s$/.test(entry.name) ? [path] : []
  })
}

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const matches = code.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g)
  return {
    path,
    code,
    lines: text.trimEnd().split('\n').length,
    imports: [...matches].flatMap((match) => match[1] ?? []),
  }
}

function isMarked(path: string): boolean {
  return path.endsWith('.io.ts') || path === 'src/cli/main.ts'
}

/** 0 for `cli`; the entry of the package stands above all. */
function rankOf(path: string): number {
  return FOLDERS.indexOf(path.split('/')[1] ?? '')
}

function circlesIn(sources: readonly SourceFile[]): string[] {
  const targets = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.join(posix.dirname(path), name).replace(/\.js$/, '.ts')),
    ]),
  )
  const circles: string[] = []
  const finished = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' > '))
    else if (!finished.has(path)) {
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path])
      finished.add(path)
    }
  }
  for (const path of targets.keys()) visit(path, [])
  return circles
}

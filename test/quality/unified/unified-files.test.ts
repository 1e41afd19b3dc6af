import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scoreTree } from '../../../src/quality/unified/score-tree.io.js'
import { writeUnified } from '../../../src/quality/unified/unified-files.io.js'
import { unifiedText } from '../../../src/report/unified-table.js'
import { temporaryFolder } from '../../helpers/temp-folders.js'
import { treeWith } from './tree-builder.js'

it('the same tree gives the same bytes, one row in each line', async () => {
  const tree = await treeWith()
  const bytes = async () => {
    const folder = await temporaryFolder()
    await writeUnified(folder, await scoreTree({ tree, speech: { file: 'vad.json' } }))
    expect((await readdir(folder)).sort()).toEqual(['unified-samples.jsonl', 'unified.json'])
    const texts = ['unified.json', 'unified-samples.jsonl'].map((name) => readFile(join(folder, name), 'utf8'))
    return Promise.all(texts)
  }
  const [result, rows] = await bytes()
  expect(await bytes()).toEqual([result, rows])
  expect(JSON.parse(String(result))).toHaveProperty('subsets.candor_turn_taking.metrics.response_latency_s.value', 0.5)
  const lines = String(rows).trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { eligible: boolean }).eligible)).toEqual([true, false, true, true])
})

it('the table shows value, interval, count and bounds, and what stands behind them', async () => {
  const { result } = await scoreTree({ tree: await treeWith(), speech: { file: 'vad.json' } })
  const text = unifiedText(result, {
    colour: false,
    reference: { kind: 'figures', subsets: { candor_turn_taking: [{ name: 'tor', value: 1 / 3 }] }, judge: null },
  })
  expect(text).toContain('fdb-v1.0-unified-4; words: tree (tree, without asr.json); speech: file vad.json')
  expect(text).toContain('candor_pause_handling: 0 of 1 selected samples eligible (216 in the subset), coverage 0.000')
  expect(text).toMatch(/│ early_start_rate +│ +0\.000 │ +\[0\.000, 0\.793\] │ +0\/1 │ +\[0\.000, 0\.000\] │/)
  expect(text).toMatch(/│ response_latency_s p90 +│ +0\.500 s │/)
  expect(text).toContain('not eligible: 1 pacing')
  expect(text).toContain('official v1.0 rules, computed by floorload: no number (no takeover')
  expect(text).toContain('official, from summary.json: tor 0.333333')
})

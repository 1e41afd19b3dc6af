#!/usr/bin/env node
// Starts the built command line. In a checkout that has not been built yet it is built first, once.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const entry = join(root, 'dist', 'cli', 'main.js')

if (!existsSync(entry)) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  if (!existsSync(compiler)) {
    process.stderr.write('error: floorload is not built; run "npm ci" first, or "npm run build"\n')
    process.exit(2)
  }
  process.stderr.write('floorload: building, once ...\n')
  const build = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
  if (build.status !== 0) process.exit(70)
}

const { main } = await import(pathToFileURL(entry).href)
await main(process.argv)

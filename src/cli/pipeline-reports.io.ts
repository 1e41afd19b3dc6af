/** What a pipeline gets of a result beside the exit code: JUnit XML, a Markdown summary, annotations. */
import { access, appendFile, constants, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { makeFolder, outputError, writeFileWhole } from '../base/atomic-file.io.js'
import { UserError } from '../base/errors.js'
import { githubAnnotations } from '../report/github-annotations.js'
import { junitXml } from '../report/junit.js'
import { pullRequestSummary } from '../report/pull-request-summary.js'
import type { ServingResult } from '../sweep/serving-result.js'

export interface PipelineFlags {
  readonly junit?: string
  readonly summary?: string
  readonly githubAnnotations?: boolean
}

export const PIPELINE_FLAG_NAMES = ['junit', 'summary', 'githubAnnotations'] as const

export function addPipelineOptions(command: Command): Command {
  return command
    .option('--junit <file>', 'write the checks and levels as JUnit XML')
    .option('--summary <file>', 'append a Markdown summary, such as to "$GITHUB_STEP_SUMMARY"')
    .option('--github-annotations', 'print annotations of GitHub Actions to standard error')
}

/**
 * Before a sweep that takes hours: can these files be written at all?
 * @throws UserError OUTPUT_UNWRITABLE, or USAGE where both are one file
 */
export async function ensurePipelineFiles({ junit, summary }: PipelineFlags): Promise<void> {
  if (junit !== undefined && junit === summary) {
    throw new UserError({ code: 'USAGE', message: `--junit and --summary name the same file ${junit}` })
  }
  for (const file of [junit, summary]) {
    if (file === undefined) continue
    try {
      await ensureWritable(file)
    } catch (thrown) {
      throw outputError(file, thrown)
    }
  }
}

/** Creates nothing: a report that is there before there is a result would mislead. */
async function ensureWritable(file: string): Promise<void> {
  if ((await kindOf(file)) === 'there') await (await open(file, 'r+')).close()
  let folder = dirname(resolve(file))
  while ((await kindOf(folder)) === 'absent') folder = dirname(folder)
  await access(folder, constants.W_OK)
}

async function kindOf(path: string): Promise<'there' | 'absent'> {
  try {
    await stat(path)
    return 'there'
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return 'absent'
    throw thrown
  }
}

/** @throws UserError OUTPUT_UNWRITABLE or DISK_FULL */
export async function writePipelineReports(
  result: Pick<ServingResult, 'profiles' | 'levels' | 'gate' | 'warnings'>,
  flags: PipelineFlags,
): Promise<void> {
  await ensurePipelineFiles(flags)
  if (flags.junit !== undefined) await writeFileWhole(flags.junit, junitXml(result))
  if (flags.summary !== undefined) {
    try {
      await makeFolder(dirname(flags.summary))
      await appendFile(flags.summary, pullRequestSummary(result))
    } catch (thrown) {
      throw outputError(flags.summary, thrown)
    }
  }
  if (flags.githubAnnotations === true) {
    for (const line of githubAnnotations(result)) process.stderr.write(`${line}\n`)
  }
}

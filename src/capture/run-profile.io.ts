/** The profile that a run was recorded with: its own copy of it, or a shipped one by its name. */
import { UserError } from '../base/errors.js'
import { describeProblems } from '../base/schema.js'
import { loadProfile } from '../profile/load-profile.io.js'
import { type Profile, profileSchema } from '../profile/profile.js'
import type { RecordedRun } from './run-reader.io.js'

/**
 * @param override a shipped profile or a file that the reader of the run prefers
 * @throws UserError RUN_UNREADABLE where the copy is broken; PROFILE_UNKNOWN
 */
export async function profileOfRun(run: RecordedRun, override: string | undefined): Promise<Profile> {
  if (override !== undefined) return loadProfile(override)
  if (run.profileDefinition === undefined) return loadProfile(run.profileName)
  const problems = describeProblems(profileSchema, run.profileDefinition)
  if (problems === undefined) return profileSchema.parse(run.profileDefinition)
  throw new UserError({
    code: 'RUN_UNREADABLE',
    message: `${run.directory}: profile_definition: ${problems}`,
    fix: 'judge it by another profile with --profile',
  })
}

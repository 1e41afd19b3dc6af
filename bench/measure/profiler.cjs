/**
 * Required by every Node process of a profiled run (`NODE_OPTIONS=--require`): `--cpu-prof` may not stand there, and a
 * sender is spawned by the product with flags of its own. Leaves one profile for each process.
 */
const { writeFileSync } = require('node:fs')
const { Session } = require('node:inspector')
const { setPriority } = require('node:os')
const { join } = require('node:path')

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: 500 })
session.post('Profiler.start')
// On Linux this is the calling thread's alone. The sampling thread keeps the better priority: it would else wait for its
// turn while the sender works, and see it mostly idle.
setPriority(0, 10)
process.once('exit', () => {
  session.post('Profiler.stop', (error, { profile }) => {
    if (error) return
    writeFileSync(join(process.env.FLOORLOAD_BENCH_PROFILES, `${process.pid}.cpuprofile`), JSON.stringify(profile))
  })
})

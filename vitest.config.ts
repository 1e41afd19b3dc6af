import { defineConfig } from 'vitest/config'

/**
 * Tests on real sockets and child processes run one file at a time and after all others: they pace audio, and two of them
 * at once would disturb each other's timing.
 */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What the machine of whoever runs the tests was calibrated to must not show in results.
    env: { FLOORLOAD_CALIBRATION: '/nonexistent/calibration.json' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.socket.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'socket',
          include: ['test/**/*.socket.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})

import { expect, test } from 'vitest'
import { RuntimeGate } from '../../../src/quality/detection/runtime-gate.js'

test('an open gate lets calls through, also one inside of another, and tells what they return and throw', async () => {
  const gate = new RuntimeGate()
  expect(await gate.pass(() => gate.pass(async () => 7))).toBe(7)
  await expect(gate.pass(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('a gate that was shut at its other end lets nobody in, and shutting waits for nobody when all are out', async () => {
  const inside = new RuntimeGate()
  const outside = new RuntimeGate(inside.memory)
  await inside.pass(async () => undefined)
  await inside.pass(() => Promise.reject(new Error('broken'))).catch(() => undefined)
  outside.shut()
  let isCalled = false
  const call = inside.pass(async () => {
    isCalled = true
  })
  await expect(call).rejects.toThrow('to end')
  expect(isCalled).toBe(false)
  outside.shut()
})

import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { StatusLine } from '../../src/cli/status-line.io.js'

afterEach(() => void vi.useRealTimers())

function screen(columns: number) {
  vi.useFakeTimers()
  const written: string[] = []
  const stream = Object.assign(new EventEmitter(), { columns, write: (text: string) => written.push(text) > 0 })
  const take = () => written.splice(0).join('')
  return { stream, take, asTerminal: stream as unknown as NodeJS.WriteStream }
}

describe('the status line', () => {
  it('is written over itself, and only when it has changed', () => {
    const { asTerminal, take } = screen(80)
    let text = 'one'
    const line = new StatusLine(asTerminal, () => text)
    line.start()
    expect(take()).toBe('\rone\u001b[J')
    vi.advanceTimersByTime(1000)
    expect(take()).toBe('')
    text = 'two'
    vi.advanceTimersByTime(1000)
    expect(take()).toBe('\rtwo\u001b[J')
    line.stop()
    expect(take()).toBe('\r\u001b[J')
    vi.advanceTimersByTime(1000)
    expect(take()).toBe('')
  })

  it('lets other lines stand above', () => {
    const { asTerminal, take } = screen(80)
    const line = new StatusLine(asTerminal, () => 'status')
    line.start()
    take()
    line.above('note: hear')
    expect(take()).toBe('\r\u001b[Jnote: hear\n\rstatus\u001b[J')
    line.stop()
  })

  it('takes away the pieces into which a narrower window has broken it', () => {
    const { stream, asTerminal, take } = screen(80)
    const line = new StatusLine(asTerminal, (width) => `\u001b[31m${'x'.repeat(width - 1)}\u001b[39m`)
    line.start()
    take()
    stream.columns = 30
    stream.emit('resize')
    expect(take()).toBe(`\u001b[2A\r\u001b[J\r\u001b[31m${'x'.repeat(29)}\u001b[39m\u001b[J`)
    line.stop()
    expect(stream.listenerCount('resize')).toBe(0)
  })

  it('guesses where the terminal does not say how wide it is', () => {
    const { asTerminal, take } = screen(0)
    const line = new StatusLine(asTerminal, String)
    line.start()
    expect(take()).toBe('\r80\u001b[J')
    line.stop()
  })
})

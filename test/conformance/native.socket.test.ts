/** The three native profiles, over real sockets. */
import { test } from 'vitest'
import { expectConformance } from '../helpers/conformance.js'

test.each(['minicpmo-native', 'personaplex-native', 'nemotron-voicechat'])(
  'a sweep of levels 1, 2 and 4 with %s is complete and meets its targets',
  { timeout: 120_000 },
  (name) => expectConformance({ name }),
)

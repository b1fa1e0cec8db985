import type { NewId } from './ambient.ts'

const drawnAtOnce = 4096

/** Random bytes, drawn many at once: each call of the generator costs more than the bytes. */
export function drawnRandom(fill: (bytes: Uint8Array) => void): () => number {
  const bytes = new Uint8Array(drawnAtOnce)
  let next = drawnAtOnce
  return () => {
    if (next === drawnAtOnce) {
      fill(bytes)
      next = 0
    }
    next += 1
    return bytes[next - 1] ?? 0
  }
}

const digits = '0123456789abcdef'
/** Where the digits stand in the text: those of each byte side by side, hyphens between its groups. */
const places = Array.from({ length: 16 }, (_, at) => at * 2 + [4, 6, 8, 10].filter((end) => at >= end).length)

/**
 * UUIDs of version 7 (RFC 9562 5.7). Those of one generator ascend: behind the milliseconds stands a counter of 32 bits
 * (6.2, method 1) that begins at random, with its first bit 0, in each millisecond. `random` gives bytes, `now` epoch
 * milliseconds; a clock that is set back is not followed.
 */
export function createUuidV7({ now, random }: { now: () => number; random: () => number }): NewId {
  const text = Buffer.from('00000000-0000-0000-0000-000000000000', 'latin1')
  let time = 0
  let counter = 0

  function write(at: number, byte: number): void {
    const place = places[at] ?? 0
    text[place] = digits.charCodeAt(byte >>> 4)
    text[place + 1] = digits.charCodeAt(byte & 15)
  }

  return () => {
    const ms = now()
    if (ms > time) {
      time = ms
      counter = ((random() & 0x7f) << 24) | (random() << 16) | (random() << 8) | random()
    } else if (counter === 0xffff_ffff) {
      time += 1
      counter = 0
    } else counter += 1
    const high = Math.floor(time / 2 ** 16)
    write(0, high >>> 24)
    write(1, (high >>> 16) & 0xff)
    write(2, (high >>> 8) & 0xff)
    write(3, high & 0xff)
    write(4, (time >>> 8) & 0xff)
    write(5, time & 0xff)
    write(6, 0x70 | (counter >>> 28))
    write(7, (counter >>> 20) & 0xff)
    write(8, 0x80 | ((counter >>> 14) & 0x3f))
    write(9, (counter >>> 6) & 0xff)
    write(10, ((counter << 2) & 0xfc) | (random() & 3))
    for (let at = 11; at < 16; at += 1) write(at, random())
    return text.toString('latin1')
  }
}

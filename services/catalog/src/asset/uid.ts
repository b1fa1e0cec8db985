import { createHash } from 'node:crypto'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be replaced.
const unfit = /[/\\?#%&+\u0000-\u001f\u007f-\u009f]/g

/** A name as part of a UID: characters that would break a path, a query or a terminal become `_`. */
export function uidPart(name: string): string {
  return name.replace(unfit, '_').toWellFormed()
}

/** The UID of an asset if it is free: the parts from the assembly down, joined by `.`. */
export function uidOf(parts: readonly string[]): string {
  return parts.map(uidPart).join('.')
}

/** The `n`th UID to try, from 1: `a.b`, `a.b~2`, `a.b~3` ... */
export function uidCandidate(uid: string, n: number): string {
  return n === 1 ? uid : `${uid}~${n}`
}

/** Id of the stream that holds, and thereby reserves, a UID. Gives any text a valid stream name of fixed length. */
export function assetStreamId(uid: string): string {
  return createHash('sha256').update(uid).digest('hex')
}

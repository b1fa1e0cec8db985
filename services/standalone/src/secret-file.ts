import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/** Writes a file that only its user can read. Readers never see part of it, even after a loss of power. */
export function writeSecret(file: string, secret: string): void {
  const handle = openSync(`${file}.new`, 'w', 0o600)
  writeSync(handle, secret)
  fsyncSync(handle)
  closeSync(handle)
  renameSync(`${file}.new`, file)
}

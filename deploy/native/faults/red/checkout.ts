import { cpSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { edited, editsOf, type Sabotage } from './sabotage.ts'

/** A copy of the checkout that can be broken. */
export interface CheckoutCopy {
  root: string
  /** Applies a sabotage; returns a function that undoes it. */
  apply(sabotage: Sabotage): () => void
  remove(): void
}

/** Not copied: the history, and data of a running Assay. */
const excluded = new Set(['.git', 'data'])

/**
 * Copies the checkout at `from` into a new temporary folder. The packages installed at its root are linked; the
 * relative links between workspace packages are copied unchanged, so that they lead to the packages of the copy.
 */
export function copyCheckout(from: string): CheckoutCopy {
  const root = mkdtempSync(join(tmpdir(), 'assay-red-'))
  const installed = join(from, 'node_modules')
  cpSync(from, root, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) =>
      path !== installed && !excluded.has(basename(path)) && (lstatSync(path).isDirectory() || !path.endsWith('.log')),
  })
  symlinkSync(installed, join(root, 'node_modules'))
  return {
    root,
    apply(sabotage) {
      const before = new Map<string, string>()
      for (const edit of editsOf(sabotage)) {
        const path = join(root, edit.file)
        const source = readFileSync(path, 'utf8')
        if (!before.has(path)) before.set(path, source)
        writeFileSync(path, edited(source, edit))
      }
      return () => {
        for (const [path, source] of before) writeFileSync(path, source)
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

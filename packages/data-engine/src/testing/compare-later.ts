import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { DataEngine } from '../port.ts'
import { rowsInto } from '../row-sink.ts'
import { takenTable } from '../take.ts'

/** Names the table, as a comparison does. */
function ofLeft(error: unknown): never {
  if (!isAssayError(error) || error.code === 'timeout' || error.code === 'too-large') throw error
  throw new AssayError(error.code, `The left table: ${error.message}`, { cause: error })
}

/** Compares with the left rows as they were stored, and removes the stored rows. */
export function comparingLater(engine: Pick<DataEngine, 'compare' | 'take'>): Pick<DataEngine, 'compare'> {
  return {
    async compare(plan, call) {
      const folder = await mkdtemp(join(tmpdir(), 'assay-taken-'))
      try {
        const columns = [...new Set(plan.columns.map(({ left }) => left))]
        const stored = await engine
          .take({ ...plan.left, columns }, { ...call, rows: rowsInto(folder) })
          .catch((error: unknown) => ofLeft(error))
        const left = takenTable(join(folder, stored.file), stored.columns)
        const { reached, warnings, touched } = stored
        const compared = await engine.compare({ ...plan, left }, call)
        return { ...compared, left: { ...compared.left, reached, warnings, touched } }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

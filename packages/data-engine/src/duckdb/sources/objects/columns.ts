import { z } from 'zod'

/** What one scan of a statement reads from Parquet files, according to the engine's planner. */
export interface Scan {
  /** Names of columns, some with fields: `address.city`. */
  columns: string[]
  /** Conditions that the readers check. They may contain further columns. */
  conditions: string[]
  /** A condition on partition columns, which leaves `scanned` of `total` files. Absent if all files are read. */
  files?: { condition: string; scanned: number; total: number }
}

const texts = z.union([z.string(), z.array(z.string())]).transform((one) => (typeof one === 'string' ? [one] : one))

const node = z.object({
  name: z.string(),
  extra_info: z.record(z.string(), texts),
  get children() {
    return z.array(node)
  },
})
const plan = z.array(node)

function filesOf(info: z.infer<typeof node>['extra_info']): Pick<Scan, 'files'> {
  const [condition, ...others] = info['File Filters'] ?? []
  const [, scanned, total] = /^(\d+)\/(\d+)$/.exec(info['Scanning Files']?.[0] ?? '') ?? []
  if (condition === undefined || others.length > 0 || scanned === undefined || total === undefined) return {}
  return { files: { condition, scanned: Number(scanned), total: Number(total) } }
}

/** The scans in a plan that `EXPLAIN (FORMAT json)` returned. Throws if the plan has an unexpected form. Pure. */
export function scansIn(explained: string): Scan[] {
  const scans: Scan[] = []
  const visit = ({ name, extra_info: info, children }: z.infer<typeof node>) => {
    if (name.trim() === 'READ_PARQUET')
      scans.push({
        columns: (info.Projections ?? []).filter((column) => column !== ''),
        conditions: info.Filters ?? [],
        ...filesOf(info),
      })
    children.forEach(visit)
  }
  plan.parse(JSON.parse(explained)).forEach(visit)
  return scans
}

const wordPattern = (name: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${name.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&')}(?![\\p{L}\\p{N}_])`, 'iu')

/**
 * The columns of files that a scan reads; `null` means all, because a name is unknown. `own`: names of the columns in
 * the files. `others`: names that need no bytes, such as those of partition folders. May return too many columns, never
 * too few. Pure.
 */
export function columnsRead(
  { columns, conditions }: Scan,
  own: readonly string[],
  others: ReadonlySet<string>,
): ReadonlySet<string> | null {
  const byName = new Map(own.map((name) => [name.toLowerCase(), name]))
  const read = new Set<string>()
  for (const column of columns) {
    const name = column.toLowerCase()
    const exact = byName.get(name)
    const found = exact === undefined ? own.filter((one) => name.startsWith(`${one.toLowerCase()}.`)) : [exact]
    if (found.length === 0 && !others.has(name)) return null
    for (const one of found) read.add(one)
  }
  for (const name of own) {
    // Conditions write quotation marks in several forms.
    const isNamed = name.includes('"') || conditions.some((condition) => wordPattern(name).test(condition))
    if (conditions.length > 0 && isNamed) read.add(name)
  }
  return read
}

import { z } from 'zod'

/** Counts of a run, from its public event. */
export const runSummary = z.object({
  items: z.int(),
  failedItems: z.int(),
  rows: z.int().nullable(),
  failedRows: z.int().nullable(),
  worst: z.object({ name: z.string(), percent: z.number().nullable() }).nullable(),
})

const grouped = new Intl.NumberFormat('en-US')
/** Rounded down, so that what failed is never 100 %. */
const oneDecimal = (percent: number) => Math.floor(percent * 10) / 10

/** `orders are clean: 3 of 5 items failed, 2,836 of 10,000 rows; worst: speed is known 71.6 %`. Pure. */
export function summaryText(
  policyName: string,
  { items, failedItems, rows, failedRows, worst }: z.infer<typeof runSummary>,
): string {
  const ofItems = `${failedItems} of ${items} ${items === 1 ? 'item' : 'items'} failed`
  const ofRows =
    // Items without rows, such as counts of distinct values, can fail although no row does.
    rows === null || failedRows === null || failedRows === 0
      ? ''
      : `, ${grouped.format(failedRows)} of ${grouped.format(rows)} rows`
  const percent = worst?.percent == null ? 'could not be evaluated' : `${oneDecimal(worst.percent)} %`
  const ofWorst = worst === null ? '' : `; worst: ${worst.name} ${percent}`
  return `${policyName}: ${ofItems}${ofRows}${ofWorst}`
}

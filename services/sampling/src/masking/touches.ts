import type { DataEngine, Touched, WrittenText } from '@assay/data-engine'
import { expressionOf, type Transform } from '../transforming/transform.ts'

/** The transforms and the filter with the columns that they read; absent if unknown. Throws the errors of the engine. */
export async function withTouches(
  engine: Pick<DataEngine, 'touches'>,
  { transforms, filter }: { transforms: readonly Transform[]; filter: string | undefined },
  call: { tenant: string; key: string; signal: AbortSignal },
): Promise<{ transforms: Transform[]; filterTouched?: Touched }> {
  const texts = transforms.map((each): WrittenText => ({ text: expressionOf(each), form: 'expression' }))
  if (filter !== undefined) texts.push({ text: { sql: filter, variables: {} }, form: 'expression' })
  const found = (await engine.touches(texts, call)).map((one) => ('problem' in one ? undefined : one))
  const known = transforms.map((each, index) => {
    const touched = found[index]
    return touched === undefined ? each : { ...each, touched }
  })
  const filterTouched = found[transforms.length]
  return { transforms: known, ...(filterTouched === undefined ? {} : { filterTouched }) }
}

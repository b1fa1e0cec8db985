import { type CsvOptions, csvOptions, isFileSource, type Source } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { assetTables } from '../asset/collections.ts'
import { assetConfigurations } from '../asset-configuration/aggregate.ts'

/** A pattern that matches exactly one path. */
const literal = (path: string) => path.replace(/[\\*?[\]{}]/g, '\\$&')

/** The source of an assembly, with the CSV settings of single assets after the assembly's own patterns. */
export async function withAssetOptions(
  documents: Documents,
  of: { tenant: string; assemblyId: number },
  source: Source,
): Promise<Source> {
  if (!isFileSource(source)) return source
  const own: { pattern: string; csv: CsvOptions }[] = []
  const where = [{ field: 'hasCsv', is: true }]
  for await (const { tenant, document } of documents.scan(assetConfigurations, { where })) {
    if (tenant !== of.tenant) continue
    const csv = csvOptions.safeParse(document.settings.csv)
    const table = (await documents.get(assetTables, tenant, document.assetId))?.document
    if (!csv.success || table?.placement.assemblyId !== of.assemblyId) continue
    own.push({ pattern: literal(table.naturalPath.slice(2).join('/')), csv: csv.data })
  }
  return own.length === 0 ? source : { ...source, files: [...(source.files ?? []), ...own] }
}

import { accessSuite } from './access-suite.ts'
import { auditSuite } from './audit-suite.ts'
import { badInputSuite } from './bad-input-suite.ts'
import { clientsSuite } from './clients-suite.ts'
import { itemsSuite } from './items-suite.ts'
import { openApiSuite } from './openapi-suite.ts'
import { pagesSuite } from './pages-suite.ts'
import { policyTagsSuite } from './policy-tags-suite.ts'
import { readmeSuite } from './readme-suite.ts'
import { refusalsSuite } from './refusals-suite.ts'
import { settingsSuite } from './settings-suite.ts'
import type { Target } from './target.ts'
import { watchesSuite } from './watches-suite.ts'

/**
 * All suites that ask an Assay by its address. `otherGateway`: a second gateway of the same Assay, for the audit.
 * `perBody`: how many bad bodies each operation is sent.
 */
export function httpSuite(
  open: () => Promise<Target>,
  options: { otherGateway?: () => Promise<Pick<Target, 'baseUrl'>>; perBody?: number } = {},
): void {
  const { otherGateway, ...badInput } = options
  openApiSuite(open)
  itemsSuite(open)
  refusalsSuite(open)
  settingsSuite(open)
  readmeSuite(open)
  clientsSuite(open)
  watchesSuite(open)
  pagesSuite(open)
  policyTagsSuite(open)
  accessSuite(open)
  auditSuite(open)
  if (otherGateway !== undefined) auditSuite(open, otherGateway)
  badInputSuite(open, badInput)
}

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
 * All suites that ask an Assay by its address. `otherGateway`: a second gateway of the same Assay. Schemas and the words of
 * the audit are the same code in both forms, so with it bad input and audited writes are spot checks: the services, not the
 * operations, differ.
 */
export function httpSuite(
  open: () => Promise<Target>,
  { otherGateway }: { otherGateway?: () => Promise<Pick<Target, 'baseUrl'>> } = {},
): void {
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
  if (otherGateway === undefined) {
    auditSuite(open)
    badInputSuite(open)
    return
  }
  auditSuite(open, { fifth: 1 })
  auditSuite(open, { fifth: 0, readAt: otherGateway })
  badInputSuite(open, { perBody: 4, nth: 6 })
}

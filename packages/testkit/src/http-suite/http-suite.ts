import { accessSuite } from './access-suite.ts'
import { anomalySuite } from './anomaly-suite.ts'
import { auditSuite } from './audit-suite.ts'
import { backfillSuite } from './backfill-suite.ts'
import { badInputSuite } from './bad-input-suite.ts'
import { cadenceSuite } from './cadence-suite.ts'
import { clientsSuite } from './clients-suite.ts'
import { comparisonSuite } from './comparison-suite.ts'
import { dataDriftSuite } from './data-drift-suite.ts'
import { eventsSuite } from './events-suite.ts'
import { freshnessSuite } from './freshness-suite.ts'
import { itemsSuite } from './items-suite.ts'
import { type Hearing, mailsSuite } from './mails-suite.ts'
import { openApiSuite } from './openapi-suite.ts'
import { pagesSuite } from './pages-suite.ts'
import { policyTagsSuite } from './policy-tags-suite.ts'
import { readmeSuite } from './readme-suite.ts'
import { refusalsSuite } from './refusals-suite.ts'
import { schemaDriftSuite } from './schema-drift-suite.ts'
import { settingsSuite } from './settings-suite.ts'
import type { Target } from './target.ts'
import { watchesSuite } from './watches-suite.ts'
import { whatIfSuite } from './what-if-suite.ts'

/**
 * All suites that test an Assay by its address. `otherGateway`: a second gateway of the same distributed Assay. Both
 * forms share the code of schemas, permissions, audit lines and pages. So with `otherGateway`, the suites for access, bad
 * input and audit test only some operations of each service, and the suite for pages only some orders. `brokers`: see
 * `eventsSuite`. `hearing`: see `readmeSuite` and `mailsSuite`.
 */
export function httpSuite(
  open: () => Promise<Target>,
  {
    otherGateway,
    brokers,
    hearing,
  }: {
    otherGateway?: () => Promise<Pick<Target, 'baseUrl'>>
    brokers?: () => Promise<{ address: string; folder: string }>
    hearing?: Hearing
  } = {},
): void {
  openApiSuite(open)
  // Before other suites create policies with deadlines, which run by themselves and so change what is read.
  accessSuite(open, otherGateway === undefined ? undefined : { every: 10 })
  itemsSuite(open)
  schemaDriftSuite(open)
  dataDriftSuite(open)
  comparisonSuite(open)
  anomalySuite(open)
  backfillSuite(open)
  freshnessSuite(open)
  cadenceSuite(open)
  whatIfSuite(open)
  refusalsSuite(open)
  settingsSuite(open)
  readmeSuite(open, hearing)
  clientsSuite(open)
  watchesSuite(open)
  if (hearing !== undefined) mailsSuite(open, hearing)
  pagesSuite(open, { areSpotChecks: otherGateway !== undefined })
  policyTagsSuite(open)
  if (otherGateway === undefined) {
    auditSuite(open)
    badInputSuite(open)
    eventsSuite(open)
    return
  }
  auditSuite(open, { of: { every: 12, first: 1 } })
  auditSuite(open, { of: { every: 12 }, readAt: otherGateway })
  badInputSuite(open, { of: { every: 12 }, perBody: 4, nth: 6 })
  eventsSuite(open, brokers === undefined ? {} : { brokers })
}

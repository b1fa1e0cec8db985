import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

/** Closed lists of values, a template, and markers, which events have as the request gave them. */
const allowed = new Set([
  ...['AnomalyStrength', 'ArrivalMeasurement', 'DriftMeasure', 'DriftMetric', 'Feedback', 'MeasurementType'],
  ...['Permission', 'PolicyType', 'ProfileMetric', 'ReconciliationMeasurement', 'ScheduledExecutionType'],
  ...['ScoreStrategy', 'VerdictBasis', 'defaultTemplate', 'executionStatus', 'feedbacks', 'notificationKind'],
  ...['permissions', 'policyType', 'resultStatus', 'runMarkerConfig', 'runMarkers'],
  ...['NotificationKind', 'NotificationSeverity', 'incidentKinds', 'notificationSeverity'],
  ...['channelDigest', 'channelType', 'deliveryStatus'],
  // Functions next to the types read these.
  ...['PolicyAnswer', 'UdfTemplateRequest', 'qualityRuleOf', 'nextRuns', 'severityOfKind', 'severityRank'],
])

const root = join(import.meta.dirname, '../..')
const sources = (path: string) => readFileSync(join(root, path), 'utf8')
const definesEvents = (path: string) => /type: '[A-Z]\w+'(?:;|\n(?:\s+\/\*\*.*\n)?)\s*data:/.test(sources(path))

/** A file and those of its folder whose types it uses. */
function withTypes(path: string): string[] {
  const imported = [...sources(path).matchAll(/^import .*\btype\b[^']*'\.\/([\w-]+\.ts)'/gm)].map(
    ([, name = '']) => name,
  )
  return [path, ...imported.map((name) => join(dirname(path), name))]
}

/** The names that a file imports from the contracts. */
function contractNames(path: string): string[] {
  const [, names = ''] = /import (?:type )?\{([^}]*)\} from '@assay\/contracts'/.exec(sources(path)) ?? []
  return names.split(',').map((name) => name.replace('type ', '').trim())
}

it('given the types of events, then none is a record or a request of the HTTP interface', () => {
  const files = globSync('*/src/*/*.ts', { cwd: root }).filter(
    (path) => !path.includes('.spec.') && definesEvents(path),
  )
  expect(files.length).toBeGreaterThan(20)
  const foreign = files
    .flatMap(withTypes)
    .flatMap((path) =>
      contractNames(path).flatMap((name) => (name === '' || allowed.has(name) ? [] : [`${path}: ${name}`])),
    )
  expect([...new Set(foreign)]).toEqual([])
})

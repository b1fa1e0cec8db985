/** The template of policies without their own. */
export const defaultTemplate = '{{POLICY_TYPE}}/{{POLICY_NAME}}/{{TIME:yyyy-MM-dd}}/{{REQUEST_ID}}/{{RECORD_TYPE}}'

export const recordTypes = ['GOOD', 'BAD', 'SUMMARY', 'TOP'] as const
/** GOOD and BAD: rows. SUMMARY: the metadata of a run. */
export type RecordType = (typeof recordTypes)[number]

/** Values for the tokens of a template. `startedAt`: ISO 8601, shown in UTC. */
export interface TemplateValues {
  policyType: string
  policyName: string
  requestId: string
  executionId: string | number
  startedAt: string
  recordType: RecordType
}

const token = /\{\{([A-Z_]+)(?::([^{}]*))?\}\}/g
/**
 * Maximum length of a value. Longer ones are truncated, because no file system accepts names of more than 255 bytes.
 */
const longestValue = 100
const longestSegment = 255
const longestTemplate = 4_096
const deviceNames = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i
const staticText = /^[A-Za-z0-9_=/-]*$/

const timeParts: Readonly<Record<string, (time: Date) => string>> = {
  yyyy: (time) => String(time.getUTCFullYear()).padStart(4, '0'),
  MM: (time) => two(time.getUTCMonth() + 1),
  dd: (time) => two(time.getUTCDate()),
  HH: (time) => two(time.getUTCHours()),
  mm: (time) => two(time.getUTCMinutes()),
  ss: (time) => two(time.getUTCSeconds()),
  SSS: (time) => String(time.getUTCMilliseconds()).padStart(3, '0'),
}
const timePart = /yyyy|MM|dd|HH|mm|ss|SSS/g

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** Keeps `A-Z a-z 0-9 . _ = -`, writes `_` for everything else. */
function reduced(value: string): string {
  return value.replace(/[^A-Za-z0-9._=-]/g, '_').slice(0, longestValue)
}

function tokenValue(name: string, pattern: string | undefined, values: TemplateValues): string | undefined {
  switch (name) {
    case 'POLICY_TYPE':
      return values.policyType
    case 'POLICY_NAME':
      return values.policyName
    case 'REQUEST_ID':
      return values.requestId
    case 'EXECUTION_ID':
      return String(values.executionId)
    case 'RECORD_TYPE':
      return values.recordType
    case 'TIME': {
      const time = new Date(values.startedAt)
      return (pattern ?? '').replace(timePart, (part) => timeParts[part]?.(time) ?? part)
    }
    default:
      return undefined
  }
}

/** Prefixes or replaces a segment with `_` if a file system would not treat it as a plain name. */
function safeSegment(segment: string): string {
  if (/^\.+$/.test(segment)) return '_'.repeat(segment.length)
  return deviceNames.test(segment) ? `_${segment}` : segment
}

/**
 * The relative path of a template, with `/` between segments. It is never empty or absolute, and contains no `.` or
 * `..`, so that nothing is written outside of the root. Unknown tokens become `_`.
 */
export function resolveTemplate(template: string, values: TemplateValues): string {
  const text = template.replace(token, (_, name: string, pattern?: string) =>
    reduced(tokenValue(name, pattern, values) ?? '_'),
  )
  const segments = text
    .split('/')
    .map((segment) => segment.replace(/[^A-Za-z0-9._=-]/g, '_'))
    .filter((segment) => segment !== '')
    .map(safeSegment)
  return segments.length === 0 ? '_' : segments.join('/')
}

/** Why a template is unusable, as a sentence; `undefined` if it is valid. */
export function templateProblem(template: string): string | undefined {
  if (template.length > longestTemplate) return `must have at most ${longestTemplate} characters`
  const names: string[] = []
  const rest = template.replace(token, (_, name: string, pattern?: string) => {
    names.push(pattern === undefined ? name : `${name}:${pattern}`)
    return '0'
  })
  const wrong = names.map(tokenProblem).find((problem) => problem !== undefined)
  if (wrong !== undefined) return wrong
  const text = staticProblem(rest)
  if (text !== undefined) return text
  if (!names.includes('REQUEST_ID') && !names.includes('EXECUTION_ID'))
    return 'must contain {{REQUEST_ID}} or {{EXECUTION_ID}}, so that no run overwrites another'
  const unclear = names.includes('REQUEST_ID') ? undefined : adjoiningProblem(template)
  if (unclear !== undefined) return unclear
  const longest = 'x'.repeat(longestValue)
  const widest = { policyType: longest, policyName: longest, requestId: longest, executionId: longest }
  const path = resolveTemplate(template, { ...widest, startedAt: '2026-01-01T00:00:00.000Z', recordType: 'SUMMARY' })
  return path.split('/').some((segment) => segment.length > longestSegment)
    ? `has a segment that can become longer than ${longestSegment} characters: put a / between the tokens`
    : undefined
}

/**
 * Adjacent numbers could collide: run 11 of `run{{EXECUTION_ID}}` would have the same name as run 1 of
 * `run1{{EXECUTION_ID}}`.
 */
function adjoiningProblem(template: string): string | undefined {
  return /[0-9}]\{\{EXECUTION_ID\}\}|\{\{EXECUTION_ID\}\}[0-9{]/.test(template)
    ? 'has a digit or another token directly next to {{EXECUTION_ID}}: put - or / between them, so that no run overwrites another'
    : undefined
}

/** Why a folder prefix is unusable: it must be static text with `/` between segments. */
export function prefixProblem(prefix: string): string | undefined {
  return staticProblem(prefix)
}

function tokenProblem(name: string): string | undefined {
  const known = ['POLICY_TYPE', 'POLICY_NAME', 'REQUEST_ID', 'EXECUTION_ID', 'RECORD_TYPE']
  if (known.includes(name)) return undefined
  if (!name.startsWith('TIME:'))
    return `contains the unknown token {{${name}}}: use ${known.map((each) => `{{${each}}}`).join(', ')} or {{TIME:yyyy-MM-dd}}`
  const pattern = name.slice('TIME:'.length)
  const left = pattern.replace(timePart, '')
  return pattern === '' || !/^[._=-]*$/.test(left)
    ? `contains the time pattern '${pattern}': use yyyy, MM, dd, HH, mm, ss, SSS with - _ . = between them`
    : undefined
}

function staticProblem(text: string): string | undefined {
  if (!staticText.test(text)) return 'may contain only letters, digits, _, -, = and / in addition to its tokens'
  if (text.startsWith('/') || text.endsWith('/') || text.includes('//'))
    return 'must have a name on both sides of each /'
  const device = text.split('/').find((segment) => deviceNames.test(segment))
  return device === undefined ? undefined : `contains '${device}', a reserved device name`
}

const sample: Omit<TemplateValues, 'recordType'> = {
  policyType: 'DATA_QUALITY',
  policyName: 'policy',
  requestId: 'request',
  executionId: 'execution',
  startedAt: '2026-01-02T03:04:05.678Z',
}

/**
 * Why the templates of the categories conflict. If one of them resolves to the path of another, or to a path below it,
 * files would mix or be overwritten. Case is ignored, because some file systems ignore it.
 */
export function categoriesProblem(templates: {
  good: string
  bad: string
  metadata: string
}): { category: 'good' | 'bad' | 'metadata'; message: string } | undefined {
  const paths = [
    { category: 'good' as const, recordType: 'GOOD' as const },
    { category: 'bad' as const, recordType: 'BAD' as const },
    { category: 'metadata' as const, recordType: 'SUMMARY' as const },
  ].map(({ category, recordType }) => ({
    category,
    path: `${resolveTemplate(templates[category], { ...sample, recordType }).toLowerCase()}/`,
  }))
  for (const [index, later] of paths.entries()) {
    const clash = paths.slice(0, index).find(({ path }) => path.startsWith(later.path) || later.path.startsWith(path))
    if (clash !== undefined)
      return {
        category: later.category,
        message: `resolves to the path of '${clash.category}' or to one below or above it: use {{RECORD_TYPE}}`,
      }
  }
  return undefined
}

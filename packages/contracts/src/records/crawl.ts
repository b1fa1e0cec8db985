import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { cronProblem } from '../values/cron.ts'
import { freeObject, id, isoTime, isPathSegment, notPathSegment, optional, plainText } from '../values/scalars.ts'
import { assembly } from './asset.ts'

/** Source types that this build can open. */
export const openableSourceTypes = [
  'FILE',
  'SQLITE',
  'DUCKDB',
  'KAFKA',
  'POSTGRESQL',
  'MYSQL',
  'MARIADB',
  'TRINO',
  'AWS_S3',
] as const

const sourceTypeName = z
  .union([z.string().meta({ examples: ['FILE'] }), z.object({ name: z.string() })])
  .transform((value) => (typeof value === 'string' ? value : value.name))

/** Assembly names: 1 to 255 characters, not only digits, without `/`, not `.` or `..`. */
const assemblyName = plainText(255)
  .trim()
  .min(1, 'must not be empty')
  .refine((name) => !/^\d+$/.test(name), 'must not be only digits')
  .refine((name) => !name.includes('/'), "must not contain '/'")
  .refine(isPathSegment, notPathSegment)

export const assemblyRequest = z
  .object({
    name: assemblyName,
    description: optional(plainText(10_000)),
    sourceType: sourceTypeName.pipe(
      z.enum(openableSourceTypes, { error: `must be one of ${openableSourceTypes.join(', ')}` }),
    ),
    configuration: freeObject,
    schedule: optional(z.string()),
    timeZone: optional(z.string()),
    autoProfile: optional(z.boolean()),
    /** Whether each table, including those of later crawls, gets an auto anomaly policy. */
    autoAnomaly: optional(z.boolean()),
  })
  .superRefine((value, context) => {
    const problem =
      value.schedule || value.timeZone ? cronProblem(value.schedule || '@daily', value.timeZone ?? 'UTC') : undefined
    if (problem)
      context.addIssue({ code: 'custom', path: [value.schedule ? 'schedule' : 'timeZone'], message: problem })
  })
export type AssemblyRequest = z.infer<typeof assemblyRequest>

export const crawlStatus = z.enum(['RUNNING', 'SUCCESSFUL', 'FAILED', 'ABORTED'])
const skippedFile = z.object({ path: z.string(), message: z.string() })
const crawlError = skippedFile.extend({
  count: z.int().optional(),
  lines: z.array(z.object({ line: z.int(), message: z.string() })).optional(),
})
export const crawl = z
  .object({
    id,
    assemblyId: id,
    status: crawlStatus,
    startedAt: isoTime,
    finishedAt: isoTime.nullable(),
    /** Number of tables found so far. */
    found: z.int(),
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    failed: z.int(),
    /** Number of tables processed, changed or not. */
    done: z.int(),
    /**
     * The first 100 tables that could not be read, followed by the first 100 files with malformed lines. For these
     * files, `count` is the number of lines, and `lines` has the first ten.
     */
    errors: z.array(crawlError),
    errorCount: z.int(),
    /** The first 100 skipped files, with the reason. */
    skipped: z.array(skippedFile),
    skippedCount: z.int(),
  })
  .meta({ id: 'Crawl' })
export type Crawl = z.infer<typeof crawl>

export const crawlAnswer = z.object({ data: crawl })
export const crawlList = z.object({ data: z.array(crawl), meta: pageMeta })
export const assemblyAnswer = z.object({ data: assembly })
export const assemblyList = z.object({ data: z.array(assembly), meta: pageMeta })
export const assemblyTest = z.object({ data: z.object({ ok: z.boolean(), message: z.string(), assetsFound: z.int() }) })

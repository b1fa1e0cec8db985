import { createHash } from 'node:crypto'
import { policyType } from '@assay/contracts'
import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate, JsonObject } from '@assay/event-store'
import { z } from 'zod'

const json = z.record(z.string(), z.unknown())

/**
 * Immutable data that many runs share. POLICY: a policy's definition, which only its kind reads. SCHEMA: the columns of
 * a table, without its locator, which runs read from the local read model. LEARNED: the findings of a run for later
 * runs, which only its kind reads.
 */
export const version = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('POLICY'),
    type: policyType,
    definition: json,
    shown: z.looseObject({ items: z.array(json) }),
  }),
  z.object({
    kind: z.literal('SCHEMA'),
    columns: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        dataType: z.string(),
        nullable: z.boolean().optional(),
      }),
    ),
    path: z.array(z.string()).optional(),
    sourceIds: z.array(z.int()).optional(),
    /** For a view: its `ViewState`, together with `sourceIds`. */
    view: z.string().optional(),
  }),
  /** `at`: start of the run, or creation of the policy. */
  z.object({ kind: z.literal('LEARNED'), at: z.string(), learned: json }),
])
export type Version = z.infer<typeof version>
export type PolicyVersion = Extract<Version, { kind: 'POLICY' }>
export type LearnedVersion = Extract<Version, { kind: 'LEARNED' }>
export type SchemaVersion = Extract<Version, { kind: 'SCHEMA' }>

/** The key of a version, derived from its content. Pure. */
export function versionKey(content: Version): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url')
}

const keptVersion = z.object({ key: z.string(), version })
/** One document per version. */
export const keptVersions = defineCollection<z.infer<typeof keptVersion>>({
  name: 'execution_versions',
  version: 2,
  idType: 'text',
  schema: keptVersion,
  fields: {
    /** Only for LEARNED versions. */
    learnedAt: {
      type: 'integer',
      of: ({ version }) => (version.kind === 'LEARNED' ? Date.parse(version.at) : null),
    },
  },
})

type VersionEvent =
  | { type: 'VersionKept'; data: { version: Version & JsonObject } }
  | { type: 'VersionRemoved'; data: { at: string } }
type VersionCommand = { type: 'KeepVersion'; version: Version } | { type: 'RemoveVersion'; at: string }

function decide(command: VersionCommand, state: Version | null): VersionEvent[] {
  switch (command.type) {
    case 'KeepVersion':
      // All parts of a version were parsed from JSON, but the types of its free-form parts cannot express that.
      return state === null ? [{ type: 'VersionKept', data: { version: command.version as Version & JsonObject } }] : []
    case 'RemoveVersion':
      return state === null ? [] : [{ type: 'VersionRemoved', data: { at: command.at } }]
    default:
      return command satisfies never
  }
}

/** Streams `<tenant>/runversion-<key>`, of one event each unless it was removed. */
export const versionAggregate: Aggregate<Version | null, VersionCommand, VersionEvent> = {
  category: 'runversion',
  decider: {
    initialState: null,
    decide,
    evolve: (_state, event) => (event.type === 'VersionKept' ? event.data.version : null),
  },
  schemaVersion: 1,
  documents: (version, { tenant, id: key }, source) => [
    documentPut(keptVersions, tenant, key, version && { key, version }, source),
  ],
}

import { isDeepStrictEqual } from 'node:util'
import {
  type AssetConfiguration,
  type AssetSettingsInput,
  assetConfiguration,
  type ReferenceJob,
  sparkResourceRecordOf,
  strictly,
  unknownFieldSentence,
  unknownFields,
} from '@assay/contracts'
import { csvOptions } from '@assay/data-engine'
import type { JsonObject, JsonValue } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import type { AssetDocument } from '../asset/collections.ts'
import type { Settings } from '../asset-configuration/asset-configuration.ts'
import { isIdType, isTimeType, type SelectableTable, strategiesOf } from '../inferring/strategies.ts'
import { obstacleOf } from './manual-triggers.ts'

const strictCsv = strictly(csvOptions)

/** The configuration of an asset without settings. */
const defaults = {
  description: '',
  owner: null,
  team: [],
  incrementalColumn: null,
  strategy: null,
  columnLevel: 0,
  isPatternProfile: false,
  isReferenceCheckValid: false,
  isUserMarkedReference: false,
  scheduled: false,
  schedule: null,
  timeZone: 'UTC',
  assetReferenceValidationJob: null,
  referenceCheckConfiguration: null,
  // Always null: reading inferred types, which has an operation of its own, would change this record.
  inferredSchema: null,
  profilingType: null,
  markerConfiguration: null,
  freshnessColumnInfo: null,
  notificationChannels: null,
  partitionConfiguration: null,
  patternConfiguration: null,
  cadenceAnomalyModelSensitivity: null,
  profileAnomalyModelSensitivity: null,
  cadenceAnomalyTrainingWindowMinimumInDays: null,
  profileAnomalyTrainingWindowMinimumInDays: null,
  resourceStrategyType: null,
  selectedResourceInventory: null,
  sparkResourceConfig: null,
  autoRetryEnabled: null,
  csv: null,
}

/** The record: the settings, with defaults for the rest. */
export function configurationRecord(
  asset: Pick<AssetDocument, 'id' | 'createdAt' | 'updatedAt'>,
  set: { settings: Settings; createdAt: string; updatedAt: string } | undefined,
  reference: { lastJob: ReferenceJob | null; isValid: boolean },
): AssetConfiguration {
  const { id } = asset
  const { createdAt, updatedAt } = set ?? asset
  const { owner, sparkResourceConfig } = set?.settings ?? {}
  return assetConfiguration.parse({
    ...defaults,
    ...set?.settings,
    owner: asList(owner),
    sparkResourceConfig: sparkResourceRecordOf(sparkResourceConfig),
    assetReferenceValidationJob: reference.lastJob,
    isReferenceCheckValid: reference.isValid,
    id,
    assetId: id,
    createdAt,
    updatedAt,
  })
}

/** Older settings have one owner, as text. */
const asList = (owner: JsonValue | undefined): JsonValue => (typeof owner === 'string' ? [owner] : (owner ?? null))

/** JSON of a parsed value, without `undefined` fields. */
function json(value: unknown): JsonValue {
  // The value was parsed from JSON, and checked.
  return JSON.parse(JSON.stringify(value))
}

/**
 * The settings that a request changes. A strategy is named by its type or its name, and the asset must support it;
 * together with the column it becomes the stored marker. Throws `invalid`, naming the field. Pure.
 */
export function requestedSettings(
  input: AssetSettingsInput,
  before: Settings,
  asset: Pick<AssetDocument, 'id' | 'assetTypeId'>,
  table: SelectableTable | undefined,
): JsonObject {
  const settings: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(input)) if (value !== undefined) settings[name] = json(value)
  if (input.freshnessColumnInfo !== undefined) {
    const name = input.freshnessColumnInfo.name || null
    columnNamed(table, name, 'freshnessColumnInfo.name')
    settings.freshnessColumnInfo = name === null ? null : { assetId: asset.id, userProvided: true, name }
  }
  if (input.partitionConfiguration !== undefined) {
    const { column, numPartitions = null } = input.partitionConfiguration
    columnNamed(table, column, 'partitionConfiguration.column')
    settings.partitionConfiguration = { column, numPartitions }
  }
  if (input.csv !== undefined) {
    const { refused } = unknownFields(strictCsv, input.csv, 'csv')
    if (refused.length > 0)
      throw new AssayError('invalid', refused.map(unknownFieldSentence).join(' '), {
        details: { fields: refused.map(({ path }) => path) },
      })
    const parsed = csvOptions.strict().safeParse(input.csv)
    const [issue] = parsed.error?.issues ?? []
    if (issue !== undefined)
      throw new AssayError('invalid', `${['csv', ...issue.path.map(String)].join('.')}: ${issue.message}`)
    settings.csv = json(parsed.data)
  }
  if (input.strategy) settings.strategy = strategyNamed(table, input.strategy)
  const { incrementalColumn = null, strategy = null, schedule = null, scheduled = false } = { ...before, ...settings }
  const { profilingType = null } = { ...before, ...settings }
  const obstacle = input.scheduled === true ? obstacleOf(asset) : undefined
  if (obstacle !== undefined) throw new AssayError('invalid', `scheduled: no profile can be scheduled. ${obstacle}`)
  if (scheduled === true && !schedule) throw new AssayError('invalid', 'schedule: must be set if scheduled is true.')
  if (scheduled === true && profilingType === 'SELECTIVE')
    throw new AssayError(
      'invalid',
      'profilingType: must be FULL or INCREMENTAL if scheduled is true, because SELECTIVE needs a range.',
    )
  if (input.incrementalColumn !== undefined || input.strategy !== undefined) {
    const marker = markerOf(table, incrementalColumn, strategy)
    // Clients send the whole record back, so only a changed column or strategy makes a new marker next to null.
    const isNew = [incrementalColumn, strategy].some(
      (one, index) => one !== ([before.incrementalColumn, before.strategy][index] ?? null),
    )
    if (input.markerConfiguration === undefined || (input.markerConfiguration === null && isNew))
      settings.markerConfiguration = marker
  }
  if (isDeepStrictEqual(settings.markerConfiguration, {})) settings.markerConfiguration = null
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => !isShown(name, value, before)))
}

/** Whether the record already shows this value. Clients send the whole record back, including defaults. Pure. */
function isShown(name: string, value: JsonValue, before: Settings): boolean {
  const shown: { readonly [name: string]: unknown } = { ...defaults, ...before, owner: asList(before.owner) }
  return isDeepStrictEqual(name === 'owner' ? asList(value) : value, shown[name])
}

function columnNamed(table: SelectableTable | undefined, name: string | null, field: string) {
  if (!name) return undefined
  const column = table?.columns.find((one) => one.name === name)
  if (column === undefined) throw new AssayError('invalid', `${field}: the asset has no column ${name}.`)
  return column
}

function strategyNamed(table: SelectableTable | undefined, wanted: string): string {
  const known = strategiesOf(table).incremental
  const folded = wanted.trim().toLowerCase()
  const found = known.find(({ name, type }) => [name.toLowerCase(), type.toLowerCase()].includes(folded))
  if (found !== undefined) return found.type
  const allowed = known.map(({ type }) => type).join(', ') || 'none'
  throw new AssayError('invalid', `strategy: must be one that the asset supports (${allowed}).`)
}

function markerOf(table: SelectableTable | undefined, columnName: JsonValue, type: JsonValue): JsonValue {
  const column = typeof columnName === 'string' ? columnNamed(table, columnName, 'incrementalColumn') : undefined
  if (type === 'IdMarkerConfig' || type === 'DateTimeMarkerConfig') {
    if (column === undefined) return null
    const fits = type === 'IdMarkerConfig' ? isIdType(column.dataType) : isTimeType(column.dataType)
    if (!fits)
      throw new AssayError(
        'invalid',
        `incrementalColumn: ${column.name} is of type ${column.dataType}, which ${type} cannot use.`,
      )
    return { type, columnName: column.name }
  }
  return typeof type === 'string' && type !== '' ? { type } : null
}

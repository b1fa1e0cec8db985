import type { AssemblyRequest } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import type { AssemblyDefinition } from '../assembly/assembly.ts'
import { assertSecretsStay, secretKeys, withKeptSecrets, withSealedSecrets } from '../assembly/secrets.ts'
import { sourceTypeNamed } from '../types/source-types.ts'
import { parseSource } from './source-check.ts'

/**
 * The definition in a request, with defaults and without unknown fields. `stored`: the definition that it replaces,
 * which keeps secrets that the request sends masked. `seal`: seals new ones. Throws `invalid` naming the field.
 */
export function definitionOf(
  request: AssemblyRequest,
  seal: (secret: string) => string,
  stored?: AssemblyDefinition,
): AssemblyDefinition {
  const { name, sourceType, description, schedule, timeZone, autoProfile, autoAnomaly } = request
  const configuration = withKeptSecrets(request.configuration, stored?.source ?? {}, secretKeys[sourceType])
  const source = parseSource(sourceType, configuration)
  if (stored !== undefined) assertSecretsStay(source, stored.source)
  return {
    name,
    description: description ?? '',
    source: withSealedSecrets(source, stored?.source ?? {}, seal),
    schedule: schedule === undefined || schedule === '' ? null : schedule,
    timeZone: timeZone ?? 'UTC',
    autoProfile: autoProfile ?? false,
    autoAnomaly: autoAnomaly ?? false,
  }
}

/** The id of a source type named in a request. */
export function sourceTypeIdOf(definition: AssemblyDefinition): number {
  const type = sourceTypeNamed(definition.source.sourceType)
  if (type === undefined)
    throw new AssayError('invalid', 'sourceType: is unknown. List the source types to see the supported ones.')
  return type.id
}

import { type ChangeOf, isChangeOf, type PolicyChange, type PolicyType } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import type { OwnOf } from '../policy/definition.ts'
import { anomaly } from './anomaly/family.ts'
import { arrival } from './arrival/family.ts'
import { dataDrift } from './data-drift/family.ts'
import { dataQuality } from './data-quality/family.ts'
import type { Family } from './family.ts'
import { reconciliation } from './reconciliation/family.ts'
import { schemaDrift } from './schema-drift/family.ts'

/** The family of each type of policy. */
export const families = {
  DATA_QUALITY: dataQuality,
  RECONCILIATION: reconciliation,
  EQUALITY: reconciliation,
  DATA_DRIFT: dataDrift,
  SCHEMA_DRIFT: schemaDrift,
  PROFILE_ANOMALY: anomaly,
  AUTO_ANOMALY: anomaly,
  DATA_CADENCE: arrival,
  DATA_FRESHNESS: arrival,
}

const byType: { readonly [Type in PolicyType]: Family<Type, OwnOf<Type>> } = families

/** The family of a type. The compiler knows that it takes definitions and requests of this type. */
export const familyOf = <Type extends PolicyType>(type: Type): Family<Type, OwnOf<Type>> => byType[type]

/** A request about a policy of a type: its routes accept no others. Throws `internal` otherwise. */
export function changeOf<Type extends PolicyType>(type: Type, sent: PolicyChange): ChangeOf<Type> {
  if (isChangeOf(type, sent)) return sent
  throw new AssayError('internal', `A change of a ${sent.family} policy was applied to one of type ${type}.`)
}

import type { ItemKind } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Identity } from '@assay/service-kit'
import { suggestTable, suggestTemplate } from '../copies/suggestions.ts'
import { policyTables } from '../copies/tables.ts'
import { policyTemplates } from '../copies/templates.ts'
import { refusal } from './refusal.ts'

/**
 * Completes a reference: if `value` has the id or the name of a table or template, the result has both, so that the
 * definition works in another tenant too. `keys`: the fields with id and name. An unknown id stays; checking the definition
 * refuses it. Error: `invalid`, in a field under `at`.
 */
export type CompleteNames = (value: Value, at: string, keys: Keys) => Promise<Value>
/** The author of the definition. */
export type Author = Pick<Identity, 'tenant' | 'permissions'>

type Value = Record<string, unknown> | undefined
interface Named {
  id: number
  name: string
}
type Keys = Omit<NonNullable<ItemKind['refersTo']>, 'sent'>
/** A kind of entity that items can reference. */
interface ReferencedKind {
  /** As in "there is no ... 'x'". */
  what: string
  find(by: { id: number } | { name: string }): Promise<Named | undefined>
  /** The suggestion at the end of a refusal. */
  suggest(name: string): Promise<string>
}

export function createCompleteNames(documents: Documents): (author: Author) => CompleteNames {
  const lookups = ({ tenant }: Author): ReferencedKind => ({
    what: 'table, view or file with the UID',
    async find(by) {
      const where = 'id' in by ? [{ field: 'id', is: by.id }] : [{ field: 'uid', is: by.name }]
      const [copy] = (await documents.find(policyTables, tenant, { where, size: 1 })).documents
      return copy && !copy.table.isDeleted ? { id: copy.table.assetId, name: copy.table.uid } : undefined
    },
    suggest: (uid) => suggestTable(documents, tenant, uid),
  })

  const templates = ({ tenant, permissions }: Author): ReferencedKind => ({
    what: 'UDF template with the name',
    async find(by) {
      const where = 'id' in by ? [{ field: 'id', is: by.id }] : [{ field: 'name', is: by.name }]
      const [copy] = (await documents.find(policyTemplates, tenant, { where, size: 1 })).documents
      return copy && !copy.isDeleted ? { id: copy.udfId, name: copy.name } : undefined
    },
    suggest: async (name) =>
      permissions.has('USER_DEFINED_FUNCTION_VIEW') ? suggestTemplate(documents, tenant, name) : '',
  })

  async function completed(value: Value, at: string, keys: Keys, { what, find, suggest }: ReferencedKind) {
    const id = value?.[keys.id] ?? undefined
    const name = value?.[keys.name] ?? undefined
    if (typeof id === 'number') {
      const known = await find({ id })
      if (known === undefined) return value
      if (typeof name === 'string' && keys.what === 'table' && name !== known.name)
        throw refusal(`${at}.${keys.name}`, `'${name}' is not the UID of the asset with the id ${id}`)
      return { ...value, [keys.name]: known.name }
    }
    if (id !== undefined || typeof name !== 'string') return value
    const found = await find({ name })
    if (found === undefined) throw refusal(`${at}.${keys.name}`, `there is no ${what} '${name}'${await suggest(name)}`)
    return { ...value, [keys.id]: found.id, [keys.name]: found.name }
  }

  return (author) => (value, at, keys) =>
    completed(value, at, keys, keys.what === 'table' ? lookups(author) : templates(author))
}

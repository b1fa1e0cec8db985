import type { Definition, Target } from '../policy/definition.ts'

/** A table of a policy. `filterPath` and `assetPath`: the fields of requests. */
interface Side {
  name: 'left' | 'right'
  target: Target
  filter: string | null
  filterPath: string
  assetPath: string
}

/** One side, or the left and the right one. Pure. */
export function sidesOf(definition: Definition): Side[] {
  const { target, filter } = definition
  if (!('rightTarget' in definition))
    return [{ name: 'left', target, filter, filterPath: 'rule.filter', assetPath: 'rule.backingAsset' }]
  const side = (name: Side['name']) => ({
    name,
    filterPath: `rule.${name}Filter`,
    assetPath: `rule.${name}BackingAsset`,
  })
  return [
    { ...side('left'), target, filter },
    { ...side('right'), target: definition.rightTarget, filter: definition.rightFilter },
  ]
}

/** The tables of a policy: one, or both sides of a comparison. Pure. */
export const targetsOf = (definition: Definition): Target[] => sidesOf(definition).map(({ target }) => target)

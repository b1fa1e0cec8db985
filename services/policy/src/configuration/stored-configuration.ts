import {
  categoriesProblem,
  defaultTemplate,
  type PolicyMessage,
  prefixProblem,
  type RuleConfigInput,
  templateProblem,
} from '@assay/contracts'
import { refusal } from '../definition/refusal.ts'
import type { Configuration } from '../policy/definition.ts'

/**
 * What a request makes of a configuration: what is absent stays, an empty prefix clears it. Error: `invalid` naming the
 * field, for templates that could overwrite each other's files or leave the root.
 */
export function mergeConfiguration(before: Configuration, input: RuleConfigInput): Configuration {
  const { persistenceFolderPrefix: prefix, categoriesPersistenceConfig, categoriesResultHandlingConfig } = input
  const wrong = prefix === undefined || prefix === '' ? undefined : prefixProblem(prefix)
  if (wrong !== undefined) throw refusal('persistenceFolderPrefix', wrong)
  if (categoriesPersistenceConfig?.type === 'CUSTOM') {
    const { good, bad, metadata } = categoriesPersistenceConfig.categoriesConfig
    const at = (category: string) => `categoriesPersistenceConfig.categoriesConfig.${category}.suffixTemplate`
    for (const [category, { suffixTemplate }] of Object.entries({ good, bad, metadata })) {
      const problem = templateProblem(suffixTemplate)
      if (problem !== undefined) throw refusal(at(category), problem)
    }
    const clash = categoriesProblem({
      good: good.suffixTemplate,
      bad: bad.suffixTemplate,
      metadata: metadata.suffixTemplate,
    })
    if (clash !== undefined) throw refusal(at(clash.category), clash.message)
  }
  return {
    prefix: prefix === undefined ? before.prefix : prefix === '' ? null : prefix,
    categories: categoriesPersistenceConfig ?? before.categories,
    handling: categoriesResultHandlingConfig ?? before.handling,
  }
}

/** The wire form. */
export function configurationRecord(policyId: number, configuration: Configuration) {
  return {
    id: policyId,
    ruleId: policyId,
    persistenceFolderPrefix: configuration.prefix,
    categoriesPersistenceConfig: configuration.categories,
    categoriesResultHandlingConfig: configuration.handling,
  }
}

/** What a run needs to know of it. */
export function storingOf({ prefix, categories, handling }: Configuration): PolicyMessage['configuration'] {
  const custom = categories.type === 'CUSTOM' ? categories.categoriesConfig : undefined
  const rows = (category: 'good' | 'bad') => ({
    store: handling[category].storeResult,
    format: custom?.[category].format ?? ('PARQUET' as const),
    template: custom?.[category].suffixTemplate ?? defaultTemplate,
  })
  return {
    good: rows('good'),
    bad: rows('bad'),
    metadata: { template: custom?.metadata.suffixTemplate ?? defaultTemplate },
    prefix,
  }
}

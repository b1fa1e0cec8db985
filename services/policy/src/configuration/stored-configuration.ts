import {
  type CategoriesConfig,
  categoriesProblem,
  type PolicyMessage,
  prefixProblem,
  type RuleConfigInput,
  templateProblem,
} from '@assay/contracts'
import { refusal } from '../definition/refusal.ts'
import { builtInCategories } from '../persistence/configs.ts'
import type { Configuration } from '../policy/definition.ts'

/**
 * Throws `invalid` naming the field below `path`, if templates could overwrite each other's files or leave the root.
 */
export function assertTemplates({ good, bad, metadata }: CategoriesConfig, path: string): void {
  const at = (category: string) => `${path}.${category}.suffixTemplate`
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

/**
 * Merges a request into a configuration: absent fields stay, an empty prefix clears it. Throws `invalid` naming the
 * field, if templates could overwrite each other's files or leave the root. `categories`: the choice in the request,
 * with the id of the configuration that it names.
 */
export function mergeConfiguration(
  before: Configuration,
  input: RuleConfigInput,
  categories: Configuration['categories'] | undefined,
): Configuration {
  const { persistenceFolderPrefix: prefix, categoriesPersistenceConfig, categoriesResultHandlingConfig } = input
  const wrong = prefix === undefined || prefix === '' ? undefined : prefixProblem(prefix)
  if (wrong !== undefined) throw refusal('persistenceFolderPrefix', wrong)
  if (categoriesPersistenceConfig?.type === 'CUSTOM')
    assertTemplates(categoriesPersistenceConfig.categoriesConfig, 'categoriesPersistenceConfig.categoriesConfig')
  return {
    prefix: prefix === undefined ? before.prefix : prefix === '' ? null : prefix,
    categories: categories ?? before.categories,
    handling: categoriesResultHandlingConfig ?? before.handling,
  }
}

/** The wire form. `configName`: name of the chosen saved configuration. */
export function configurationRecord(policyId: number, configuration: Configuration, configName: string | undefined) {
  const { categories } = configuration
  return {
    id: policyId,
    ruleId: policyId,
    persistenceFolderPrefix: configuration.prefix,
    categoriesPersistenceConfig:
      categories.type === 'SAVED' ? { ...categories, configName: configName ?? null } : categories,
    categoriesResultHandlingConfig: configuration.handling,
  }
}

/** The part of a configuration that runs need. `storage`: the templates of the chosen persistence configuration. */
export function storingOf(
  { prefix, categories, handling }: Configuration,
  storage: CategoriesConfig | null,
): PolicyMessage['configuration'] {
  const templates = categories.type === 'CUSTOM' ? categories.categoriesConfig : (storage ?? builtInCategories)
  const rows = (category: 'good' | 'bad') => ({
    store: handling[category].storeResult,
    format: templates[category].format,
    template: templates[category].suffixTemplate,
  })
  return {
    good: rows('good'),
    bad: rows('bad'),
    metadata: { template: templates.metadata.suffixTemplate },
    prefix,
  }
}

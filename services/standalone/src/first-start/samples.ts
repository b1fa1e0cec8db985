import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Name of the assembly with the bundled samples. */
export const sampleAssembly = 'samples'

/** Files of the npm package `vega-datasets` (real public data) that the first start crawls. */
const sampleFiles = [
  'movies.json',
  'flights-3m.parquet',
  'zipcodes.csv',
  'earthquakes.json',
  'sp500.csv',
  'birdstrikes.csv',
  'seattle-weather.csv',
  'airports.csv',
  'disasters.csv',
  'gapminder-health-income.csv',
  'penguins.json',
  'us-employment.csv',
]

/** The assembly request for the sample set. */
export function sampleAssemblyRequest() {
  // The package exports only its entry, `build/index.js`; its data is next to that folder.
  const entry = fileURLToPath(import.meta.resolve('vega-datasets'))
  return {
    name: sampleAssembly,
    description: 'Real public data with real defects, from the npm package vega-datasets.',
    sourceType: 'FILE',
    configuration: { path: join(dirname(dirname(entry)), 'data'), include: sampleFiles },
  }
}

/** A policy on a sample table. */
interface SamplePolicy {
  uid: string
  rule: { name: string; description: string; [field: string]: unknown }
  items: Record<string, unknown>[]
}

/** Policies with genuine failures: the data has these defects as published. */
export const samplePolicies: SamplePolicy[] = [
  {
    uid: `${sampleAssembly}.movies.json`,
    rule: {
      name: 'Movies are complete and plausible',
      description: 'Titles are present, ratings are known, release dates are not after the data were published (2010).',
    },
    items: [
      {
        name: 'every movie has a title',
        measurementType: 'MISSING_VALUES',
        columnName: 'Title',
        value: { addEmptyCheck: true },
      },
      {
        name: 'the rating is one of the MPAA list',
        measurementType: 'VALUES_IN_LIST',
        columnName: 'MPAA Rating',
        value: { values: ['G', 'PG', 'PG-13', 'R', 'NC-17', 'Not Rated'] },
      },
      {
        name: 'released by 2010',
        measurementType: 'CUSTOM',
        ruleExpression: `CAST(right("Release Date", 4) AS INTEGER) <= 2010`,
      },
      {
        name: 'title and date are unique',
        measurementType: 'DUPLICATE_ROWS_CHECK',
        value: { columns: ['Title', 'Release Date'] },
      },
      {
        name: 'IMDB rating is 0 to 10',
        measurementType: 'RANGE_MATCH',
        columnName: 'IMDB Rating',
        value: { min: 0, max: 10 },
      },
      {
        name: 'a budget is at least 1,000',
        measurementType: 'RANGE_MATCH',
        columnName: 'Production Budget',
        value: { min: 1000 },
      },
    ],
  },
  {
    uid: `${sampleAssembly}.birdstrikes.csv`,
    rule: {
      name: 'Bird strikes are well coded',
      description: 'Damage is one of four words, speeds are known, costs add up.',
    },
    items: [
      {
        name: 'damage is a word, not a code',
        measurementType: 'VALUES_IN_LIST',
        columnName: 'Effect Amount of damage',
        value: { values: ['None', 'Minor', 'Medium', 'Substantial'] },
      },
      {
        name: 'speed is known',
        measurementType: 'MISSING_VALUES',
        columnName: 'Speed IAS in knots',
        resultThreshold: 90,
      },
      {
        name: 'operator has no footnote mark',
        measurementType: 'REGEX_MATCH',
        columnName: 'Aircraft Airline Operator',
        value: { pattern: '[^*]+' },
        isWarning: true,
      },
      {
        name: 'costs add up',
        measurementType: 'CUSTOM',
        ruleExpression: '"Cost Total $" = "Cost Other" + "Cost Repair"',
      },
    ],
  },
  {
    uid: `${sampleAssembly}.flights-3m.parquet`,
    rule: {
      name: 'Flights are plausible',
      description: 'Three million flights in one scan: no flight leaves hours early or is listed twice.',
    },
    items: [
      { name: 'at most one hour early', measurementType: 'RANGE_MATCH', columnName: 'delay', value: { min: -60 } },
      { name: 'no flight twice', measurementType: 'DUPLICATE_ROWS_CHECK' },
      {
        name: 'airport codes have three letters',
        measurementType: 'REGEX_MATCH',
        columnName: 'origin',
        value: { pattern: '[A-Z]{3}' },
      },
      {
        name: 'mean delay below 10 minutes',
        measurementType: 'AGGREGATES',
        columnName: 'delay',
        aggregateType: 'AVG',
        value: { operator: 'LT', value: 10 },
      },
    ],
  },
]

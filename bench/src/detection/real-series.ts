import { fileURLToPath } from 'node:url'
import type { Reading } from '@assay/reliability'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Figure } from './generated.ts'

/** A series of public data, from the npm package vega-datasets. */
export interface RealSeries {
  name: string
  figure: Figure
  readings: Reading[]
}

const data = fileURLToPath(new URL('../../../services/standalone/node_modules/vega-datasets/data', import.meta.url))
const flights = `(SELECT CAST(strptime(CAST(date AS VARCHAR), '%Y-%m-%d %H:%M:%S') AS DATE) AS moment, delay, origin
  FROM (SELECT * REPLACE (date_trunc('second', CAST(date AS TIMESTAMP)) AS date) FROM '${data}/flights-3m.parquet'))`
const airports = ['ATL', 'ORD', 'DFW', 'SEA', 'BUR']
const quakes = `(SELECT unnest(features).properties AS quake FROM '${data}/earthquakes.json')`
const weather = `'${data}/seattle-weather.csv'`
const shares = `'${data}/sp500-2000.csv'`

/** Each query returns a time and a number for each value of its series, in order. */
const queries: readonly (readonly [name: string, sql: string])[] = [
  ['flights a day', `SELECT moment, count(*) FROM ${flights} GROUP BY moment ORDER BY moment`],
  ...airports.flatMap(
    (airport) =>
      [
        [
          `flights a day from ${airport}`,
          `SELECT moment, count(*) FROM ${flights} WHERE origin = '${airport}' GROUP BY moment ORDER BY moment`,
        ],
        [
          `median delay of flights from ${airport}, minutes`,
          `SELECT moment, median(delay) FROM ${flights} WHERE origin = '${airport}' GROUP BY moment ORDER BY moment`,
        ],
      ] as const,
  ),
  [
    'earthquakes an hour',
    `SELECT date_trunc('hour', make_timestamp(quake.time * 1000)) AS moment, count(*) FROM ${quakes} GROUP BY moment ORDER BY moment`,
  ],
  ['Seattle: precipitation, mm', `SELECT date, precipitation FROM ${weather} ORDER BY date`],
  ['Seattle: highest temperature, degrees', `SELECT date, temp_max FROM ${weather} ORDER BY date`],
  ['Seattle: wind, m/s', `SELECT date, wind FROM ${weather} ORDER BY date`],
  ['S&P 500: close', `SELECT date, close FROM ${shares} ORDER BY date`],
  ['S&P 500: volume', `SELECT date, volume FROM ${shares} ORDER BY date`],
]

/** Reads all series. */
export async function realSeries(): Promise<RealSeries[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const all: RealSeries[] = []
  for (const [name, sql] of queries) {
    const rows = await connection.runAndReadAll(
      `SELECT epoch_ms(CAST(moment AS TIMESTAMP))::DOUBLE, value::DOUBLE FROM (${sql}) AS t(moment, value) WHERE value IS NOT NULL`,
    )
    const readings = rows.getRows().map(([at, value]) => ({ at: Number(at), value: Number(value) }))
    all.push({ name, figure: 'NUMBER', readings })
  }
  connection.closeSync()
  return all
}

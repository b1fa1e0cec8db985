/** The columns of the orders, and the kind of their figures. */
const columns = {
  ...{ order_id: 'number', customer_id: 'number', email: 'text', country: 'text', amount: 'number' },
  ...{ quantity: 'number', created_at: 'time', status: 'text', code: 'text', note: 'text' },
} as const

const number = `sum(v * n), sum(n) FILTER (WHERE v = 0), sum(n) FILTER (WHERE v < 0), sum(CAST(v AS DOUBLE) * v * n), sum(CAST(v AS DOUBLE) * v * v * n), sum(CAST(v AS DOUBLE) * v * v * v * n)`

const uuid = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const looksLike = `CASE WHEN regexp_full_match(v, '\\s*') THEN NULL
  WHEN regexp_full_match(v, '-?(0|[1-9][0-9]*)') THEN 'INTEGER' WHEN regexp_full_match(v, '-?[0-9]+(\\.[0-9]+)?') THEN 'DECIMAL'
  WHEN TRY_CAST(v AS DATE) IS NOT NULL THEN 'DATE' WHEN TRY_CAST(v AS TIMESTAMP) IS NOT NULL THEN 'TIMESTAMP'
  WHEN regexp_full_match(v, '${uuid}') THEN 'UUID' WHEN lower(v) IN ('true', 'false') THEN 'BOOLEAN' ELSE 'TEXT' END`
const text = `sum(n) FILTER (WHERE v = ''), sum(n) FILTER (WHERE regexp_full_match(v, '\\s*')), min(length(v)), max(length(v)), sum(length(v) * n),
  sum(n) FILTER (WHERE v = upper(v) AND v <> lower(v)), sum(n) FILTER (WHERE v = lower(v) AND v <> upper(v)), sum(n) FILTER (WHERE v <> upper(v) AND v <> lower(v)),
  min(len(regexp_extract_all(v, '\\S+'))), max(len(regexp_extract_all(v, '\\S+')))`
const form = String.raw`regexp_replace(regexp_replace(regexp_replace(left(v, 33), '\p{Lu}', 'A', 'g'), '[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]', 'a', 'g'), '\p{Nd}', '9', 'g')`

/**
 * The figures of a profile of the orders in `file` as a person would query them: groups each column once, and computes all
 * else from the different values and their counts.
 */
export function profileByHand(file: string): string[] {
  const scan = `SELECT count(*), ${Object.keys(columns).map((name) => `count(${name})`)} FROM '${file}'`
  return [
    scan,
    ...Object.entries(columns).flatMap(([name, kind]) => [
      `CREATE OR REPLACE TEMP TABLE g AS SELECT ${name} AS v, count(*) AS n FROM '${file}' WHERE ${name} IS NOT NULL GROUP BY ${name}`,
      `SELECT sum(n), count(*), count(*) FILTER (WHERE n = 1), min(v), max(v)${kind === 'number' ? `, ${number}` : ''}${kind === 'text' ? `, ${text}` : ''} FROM g`,
      'SELECT list([CAST(v AS VARCHAR), CAST(n AS VARCHAR)]) FROM (FROM g ORDER BY n DESC, v LIMIT 20)',
      ...(kind === 'number'
        ? [
            `SELECT quantile_disc(${name}, [0.05, 0.25, 0.5, 0.75, 0.95]) FROM '${file}'`,
            'SELECT list([b, n]) FROM (SELECT least(19, floor((v - lo) * 20.0 / (hi - lo))) AS b, sum(n) AS n FROM g, (SELECT min(v) AS lo, max(v) AS hi FROM g) GROUP BY b)',
          ]
        : []),
      ...(kind === 'text'
        ? [
            `SELECT list([p, CAST(n AS VARCHAR)]) FROM (SELECT ${form} AS p, sum(n) AS n FROM g GROUP BY p ORDER BY n DESC LIMIT 5)`,
            `SELECT list([t, CAST(n AS VARCHAR)]) FROM (SELECT ${looksLike} AS t, sum(n) AS n FROM g GROUP BY t)`,
          ]
        : []),
    ]),
  ]
}

import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { functionClassOf } from '../sql/tree/functions.ts'
import type { Form } from '../sql/tree/guard.ts'
import { planParameters } from '../sql/written.ts'
import { type Parsed, parsed } from './parse.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})
afterAll(() => connection.closeSync())

const parseAs = (form: Form, texts: readonly string[], tables: readonly string[] = ['asset', 'other table']) =>
  parsed(
    connection,
    texts.map((sql) => ({ given: { sql, variables: { v: 1, c: { column: 'ssn' } } }, reach: { form, tables } })),
    planParameters('2026-01-02T03:04:05.000Z'),
  )
const sentences = (outcomes: readonly Parsed[]) =>
  outcomes.map((outcome) => ('refused' in outcome ? outcome.refused.message : undefined))

describe('which SQL users may write, by its parse tree', () => {
  it('given expressions over a row, then they may run', async () => {
    const good = [
      `a = 'it''s -- no comment' AND "b ; )" = 1`,
      'a /* ) /* nested ( */ ; */ + 1',
      'uuid IS NOT NULL AND random > 1 AND asset.nextval = 3',
      '"uuid" = \'x\' AND current_setting > 1 AND age(a, b) > c AND duckdb_version = 1',
      "a = 'current_setting' -- the end",
      'a IN (SELECT unnest([1, 2])) AND EXISTS (FROM range(3) r(n) WHERE n = a)',
      "list_transform([1], lambda x: x + a)[1] > 0 AND {'x': 1}.x = 1 AND extract(year FROM d) BETWEEN 1 AND ${v}",
      "regexp_matches(a, '^x') AND position('a' IN a) > 0 AND a SIMILAR TO 'x' AND CAST(a AS DECIMAL(18, 3)) > 1",
      'now() > d AND (WITH t AS (SELECT 1 AS n) SELECT max(n) FROM t) = 1 AND sum(a) OVER () > 0',
      "strptime(a, '%Y') > current_date AND a COLLATE nocase = 'x' AND TRY_CAST(a AS INTEGER) IS NULL AND a::JSON ->> '$.x' = 'y'",
    ]
    expect(sentences(await parseAs('expression', good, []))).toEqual(good.map(() => undefined))
  })

  it('given SELECTs over the declared tables, then they may run', async () => {
    const good = [
      'SELECT count(*) FROM ASSET JOIN "Other Table" o USING (id) WHERE o.a > current_date',
      'WITH x AS (SELECT * FROM asset), y AS (FROM x) SELECT (SELECT count(*) FROM y) / count(*) FROM x',
      'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT max(n) FROM t',
      'SELECT * FROM (PIVOT asset ON a IN (1, 2) USING sum(b))',
      'FROM asset TABLESAMPLE reservoir(10 ROWS) REPEATABLE (1)',
      'SELECT a FROM (VALUES (1)) t(a) UNION ALL SELECT 2 ; -- done',
      'WITH asset AS (SELECT * FROM asset WHERE a > 1) SELECT count(*) FROM asset',
    ]
    expect(sentences(await parseAs('select', good))).toEqual(good.map(() => undefined))
  })

  it('given more than one expression, or text that closes its brackets, then it is refused', async () => {
    const bad = `1) OR (1|a)|(a|[1)|a; b|a, b|a AS b|*|a FROM asset|DISTINCT a|a LIMIT 1|a ORDER BY b|1=1) OR (1=1|a WHERE b
      |a GROUP BY b|a UNION SELECT 1|a; DROP TABLE asset|a) FROM asset; --|COLUMNS(*)|a USING SAMPLE 1|a QUALIFY b|a HAVING b`
    const texts = bad.split('|')
    const found = sentences(await parseAs('expression', texts))
    expect(texts.filter((_, index) => found[index] === undefined)).toEqual([])
  })

  it('given tables, functions and settings that are not declared, then each is refused in any position', async () => {
    const tables = [
      ...['secret', 'main.secret', 'memory.main.asset', 'main.asset', 'temp.asset', '"assay_file_1".main.secret'],
      ...['duckdb_settings', 'DUCKDB_SETTINGS', 'sqlite_master', 'Sqlite_Master', 'pg_catalog."pg_settings"'],
      ...['information_schema.tables', "'pg_settings'", "E'pg\\x5fsettings'", '$a$duckdb_databases$a$', "'secret.csv'"],
      ...['assay_shape', 'assay_source.table_0', 'asset AT (VERSION => 1)'],
      ...['duckdb_settings()', 'duckdb_databases()', "query('FROM secret')", "query_table('secret')", 'read_text(a)'],
      ...["read_csv('x')", "read_blob('x')", "glob('*')", "sniff_csv('x')", "parquet_metadata('x')", 'checkpoint()'],
      ...['enable_profiling()', 'pragma_version()', 'force_checkpoint()', "enable_logging('x')", 'summary(1)'],
      ...['test_all_types()', "read_duckdb('x')", "which_secret('x', 'y')", "json_execute_serialized_sql('{}')"],
      ...['system.main.duckdb_settings()', '(DESCRIBE asset)', '(SHOW TABLES)', '(SUMMARIZE asset)'],
      ...[
        "(SELECT (SELECT to_json(name) FROM duckdb_settings())::json -> '$')",
        'asset USING SAMPLE 3',
        'asset TABLESAMPLE 10%',
        "sql_auto_complete('s')",
        'seq_scan(1)',
      ],
    ]
    const calls = [
      ...["current_setting('threads')", "main.current_setting('x')", "('threads').current_setting()", 'version()'],
      ...["getvariable('x')", 'current_query()', 'CURRENT_SCHEMA()', 'current_database()', 'current_schemas(true)'],
      ...[
        'random()',
        "(random()::json -> '$')",
        "((version()::json) -> '$')",
        "(random().to_json() -> '$')",
        'RANDOM()',
        'uuid()',
        'gen_random_uuid()',
        'uuidv7()',
        "nextval('s')",
        "currval('s')",
        'sleep_ms(1)',
      ],
      ...['pg_sleep(1)', 'setseed(1)', 'txid_current()', 'ago(a)', 'age(a)', 'stats(a)', "error('x')", 'main.now()'],
      ...[
        "pg_get_viewdef('x')",
        "has_table_privilege('x', 'y')",
        'inet_client_addr()',
        "write_log('x')",
        "getenv('HOME')",
      ],
      ...["json_serialize_sql('x')", "json_deserialize_sql('x')", 'json_serialize_plan(1)', 'today(1)', 'nope(a)'],
      ...['reservoir_quantile(a, 0.5)', '__internal_compress_string_utinyint(a)', 'system.main.lower(a)', 'x.lower(a)'],
      ...["'x'::s.mytype", "'x'::other.s.mytype", 'CAST(a AS other.s.t)', '[random() FOR x IN [1]]'],
    ]
    const selects = [
      ...tables.map((table) => `SELECT count(*) FROM ${table}`),
      ...tables.map((table) => `SELECT (SELECT count(*) FROM asset, ${table} t) FROM asset`),
      ...tables.map((table) => `WITH x AS (SELECT 1 FROM ${table}) SELECT 1`),
      ...calls.map((call) => `SELECT ${call} FROM asset`),
      ...calls.map((call) => `SELECT a FROM asset WHERE ${call} IS NULL`),
      ...calls.map((call) => `SELECT a FROM asset ORDER BY ${call}`),
      ...calls.map((call) => `SELECT sum(a) FILTER (WHERE ${call} IS NULL) OVER (PARTITION BY ${call}) FROM asset`),
      'SELECT * FROM (WITH secret AS (SELECT 1) FROM secret), secret',
      'WITH secret AS (FROM secret) FROM secret',
      'WITH x AS (FROM y), y AS (SELECT 1) FROM x',
      'WITH RECURSIVE secret AS (FROM secret UNION ALL SELECT 1) FROM secret',
      'WITH "duc\u212Adb_settings" AS (SELECT 1) FROM duckdb_settings',
      ...['DESCRIBE asset', 'SHOW TABLES', 'SUMMARIZE asset', 'PRAGMA database_list', 'CALL pragma_version()'],
      ...['DROP TABLE asset', 'SET threads = 8', 'CHECKPOINT', "ATTACH 'x'", 'SELECT 1; SELECT 2', 'EXPLAIN SELECT 1'],
      ...["COPY asset TO 'x'", 'INSERT INTO asset VALUES (1)', 'SELECT 1 INTO x', 'VACUUM', 'PREPARE x AS SELECT 1'],
    ]
    const expressions = [...calls, ...tables.map((table) => `EXISTS (FROM ${table})`), 'EXISTS (FROM asset)']
    const [ofSelects, ofExpressions] = [
      sentences(await parseAs('select', selects)),
      sentences(await parseAs('expression', expressions, [])),
    ]
    expect(selects.filter((_, index) => ofSelects[index] === undefined)).toEqual([])
    expect(expressions.filter((_, index) => ofExpressions[index] === undefined)).toEqual([])
  })

  it('given a refusal, then it names the position and suggests a name', async () => {
    expect(
      sentences(
        await parseAs('select', [
          "SELECT 'ü', lowr(a) FROM asset",
          ...['SELECT cuont(*) FROM asset', 'SELECT cont(*) FROM asset', 'SELECT mn(a) FROM asset'],
          ...['SELECT 1 FROM aset', 'SELECT a FROM FROM b'],
        ]),
      ),
    ).toEqual([
      'There is no function "lowr" to use here; did you mean "lower"? (character 13)',
      'There is no function "cuont" to use here; did you mean "count"? (character 8)',
      'There is no function "cont" to use here; did you mean "count"? (character 8)',
      'There is no function "mn" to use here; did you mean "min"? (character 8)',
      'There is no table "aset" here; did you mean "asset"? (character 15)',
      '"FROM" is not expected here. (character 15)',
    ])
    expect(sentences(await parseAs('expression', ['${v} > 0 AND random() > 1', 'a >', 'a = = b']))).toEqual([
      '"random" cannot be used: it gives another value each time, and a check has to be repeatable. (character 14)',
      'The SQL ends too early: something is missing.',
      '"=" is not expected here. (character 5)',
    ])
  })

  it('given every function of the engine, then it is listed as allowed or refused', async () => {
    const reader = await connection.runAndReadAll(
      "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')",
    )
    const names = reader.getRows().map(([name]) => String(name))
    expect(names.length).toBeGreaterThan(500)
    expect(names.filter((name) => functionClassOf(name) === 'unknown')).toEqual([])
  })
})

/** Twelve rows: BOM, CRLF, every kind of quoting, odd column names, one line too short and one too long. */
export const nastyRows = [
  '\uFEFFid,text,num,amount,day,code,select,a b,"a""b",größe',
  '1,hello,1,1.50,1969-07-20,007,x,1,y,3',
  '2,,2,2.25,2024-02-29,010,x,,y,3',
  '3,"",3,-0.5,1900-01-01,1,x,1,y,',
  '4,"   ",-0,0,2024-01-01,02,x,1,y,3',
  '5,"a,b",1e3,10.123,2024-01-01,03,y,1,y,3',
  '6,"line1\r\nline2",6,3.10,2024-01-01,04,x,1,y,3',
  '7,"say ""hi""",-7,4.00,2024-01-01,05,x,1,y,3',
  '8,👩‍👩‍👧,8,5.5,2024-01-01,06,x,1,y,3',
  '9,e\u0301,9,6,2024-01-01,07,x,1,y,3',
  '10,hello,1,1.50,1969-07-20,007,x,1,y,3',
  '11,short',
  '12,long,12,7.00,2024-01-01,08,x,1,y,3,surplus',
].join('\r\n')

/** Results calculated by hand. */
export interface Expected {
  rowsScanned?: number | null
  rowsFailed?: number | null
  resultPercentage?: number
  value?: string
  status?: string
}
type Case = [name: string, item: Record<string, unknown>, expected: Expected]
const value = (fields: Record<string, unknown>) => ({ value: fields })

export const itemCases: Case[] = [
  [
    'MISSING_VALUES: NULL fails, empty text is a value',
    { measurementType: 'MISSING_VALUES', columnName: 'text' },
    { rowsScanned: 12, rowsFailed: 1 },
  ],
  [
    'MISSING_VALUES with addEmptyCheck: blank text fails too',
    { measurementType: 'MISSING_VALUES', columnName: 'text', ...value({ addEmptyCheck: true }) },
    { rowsScanned: 12, rowsFailed: 3 },
  ],
  [
    'REGEX_MATCH: the whole value, NULL passes',
    { measurementType: 'REGEX_MATCH', columnName: 'text', ...value({ pattern: 'hello' }) },
    { rowsScanned: 12, rowsFailed: 9 },
  ],
  [
    'REGEX_MATCH partial',
    { measurementType: 'REGEX_MATCH', columnName: 'text', ...value({ pattern: 'l', partial: true }) },
    { rowsFailed: 7 },
  ],
  [
    'SIZE_CHECK: empty text has length 0',
    { measurementType: 'SIZE_CHECK', columnName: 'text', ...value({ min: 1 }) },
    { rowsFailed: 1 },
  ],
  [
    'SIZE_CHECK: length in code points',
    { measurementType: 'SIZE_CHECK', columnName: 'text', ...value({ max: 5 }) },
    { rowsFailed: 2 },
  ],
  [
    'VALUES_IN_LIST: NULL passes',
    { measurementType: 'VALUES_IN_LIST', columnName: 'select', ...value({ values: ['x'] }) },
    { rowsScanned: 12, rowsFailed: 1 },
  ],
  [
    'VALUES_IN_LIST negated',
    { measurementType: 'VALUES_IN_LIST', columnName: 'select', ...value({ values: ['x'], negate: true }) },
    { rowsFailed: 10 },
  ],
  [
    'VALUES_IN_LIST on numbers',
    { measurementType: 'VALUES_IN_LIST', columnName: 'num', ...value({ values: [1, 1000] }) },
    { rowsFailed: 8 },
  ],
  [
    'DATATYPE_MATCH',
    { measurementType: 'DATATYPE_MATCH', columnName: 'text', ...value({ dataType: 'INTEGER' }) },
    { rowsFailed: 11 },
  ],
  [
    'RANGE_MATCH',
    { measurementType: 'RANGE_MATCH', columnName: 'amount', ...value({ min: 0, max: 5 }) },
    { rowsScanned: 12, rowsFailed: 5, resultPercentage: 58.3333 },
  ],
  [
    'RANGE_MATCH exclusive',
    { measurementType: 'RANGE_MATCH', columnName: 'amount', ...value({ min: 0, inclusive: false }) },
    { rowsFailed: 2 },
  ],
  [
    'RANGE_MATCH on dates before 1970',
    { measurementType: 'RANGE_MATCH', columnName: 'day', ...value({ min: '1970-01-01' }) },
    { rowsFailed: 3 },
  ],
  [
    'PRECISION_SCALE_CHECK',
    { measurementType: 'PRECISION_SCALE_CHECK', columnName: 'amount', ...value({ precision: 3, scale: 2 }) },
    { rowsFailed: 1 },
  ],
  [
    'DISTINCTNESS_CHECK: of non-null rows',
    { measurementType: 'DISTINCTNESS_CHECK', columnName: 'text' },
    { rowsScanned: 11, rowsFailed: 1 },
  ],
  [
    'DUPLICATE_ROWS_CHECK on columns',
    { measurementType: 'DUPLICATE_ROWS_CHECK', ...value({ columns: ['text', 'amount'] }) },
    { rowsScanned: 12, rowsFailed: 2 },
  ],
  [
    'DUPLICATE_ROWS_CHECK on all columns',
    { measurementType: 'DUPLICATE_ROWS_CHECK' },
    { rowsFailed: 0, status: 'SUCCESSFUL' },
  ],
  [
    'AGGREGATES COUNT of rows',
    { measurementType: 'AGGREGATES', aggregateType: 'COUNT', ...value({ operator: 'EQ', value: 12 }) },
    { value: '12', status: 'SUCCESSFUL', resultPercentage: 100 },
  ],
  [
    'AGGREGATES COUNT of a column',
    {
      measurementType: 'AGGREGATES',
      aggregateType: 'COUNT',
      columnName: 'text',
      ...value({ operator: 'EQ', value: 11 }),
    },
    { value: '11', status: 'SUCCESSFUL' },
  ],
  [
    'AGGREGATES MAX',
    { measurementType: 'AGGREGATES', aggregateType: 'MAX', columnName: 'id', ...value({ operator: 'LT', value: 12 }) },
    { value: '12', status: 'ERRORED', resultPercentage: 0 },
  ],
  [
    'AGGREGATES SUM',
    {
      measurementType: 'AGGREGATES',
      aggregateType: 'SUM',
      columnName: 'amount',
      ...value({ operator: 'BETWEEN', min: 40.47, max: 40.48 }),
    },
    { status: 'SUCCESSFUL' },
  ],
  [
    'BUSINESS_MEASURE of an expression',
    {
      measurementType: 'BUSINESS_MEASURE',
      aggregateType: 'SUM',
      ruleExpression: 'id * 2',
      ...value({ operator: 'EQ', value: 156 }),
    },
    { value: '156', status: 'SUCCESSFUL' },
  ],
  ['CUSTOM: NULL fails', { measurementType: 'CUSTOM', ruleExpression: '"größe" = 3' }, { rowsFailed: 2 }],
  [
    'CUSTOM on odd names',
    { measurementType: 'CUSTOM', ruleExpression: '"a b" = 1 AND "a""b" = \'y\'' },
    { rowsFailed: 2 },
  ],
  ['CUSTOM on a keyword', { measurementType: 'CUSTOM', ruleExpression: '"select" = \'x\'' }, { rowsFailed: 2 }],
  [
    'CUSTOM: leading zeros stay text',
    { measurementType: 'CUSTOM', ruleExpression: "code LIKE '0%'" },
    { rowsFailed: 2 },
  ],
  [
    'SQL_METRIC',
    {
      measurementType: 'SQL_METRIC',
      ...value({ sql: 'select count(*) from asset where text is null', operator: 'EQ', value: 1 }),
    },
    { value: '1', status: 'SUCCESSFUL' },
  ],
  [
    'FRESHNESS_CHECK',
    { measurementType: 'FRESHNESS_CHECK', columnName: 'day', ...value({ maxAge: 'PT1H' }) },
    { status: 'ERRORED', resultPercentage: 0 },
  ],
  [
    'an item filter',
    { measurementType: 'MISSING_VALUES', columnName: 'text', filter: 'id <= 3' },
    { rowsScanned: 3, rowsFailed: 1 },
  ],
]

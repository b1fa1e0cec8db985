import { createEngineInProcess } from '@assay/data-engine/testing'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { templateCopyPut } from './copies/templates.ts'
import { type Harness, openHarness, tableFixture } from './testing/harness.ts'
import { requestedTransforms } from './transforming/requested-transforms.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

describe('transforms', () => {
  const message = (udfId: number, language = 'EXPRESSION') => ({
    revision: 0,
    udfId,
    name: `udf ${udfId}`,
    language,
    udfType: 'TRANSFORM',
    udfDataType: 'STRING',
    code: 'upper(${c}) || ${suffix}',
    variables: [
      { key: 'c', value: null, isColumnVariable: true },
      { key: 'suffix', value: '!', isColumnVariable: false },
    ],
    isDeleted: false,
  })
  const template = (udfId: number, language?: string) => harness.tag(message(udfId, language))
  const loud = { udfId: 5, name: 'loud', parameters: [{ key: 'c', value: 'note' }] }
  const louder = {
    udfId: 5,
    parameters: [
      { key: 'c', value: 'id' },
      { key: 'suffix', value: '?' },
    ],
  }

  it('given templates, then the engine computes their columns, and equal requests share one job', async () => {
    await template(5)
    await harness.sampled(11)
    const both = [loud, louder]
    const asked = await Promise.all([1, 2].map(() => harness.request(11, { transformUDFs: both })))
    expect(new Set(asked.map(({ requestId }) => requestId)).size).toBe(1)
    await harness.ended(asked[0]?.requestId ?? '')
    expect(harness.engine.asked).toBe(2)
    expect(harness.engine.dataset).toMatchObject({
      kind: 'query',
      sql: expect.stringContaining('upper(${t1_c}) || ${t1_suffix}\n) AS "udf 5"'),
      variables: { c: { column: 'note' }, suffix: { text: '!' }, t1_c: { column: 'id' }, t1_suffix: { text: '?' } },
      tables: [{ name: 'assay_rows', dataset: { kind: 'files' } }],
    })
    expect((await harness.request(11, { transformUDFs: both })).jobExecutionStatus).toBe('SUCCESSFUL')
    expect((await harness.request(11, { transformUDFs: [loud] })).jobExecutionStatus).toBe('IN_PROGRESS')
  })
  it('given a recently created template, then the request waits for it', async () => {
    const { documents } = harness
    const sleep = () => documents.put([templateCopyPut('default', message(5), '1')])
    const parameters = [{ key: 'c', value: 'note', isColumnVariable: true }]
    const asked = [{ ...loud, parameters, assetId: undefined, columnNames: undefined }]
    const transforms = requestedTransforms({ documents, timers: { sleep } }, { tenant: 'default', tableId: 11 }, asked)
    await expect(transforms).resolves.toMatchObject([{ name: 'loud' }])
  })
  it('given a protected column, then filters and transforms that read it require the permission, and others do not', async () => {
    await harness.tag({ kind: 'tag', revision: 0, tagId: 5, name: 't', protected: true, mergedIntoId: null })
    const association = { revision: 0, associationId: 13, tagId: 5, assetId: 13, tableId: 11, present: true }
    await harness.tag({ kind: 'association', ...association })
    await template(5)
    const real = createEngineInProcess()
    onTestFinished(() => real.close())
    harness.engine.touches = real.touches
    const viewer = { permissions: ['ASSET_VIEW' as const] }
    const refused = { code: 'forbidden', message: expect.stringContaining('ASSET_PROTECTED_VIEW') }
    for (const filter of ["NOTE = 'a'", 'error(note)::BOOLEAN', 'asset IS NULL', '(SELECT true FROM asset)'])
      await expect(harness.request(11, { ...viewer, filter })).rejects.toMatchObject(refused)
    await expect(harness.request(11, { ...viewer, transformUDFs: [loud] })).rejects.toMatchObject(refused)
    expect((await harness.request(11, { ...viewer, filter: 'id > 7' })).jobExecutionStatus).toBe('IN_PROGRESS')
    expect((await harness.request(11, { filter: 'note > 7' })).jobExecutionStatus).toBe('IN_PROGRESS')
    // A column derived from a protected one is masked too; so is one of unknown origin.
    const fields = ['id', 'note', 'loud', 'quiet', 'twice'].map((name) => ({ name, type: 'VARCHAR', nullable: true }))
    const row = { id: 1, note: 'a', loud: 'A!', quiet: '1!', twice: 'A!!' }
    harness.engine.next = { kind: 'rows', rows: { fields, rows: [row], warnings: { total: 0, first: [] } } }
    const quiet = { ...loud, name: 'quiet', parameters: [{ key: 'c', value: 'id' }] }
    const twice = { ...loud, name: 'twice', parameters: [{ key: 'c', value: 'loud' }] }
    const { requestId } = await harness.request(11, { transformUDFs: [loud, quiet, twice] })
    await harness.ended(requestId)
    const masked = { id: 1, note: '***', loud: '***', quiet: '1!', twice: '***' }
    expect((await harness.result(requestId, viewer)).sampleData.data).toEqual([masked])
    harness.engine.touches = () => Promise.reject(new AssayError('unavailable', 'The data engine is busy.'))
    await expect(harness.request(11, { filter: 'id > 8' })).rejects.toMatchObject({ code: 'unavailable' })
  })
  it('given an invalid expression, then the job fails with the reason', async () => {
    await template(5)
    harness.engine.refuses = 'there is no column nothing'
    const { requestId } = await harness.request(11, { transformUDFs: [loud] })
    expect(await harness.ended(requestId)).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: "The transform 'loud': there is no column nothing",
    })
  })
  it.each([
    ['no such template', { udfId: 9 }, 'transformUDFs[0].udfId'],
    ['another language', { udfId: 6 }, 'transformUDFs[0].udfId'],
    ['a taken name', { ...loud, name: 'Note' }, 'transformUDFs[0].name'],
  ])('given %s, then 400 with the field', async (_, each, field) => {
    await template(5)
    await template(6, 'PYTHON')
    await expect(harness.request(11, { transformUDFs: [each] })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(field),
    })
  })
})

describe('a filter', () => {
  it('given a filter, then the engine gets it, and another filter needs another job', async () => {
    await harness.sampled(11)
    const { requestId } = await harness.request(11, { filter: '  id > 1 ' })
    expect(await harness.ended(requestId)).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL' })
    expect(harness.engine.filter).toBe('id > 1')
    expect((await harness.request(11, { filter: 'id > 1' })).requestId).toBe(requestId)
    expect((await harness.request(11, { filter: 'id > 2' })).jobExecutionStatus).toBe('IN_PROGRESS')
    expect((await harness.request(11, { filter: '  ' })).jobExecutionStatus).toBe('SUCCESSFUL')
  })
  it('given a filter that the engine refuses, then the job fails with the reason', async () => {
    const error = new AssayError('invalid', 'filter: there is no column nothing')
    harness.engine.next = { kind: 'fail', error }
    const { requestId } = await harness.request(11, { filter: 'nothing > 1' })
    expect(await harness.ended(requestId)).toMatchObject({
      jobExecutionStatus: 'FAILED',
      errorMsg: 'filter: there is no column nothing',
    })
  })
  it('given a filter that fails at a value, then neither a key without permission nor a public event shows the value', async () => {
    const error = new AssayError('invalid', "filter: Conversion Error: Could not convert string 'row 1' to INT32")
    harness.engine.next = { kind: 'fail', error }
    const { requestId } = await harness.request(11, { filter: 'note::INT > 1' })
    expect((await harness.ended(requestId)).errorMsg).toContain('row 1')
    const viewer = { permissions: ['ASSET_VIEW' as const] }
    expect((await harness.result(requestId, viewer)).errorMsg).toContain('row 1')
    await harness.tag({ kind: 'tag', revision: 0, tagId: 5, name: 't', protected: true, mergedIntoId: null })
    const association = { revision: 0, associationId: 13, tagId: 5, assetId: 13, tableId: 11, present: true }
    await harness.tag({ kind: 'association', ...association })
    expect((await harness.result(requestId, viewer)).errorMsg).toMatch(
      /^filter: Conversion Error\. The details are hidden/,
    )
    const published = () => harness.bus.published.filter(({ topic }) => topic === 'assay.sampling.jobs')
    await vi.waitFor(() => expect(published()).toHaveLength(2))
    expect(JSON.stringify(published())).not.toContain('row 1')
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenCrm, openCrm } from '../testing/crm.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

describe('routes of older clients', () => {
  it('given the name of an assembly, then its last crawl can be read, and another started', async () => {
    const params = { assemblyName: 'crm' }
    expect(await crm.ask('getCrawlerStatus', { params })).toEqual({
      data: { assemblyName: 'crm', status: 'COMPLETED' },
    })
    crm.engine.finds = ['wait']
    expect(await crm.ask('startCrawler', { params })).toEqual({ data: { assemblyName: 'crm', isSuccess: true } })
    expect(await crm.ask('startCrawler', { params })).toEqual({ data: { assemblyName: 'crm', isSuccess: false } })
    expect(await crm.ask('getCrawlerStatus', { params })).toEqual({ data: { assemblyName: 'crm', status: 'RUNNING' } })
    await expect(crm.ask('startCrawler', { params: { assemblyName: 'none' } })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
  it('given requests for connection types, data planes and properties, then answers have the form that older clients expect', async () => {
    expect((await crm.ask('listConnectionTypes')).data[0]).toEqual({ id: expect.any(Number), type: expect.any(String) })
    expect((await crm.ask('getAnalyticsPipeline', { params: { identifier: '1' } })).pipeline.name).toBe('default')
    await expect(crm.ask('getAnalyticsPipeline', { params: { identifier: 'x' } })).rejects.toMatchObject({
      code: 'not-found',
    })
    const read = (query: { [name: string]: string }) => crm.ask('getAssembly', { params: { identifier: 'crm' }, query })
    expect((await read({ properties: 'True' })).data.assemblyProperties).toEqual({ path: '/data' })
    expect((await read({ properties: 'false' })).data.assemblyProperties).toBeNull()
    await expect(crm.ask('listAssemblies', { query: { sourceType: 'PAPER' } })).rejects.toThrow(/^sourceType: /)
  })
})

import { describe, expect, it } from 'vitest'
import { createPathGuard, isWithin, parseAllowedFolder, pathAccessOf } from './path-access.ts'

/** Real paths, by path. */
const realPaths: Readonly<Record<string, string>> = {
  '/': '/',
  '/sources': '/sources',
  '/sources/a.csv': '/sources/a.csv',
  '/sources/link': '/etc',
  '/sources/home[1]': '/sources/home[1]',
  '/sources/home[1]/log.db': '/sources/home[1]/log.db',
  '/sources/to-own': '/sources/home[1]/log.db',
  '/sources/hard-link.db': '/sources/hard-link.db',
  '/etc': '/etc',
  '/etc/passwd': '/etc/passwd',
  '/alias': '/sources',
}
const resolvePath = async (path: string) => {
  const found = realPaths[path.length > 1 ? path.replace(/\/$/, '') : path]
  if (found === undefined) throw new Error('ENOENT')
  return found
}
const links = {
  resolvePath,
  createHardLinks: (folders: readonly string[]) => async (real: string) =>
    folders.includes('/sources/home[1]') && real === '/sources/hard-link.db',
}
const outside = 'lies outside of the folders that sources may be read from'
const own = "lies in Assay's own data folder, which is not a source"

describe('createPathGuard', () => {
  it.each([
    ['/sources', null],
    ['/sources/a.csv', null],
    ['/sources/*.csv', null],
    ['/sources/not-there.csv', null],
    ['/alias', null],
    ['/sourcesness', outside],
    ['/etc/passwd', outside],
    ['/etc/not-there', outside],
    ['/not/there', outside],
    ['/sources/link', outside],
    ['/sources/link/not-there', outside],
    ['/so*/x', outside],
    ['/sources/home[1]', own],
    ['/sources/home[1]/log.db', own],
    ['/sources/home[1]/not-there', own],
    ['/sources/to-own', own],
    ['/sources/hard-link.db', own],
    ['/sources/a[b]/../../etc', "must not contain '..'"],
  ])('given %s, then %s', async (path, refusal) => {
    const guard = await createPathGuard({ allowed: ['/sources'], denied: ['/sources/home[1]'] }, links)
    expect(await guard.refusal(path)).toBe(refusal)
  })

  it('given no list, then everything except own folders may be read', async () => {
    const guard = await createPathGuard({ allowed: null, denied: ['/sources/home[1]'] }, links)
    expect([await guard.refusal('/etc/passwd'), await guard.refusal('/sources/to-own')]).toEqual([null, own])
    expect([guard.isOwn('/sources/home[1]/x'), guard.isOwn('/sources')]).toEqual([true, false])
  })
})

describe('the path access of tenants', () => {
  const own = ['/data']
  const listed = ['/sources', 'sales=/sales', '*=/shared'].flatMap((text) => parseAllowedFolder(text) ?? [])

  it('given a list, then each tenant may read its folders, and an entry without a tenant is for default', () => {
    const access = pathAccessOf({ listed, isEmbedded: true, own })
    expect(access('default')).toEqual({ allowed: ['/sources', '/shared'], denied: own })
    expect(access('sales')).toEqual({ allowed: ['/sales', '/shared'], denied: own })
    expect(access('others').allowed).toEqual(['/shared'])
    expect(access('').allowed).toEqual(['/shared'])
  })

  it('given no list, then only default in the embedded form may read everything', () => {
    const embedded = pathAccessOf({ listed: undefined, isEmbedded: true, own })
    const distributed = pathAccessOf({ listed: undefined, isEmbedded: false, own })
    const allowed = [embedded('default'), embedded('sales'), embedded(''), distributed('default')]
    expect(allowed.map((access) => access.allowed)).toEqual([null, [], [], []])
  })

  it.each(['', 'Sales=/x', 'a b=/x'])('given the entry %j, then it is invalid', (text) => {
    expect(parseAllowedFolder(text)).toBeUndefined()
  })

  it.each(['/year=2026/x', './a=b'])('given the folder %s, then the text before = is not a tenant', (folder) => {
    expect(parseAllowedFolder(folder)).toEqual({ tenant: 'default', folder })
  })

  it.each([
    ['/data', '/data', true],
    ['/data', '/data/x', true],
    ['/data', '/database', false],
    ['/', '/anything', true],
    ['/data/x', '/data', false],
  ])('within %s lies %s: %s', (folder, path, expected) => {
    expect(isWithin(folder, path)).toBe(expected)
  })
})

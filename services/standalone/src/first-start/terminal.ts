import type { Narrator } from './crawl-sources.ts'

/** Writes lines. On a terminal the next line overwrites a progress line; elsewhere progress is not written. */
export function terminalNarrator(output: NodeJS.WriteStream): Narrator {
  let open = false
  const clear = () => {
    if (open) output.write('\r\u001b[2K')
    open = false
  }
  return {
    say(line) {
      clear()
      output.write(`${line}\n`)
    },
    progress(line) {
      if (!output.isTTY) return
      clear()
      output.write(line)
      open = true
    },
  }
}

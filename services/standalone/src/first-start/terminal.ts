import type { Narrator } from './crawl-sources.ts'

/** Writes lines; on a terminal the next line overwrites a progress line, elsewhere it is left out. */
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

import { chmod, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes directory entries survive a power failure. */
export const syncFolder = sync

/**
 * Makes a folder with its content survive a power failure, and makes it readable only by its owner: 0600 for files,
 * 0700 for folders. Throws `invalid` if it contains anything but files and folders, such as a link.
 */
export async function syncTree(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await syncTree(path)
    else if (entry.isFile()) {
      await chmod(path, 0o600)
      await sync(path)
    } else throw new AssayError('invalid', 'A result folder can hold files and folders only.')
  }
  await sync(folder)
}

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { flushDirectory } from '../../shared/runtime/file-system.ts';

/**
 * Writes a file next to `path`, and renames it to the name that `write` returns after everything is on the disk. A
 * failure leaves nothing under that name and no existing file changed. Only this user can read the file.
 */
export async function writeWhole(
  path: string,
  write: (file: FileHandle) => Promise<string>,
): Promise<string> {
  const unfinished = `${path}.${randomUUID().slice(0, 8)}.unfinished`;
  using _ = removeWhenStopped(unfinished);
  try {
    await using file = await open(unfinished, 'wx', 0o600);
    const name = await write(file);
    await file.sync();
    await rename(unfinished, name);
    await flushDirectory(dirname(resolve(name)));
    return name;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Deletes the file on a signal that ends this process, because no `finally` runs then. */
function removeWhenStopped(path: string): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (_: NodeJS.Signals, number: number) => {
    rmSync(path, { force: true });
    process.exit(128 + number);
  };
  for (const signal of signals) process.once(signal, stop);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

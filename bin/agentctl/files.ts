/** Writes documents that arrive in pieces to stdout, or to a file that is either complete or absent. */
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Cli } from './command.ts';
import { fileTrouble } from './failure.ts';
import { countedBytes, progressOf } from './progress.ts';

/** File mode of documents. Bundles and reports describe people's work, so by default only their owner may read them. */
const privateMode = 0o600;

/**
 * Function that returns the document. It is called only once the target is ready, so that a file that cannot be written
 * does not cost a request.
 */
type Source = () => Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>;

/** Writes a document to the file; `-`, the default, is stdout. */
export async function deliver(cli: Cli, source: Source, file = '-'): Promise<void> {
  if (file !== '-') {
    const size = await saveWhole(file, source);
    cli.out.note(`wrote ${size} bytes to ${file}`);
  } else if (process.stdout.isTTY) {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of await source()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) cli.out.text(`${lines.join('\n')}\n`);
    }
    if (rest !== '') cli.out.text(rest);
  } else {
    for await (const chunk of countedBytes(await source(), progressOf('bytes'))) await cli.out.bytes(chunk);
  }
}

/** Writes a temporary file and renames it at the end, so that a partial file never has the final name. */
export async function saveWhole(file: string, source: Source): Promise<number> {
  const target = await targetOf(file);
  const partial = target.replace
    ? join(dirname(target.path), `.${basename(target.path)}.${process.pid}.part`)
    : target.path;
  const handle = await open(partial, target.replace ? 'wx' : 'w', privateMode).catch((cause) => {
    throw fileTrouble('write', file, cause);
  });
  let size = 0;
  try {
    for await (const chunk of countedBytes(await source(), progressOf('bytes'))) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
    if (target.replace) {
      await handle.sync();
      await rename(partial, target.path);
    }
  } catch (cause) {
    if (target.replace) await rm(partial, { force: true });
    throw cause instanceof Error && 'syscall' in cause ? fileTrouble('write', file, cause) : cause;
  } finally {
    await handle.close();
  }
  return size;
}

/** Resolves the target: follows a link, and writes to a device or pipe (/dev/null) without replacing it. */
async function targetOf(file: string): Promise<{ path: string; replace: boolean }> {
  const path = await realpath(file).catch(() => file);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw fileTrouble('write', file, { code: 'EISDIR' });
  return { path, replace: found === undefined || found.isFile() };
}

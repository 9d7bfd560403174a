/** Uploads the modules that a configuration names by path, before the configuration itself is stored [wasm.abi]. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { sha256 } from '#core/kernel/canonical.ts';
import { fields, list } from '#core/kernel/json-fields.ts';
import type { Cli } from './command.ts';
import { exitCodes, Failure, fileTrouble } from './failure.ts';

/**
 * Uploads the modules.
 * @returns the configuration, unchanged if it already contains every module's digest, otherwise with the digests added.
 * @throws Failure for a module that cannot be read, or whose digest differs from the pinned one.
 */
export async function withModules(cli: Cli, content: Buffer<ArrayBuffer>): Promise<Buffer<ArrayBuffer>> {
  const document = parseDocument(content.toString('utf8'), { version: '1.2' });
  // The gateway reports the error with its line.
  if (document.errors.length > 0 || !isMap(document.contents)) return content;
  let added = false;
  const policies = fields(fields(document.toJS({ maxAliasCount: 100 })).policies);
  for (const phase of ['input', 'output'] as const)
    for (const [at, each] of list(policies[phase]).entries()) {
      const filter = fields(each);
      if (filter.type !== 'wasm' || typeof filter.path !== 'string') continue;
      const digest = await uploadModule(cli, filter);
      if (digest === undefined || filter.sha256 !== undefined) continue;
      document.setIn(['policies', phase, at, 'sha256'], digest);
      added = true;
    }
  return added ? Buffer.from(document.toString({ lineWidth: 0 })) : content;
}

/** Uploads a module and returns its digest. A pinned module that has no local file may already be stored. */
async function uploadModule(
  cli: Cli,
  { name, path, sha256: pinned }: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const file = resolve(String(path));
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' && pinned !== undefined) return undefined;
    throw fileTrouble('read', file, cause);
  });
  if (bytes === undefined) return undefined;
  const digest = sha256(bytes);
  if (pinned !== undefined && pinned !== digest)
    throw new Failure(
      exitCodes.negative,
      `${file} has the digest ${digest}, but the filter ${name} pins ${pinned}: use the reviewed file, or change sha256`,
    );
  const body = { name: String(name ?? 'module').slice(0, 64), wasm: bytes.toString('base64') };
  await cli.api().call('putModule', { path: { sha256: digest }, body });
  cli.out.note(`uploaded ${path}, sha256 ${digest}`);
  return digest;
}

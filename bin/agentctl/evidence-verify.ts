/** `evidence verify`: verifies a session's chain online, or an exported bundle with only a public key. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Verification } from '#core/contracts/evidence.ts';
import type { LastCheckpoint } from '#core/evidence/ports.ts';
import type { EntryLine, FindCheckpoint } from '#core/evidence/verify.ts';
import { type Fields, fields, list } from '#core/kernel/json-fields.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { fileTrouble, UsageError } from './failure.ts';
import { type LogOptions, logTrust } from './log-trust.ts';
import { type Output, paint } from './output.ts';
import { countedBytes, progressOf } from './progress.ts';

interface VerifyOptions {
  readonly session?: string;
  readonly file?: string;
  readonly publicKey?: string;
  readonly checkpoints?: string;
  readonly logKey?: readonly string[];
  readonly witnessKey?: readonly string[];
  readonly witnessState?: string;
  readonly holds?: readonly string[];
}

export function addEvidenceVerify(parent: Parent): void {
  addCommand<VerifyOptions>(parent, {
    usage: 'verify',
    summary: "Verify a session's chain; exit code 0 only when it is valid",
    examples: [
      'evidence verify --session s-1',
      'evidence verify --session s-1 --public-key gateway.pem',
      'evidence verify --file s-1.json --public-key gateway.pem   # offline',
      'evidence verify --file s-1.json --public-key gateway.pem --checkpoints checkpoints.jsonl',
      'evidence verify --file s-1.json --public-key gateway.pem --holds <hash>   # evidence_hash of an answer',
      'evidence verify --file s-1.json --public-key gateway.pem --log-key log.vkey --witness-key auditor.vkey',
    ],
    options: (command) =>
      command
        .option('--session <id>', 'session of the running gateway')
        .option('--file <bundle>', 'exported bundle, verified without a server')
        .option('--public-key <pem>', 'the key that you trust; without it the origin of a file is not checked')
        .option('--checkpoints <file>', 'compare a bundle with this checkpoint file instead of the one it carries')
        .option(
          '--log-key <key...>',
          'verifier keys of the transparency log, or files with them; one of them must have signed the log that contains the bundle',
        )
        .option(
          '--witness-key <key...>',
          'verifier keys of witnesses, or files with them; each witness must have cosigned that log',
        )
        .option('--witness-state <folder>', 'folder of your own agentctl witness, to show when it saw the log')
        .option('--holds <hash...>', 'evidence_hash of answers that you kept; the bundle must contain their entries'),
    // The options include the global ones.
    run: (cli, { session, file, publicKey, checkpoints, logKey, witnessKey, witnessState, holds = [] }) => {
      const odd = holds.find((hash) => !/^[0-9a-f]{64}$/.test(hash));
      if (odd !== undefined) throw new UsageError(`--holds is ${JSON.stringify(odd)}; it must be 64 hex digits`);
      const log: LogOptions = {
        ...(logKey !== undefined && { logKey }),
        ...(witnessKey !== undefined && { witnessKey }),
        ...(witnessState !== undefined && { witnessState }),
      };
      if (file !== undefined && session === undefined)
        return verifyFile(cli, { file, publicKey, checkpoints, log, holds });
      if (Object.keys(log).length > 0)
        throw new UsageError('--log-key, --witness-key and --witness-state go with --file <bundle>');
      if (holds.length > 0) throw new UsageError('--holds goes with --file <bundle>');
      if (checkpoints !== undefined) throw new UsageError('--checkpoints goes with --file <bundle> and --public-key');
      if (session !== undefined && file === undefined) return verifySession(cli, session, publicKey);
      throw new UsageError('give either --session <id> or --file <bundle>');
    },
  });
}

interface VerifyRequest {
  readonly file: string;
  readonly publicKey: string | undefined;
  readonly checkpoints: string | undefined;
  readonly log: LogOptions;
  /** Hashes of entries that the bundle must contain [cli.evidence.verify]. */
  readonly holds: readonly string[];
}

async function verifyFile(cli: Cli, { file, publicKey, checkpoints, log, holds }: VerifyRequest): Promise<Outcome> {
  const key = await readKey(publicKey);
  if (checkpoints !== undefined && key === undefined)
    throw new UsageError('--checkpoints needs --public-key: the key that signs the file');
  const elsewhere = checkpoints !== undefined ? await checkpointsIn(checkpoints, key!) : undefined;
  const { json } = cli.globals;
  const missing = new Set(holds);
  const { verifyStreamedBundle } = await import('#core/evidence/verify-streamed.ts');
  const { isUnanchored } = await import('#core/evidence/verify.ts');
  const verdict = await verifyStreamedBundle(() => fileBytes(file, !json), {
    trustedPublicKey: key,
    onEntry: (line) => {
      if (line.ok) missing.delete(line.hash);
      if (!json) showEntry(cli.out, { ...line });
    },
    elsewhere,
    log: await logTrust(log),
  });
  const verification: VerifiedBundle = { ...verdict, unanchored: isUnanchored(verdict) };
  const { unanchored: _, ...said } = verification;
  if (json) cli.out.pretty({ ...said, ...(holds.length > 0 && { missing: [...missing] }) });
  else showVerification(cli.out, said);
  if (!json && said.valid && !said.log) cli.out.note('The bundle carries no proof of a transparency log.');
  if (!json && said.log && log.logKey === undefined)
    cli.out.note('The signature of the transparency log was not checked: give its key as --log-key.');
  for (const hash of missing)
    cli.out.note(`No entry has the hash ${hash}: the entry was removed, or it is in another session.`);
  return verification.valid && !verification.unanchored && missing.size === 0 ? 'positive' : 'negative';
}

/**
 * Reads a file and shows progress, except on a terminal that lists entries, because the list itself shows progress.
 * @throws UsageError for a file that cannot be read.
 */
async function* fileBytes(file: string, listed: boolean): AsyncGenerator<Uint8Array> {
  try {
    const { size: total } = await stat(file);
    const chunks = createReadStream(file, { highWaterMark: 1 << 20 });
    if (listed && process.stdout.isTTY) yield* chunks;
    else yield* countedBytes(chunks, progressOf('bytes', { total }));
  } catch (cause) {
    throw fileTrouble('read', file, cause);
  }
}

/** Reads the checkpoints of the bundle's session, up to the end of the bundle. */
async function checkpointsIn(file: string, key: string): Promise<FindCheckpoint> {
  const { readCheckpoints } = await import('#adapters/local/checkpoint-lines.ts');
  const found: LastCheckpoint[] = [];
  const { damage, torn } = await readCheckpoints(file, [key], ({ checkpoint, points }) => {
    const { created_at, signature } = checkpoint;
    for (const point of points) found.push({ point, created_at, key_id: signature.key_id });
  }).catch((cause) => {
    throw fileTrouble('read', file, cause);
  });
  const defect = damage ?? (torn ? 'the checkpoint file ends in the middle of a line' : undefined);
  return ({ tenant, session_id, total_entries = 0 }) => {
    const checkpoint = found.findLast(
      ({ point }) => point.tenant === tenant && point.session_id === session_id && point.index < total_entries,
    );
    const unsaid = checkpoint ? [] : ['checkpoints not checked: the file has none for this session'];
    return {
      ...(checkpoint && { checkpoint }),
      notChecked: defect === undefined ? unsaid : [`checkpoints not checked: ${defect}`],
    };
  };
}

/** Shows the gateway's verdict and entries. If a trusted key is given, also verifies the chain locally. */
async function verifySession(cli: Cli, session: string, publicKey: string | undefined): Promise<Outcome> {
  const { out, globals } = cli;
  const key = await readKey(publicKey);
  const path = { id: session };
  const query = { entries: globals.json ? undefined : 'true' };
  const answer = await cli.api().call('verifySession', { path, query });
  const claimed = fields(answer.json);
  if (globals.json) out.json(answer.text);
  const listed = Array.isArray(claimed.entries);
  if (listed && !globals.json) for (const entry of list(claimed.entries)) showEntry(out, entry);

  let own: VerifiedBundle | undefined;
  if (key !== undefined || !(listed || globals.json)) {
    const bundle = Buffer.from(await cli.api().text('exportSession', { path }));
    own = await verifyBytes(bundle, key, listed || globals.json ? undefined : (line) => showEntry(out, { ...line }));
  }
  const holds = own === undefined || (own.valid && (key === undefined || !own.unanchored));
  const valid = claimed.valid === true && holds;
  if (!globals.json) showVerification(out, own && !own.valid ? { ...own } : { ...claimed, valid });
  else if (!holds) out.note(`the exported bundle is not valid: ${own?.broken_link?.reason ?? 'origin not checked'}`);
  return valid ? 'positive' : 'negative';
}

/** A verdict, and whether it relies only on data in the bundle. */
type VerifiedBundle = Verification & { readonly unanchored: boolean };

/** Loads the verifier on demand, so that other commands start without its schemas. */
async function verifyBytes(
  bundle: Uint8Array,
  key: string | undefined,
  onEntry: ((line: EntryLine) => void) | undefined,
): Promise<VerifiedBundle> {
  const { isUnanchored, verifyBundle } = await import('#core/evidence/verify.ts');
  const verification = await verifyBundle(bundle, key, onEntry);
  return { ...verification, unanchored: isUnanchored(verification) };
}

async function readKey(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const pem = await readFile(file, 'utf8').catch((cause) => {
    throw fileTrouble('read', file, cause);
  });
  if (!pem.includes('-----BEGIN PUBLIC KEY-----'))
    throw new UsageError(
      `${file} contains no public key in PEM form (-----BEGIN PUBLIC KEY-----); agentctl evidence public-key prints it`,
    );
  return pem;
}

/** Number of columns needed to show an entry with its full id and digest. */
const wholeEntry = 156;

/** Prints one line for an entry; on a narrower terminal, ids and digests are shortened [cli.output-forms]. */
function showEntry(out: Output, { index, timestamp, kind, envelope_id, hash, ok, reason }: Fields): void {
  const narrow = out.width !== undefined && out.width < wholeEntry;
  const short = (value: unknown, length: number) =>
    narrow && typeof value === 'string' ? `${value.slice(0, length)}…` : value;
  const at = out.width === undefined ? `#${index}` : `#${index}`.padEnd(5);
  const ids = [short(envelope_id, 14), short(hash, 8)];
  const head = [at, timestamp, String(kind ?? '').padEnd(7), ...ids].filter(Boolean).join('  ');
  const verdict = ok === false ? paint('red', `broken${reason ? `: ${reason}` : ''}`) : paint('green', 'ok');
  out.line(`${head}  `, verdict);
}

/** Prints the three most important lines, then problems and omitted checks. */
function showVerification(out: Output, result: Fields): void {
  const { index, reason } = fields(result.broken_link);
  const valid = result.valid === true;
  out.line('valid: ', paint(valid ? 'green' : 'red', String(valid)));
  out.field('total_entries', result.total_entries);
  out.field('session_manifest_hash', result.session_manifest_hash);
  if (result.broken_link !== undefined) out.line(`broken_link: entry ${index}: ${reason}`);
  const { index: fixed, created_at, key_id } = fields(result.checkpoint);
  if (result.checkpoint !== undefined)
    out.line(`checkpoint: covers entries 0 to ${fixed}, signed ${created_at}, key ${key_id}`);
  const log = fields(result.log);
  if (result.log !== undefined) {
    out.line(
      `log: entries 0 to ${log.index} are leaf ${log.position} of ${log.size} in ${log.origin}, logged ${log.at}`,
    );
    for (const { witness, at, size } of list(log.witnesses))
      out.line(`witness: ${witness} saw ${size} leaves at ${at}`);
  }
  if (result.passkey_votes !== undefined) out.line(`passkeys: ${result.passkey_votes} votes are signed with one`);
  if (result.archived_entries !== undefined) out.line(`archive: ${result.archived_entries} archived copies match`);
  if (result.expired_entries !== undefined)
    out.line(
      `expired: ${result.expired_entries} entries are no longer in the table; their archived copies were verified`,
    );
  for (const item of Array.isArray(result.not_checked) ? result.not_checked : [])
    out.line(paint('yellow', String(item)));
}

/** `evidence verify`: a session's chain online, or an exported bundle with nothing but a public key (contract §4). */
import { readFile } from 'node:fs/promises';
import type { Verification } from '#core/contracts/evidence.ts';
import type { EntryLine } from '#core/evidence/verify.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { fileTrouble, UsageError } from './failure.ts';
import { type Fields, fields, list } from './json-fields.ts';
import { type Output, painted } from './output.ts';
import { routeOf } from './route-path.ts';

interface VerifyOptions {
  readonly session?: string;
  readonly file?: string;
  readonly publicKey?: string;
}

export function addEvidenceVerify(parent: Parent): void {
  addCommand<VerifyOptions>(parent, {
    usage: 'verify',
    summary: "Verify a session's chain; exit code 0 only when it is valid",
    examples: [
      'evidence verify --session s-1',
      'evidence verify --session s-1 --public-key gateway.pem',
      'evidence verify --file s-1.json --public-key gateway.pem   # offline',
    ],
    options: (command) =>
      command
        .option('--session <id>', 'session of the running gateway')
        .option('--file <bundle>', 'exported bundle; needs no server')
        .option('--public-key <pem>', 'the key you trust; without it a file’s origin is not checked'),
    run: (cli, { session, file, publicKey }) => {
      if (file !== undefined && session === undefined) return verifyFile(cli, file, publicKey);
      if (session !== undefined && file === undefined) return verifySession(cli, session, publicKey);
      throw new UsageError('give either --session <id> or --file <bundle>');
    },
  });
}

async function verifyFile(cli: Cli, file: string, publicKey: string | undefined): Promise<Outcome> {
  const key = await readKey(publicKey);
  const bundle = await readFile(file).catch((cause) => {
    throw fileTrouble('read', file, cause);
  });
  const { json } = cli.globals;
  const verification = await verifyBytes(bundle, key, json ? undefined : (line) => showEntry(cli.out, { ...line }));
  if (json) cli.out.pretty(verification);
  else showVerification(cli.out, { ...verification });
  return verification.valid && verification.not_checked.length === 0 ? 'positive' : 'negative';
}

/** The gateway's word, its entries, and with a trusted key our own look at the same chain. */
async function verifySession(cli: Cli, session: string, publicKey: string | undefined): Promise<Outcome> {
  const { out, globals } = cli;
  const key = await readKey(publicKey);
  const path = { id: session };
  // A gateway refuses query words its table does not name; the entries then come with the export.
  const lists = !globals.json && routeOf('verifySession').query?.includes('entries');
  const answer = await cli.api().call('verifySession', { path, query: { entries: lists ? 'true' : undefined } });
  const claimed = fields(answer.json);
  if (globals.json) out.json(answer.text);
  const listed = Array.isArray(claimed.entries);
  if (listed && !globals.json) for (const entry of list(claimed.entries)) showEntry(out, entry);

  let own: Verification | undefined;
  if (key !== undefined || !(listed || globals.json)) {
    const bundle = Buffer.from(await cli.api().text('exportSession', { path }));
    own = await verifyBytes(bundle, key, listed || globals.json ? undefined : (line) => showEntry(out, { ...line }));
  }
  const holds = own === undefined || (own.valid && (key === undefined || own.not_checked.length === 0));
  const valid = claimed.valid === true && holds;
  if (!globals.json) showVerification(out, own && !own.valid ? { ...own } : { ...claimed, valid });
  else if (!holds) out.note(`the exported bundle does not hold: ${own?.broken_link?.reason ?? 'origin not checked'}`);
  return valid ? 'positive' : 'negative';
}

/** Loaded when needed: the other commands start without the schemas it brings. */
async function verifyBytes(
  bundle: Uint8Array,
  key: string | undefined,
  onEntry: ((line: EntryLine) => void) | undefined,
): Promise<Verification> {
  const { verifyBundle } = await import('#core/evidence/verify.ts');
  return verifyBundle(bundle, key, onEntry);
}

async function readKey(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const pem = await readFile(file, 'utf8').catch((cause) => {
    throw fileTrouble('read', file, cause);
  });
  if (!pem.includes('-----BEGIN PUBLIC KEY-----')) throw new UsageError(`${file} holds no public key in PEM form`);
  return pem;
}

function showEntry(out: Output, { index, timestamp, kind, envelope_id, hash, ok, reason }: Fields): void {
  const head = [`#${index}`, timestamp, String(kind ?? '').padEnd(7), envelope_id, hash].filter(Boolean).join('  ');
  const verdict = ok === false ? painted('red', `broken${reason ? `: ${reason}` : ''}`) : painted('green', 'ok');
  out.line(`${head}  `, verdict);
}

/** The three lines every reader looks for, then what is wrong or was not looked at. */
export function showVerification(out: Output, result: Fields): void {
  const { index, reason } = fields(result.broken_link);
  const valid = result.valid === true;
  out.line('valid: ', painted(valid ? 'green' : 'red', String(valid)));
  out.field('total_entries', result.total_entries);
  out.field('session_manifest_hash', result.session_manifest_hash);
  if (result.broken_link !== undefined) out.line(`broken_link: entry ${index}: ${reason}`);
  for (const item of Array.isArray(result.not_checked) ? result.not_checked : []) {
    out.line(painted('yellow', String(item)));
  }
}

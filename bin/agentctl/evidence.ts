/** `evidence`: sessions, export, report and public key. */
import { createPublicKey } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { keyIdOf } from '#core/configuration/supply-chain/keys.ts';
import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { addCommand, addGroup, type Parent } from './command.ts';
import { addEvidenceVerify } from './evidence-verify.ts';
import { exitCodes, Failure, UsageError } from './failure.ts';
import { deliver, saveWhole } from './files.ts';
import { addOperation } from './operation-command.ts';
import type { Output } from './output.ts';

interface SessionOptions {
  readonly session: string;
  readonly out?: string;
  readonly html?: boolean;
}
export function addEvidence(program: Parent): void {
  const parent = addGroup(
    program,
    'evidence',
    'Read and verify the evidence of sessions: list (sessions), export, verify, report',
  );
  addOperation(parent, 'listSessions');
  addCommand<SessionOptions>(parent, {
    usage: 'export',
    summary: "Export a session's bundle: manifest, entries, public key",
    examples: [
      'evidence export --session s-1 --out s-1.json',
      'evidence export --session s-1 | jq .manifest',
      'evidence export --session s-1 --html --out s-1.html',
    ],
    options: (command) =>
      command
        .requiredOption('--session <id>', 'session to export')
        .option('--html', 'one HTML file with the report, the bundle and a verifier that works offline')
        .option('--out <file>', 'file to write (default: stdout)'),
    run: async (cli, { session, html, out }) => {
      const bundle = async () => wholeJson(await cli.api().stream('exportSession', { path: { id: session } }));
      await deliver(cli, html ? async () => asHtml(await bundle()) : bundle, out);
      return 'positive';
    },
  });
  addEvidenceVerify(parent);
  addCommand<SessionOptions>(parent, {
    usage: 'report',
    summary: "Render a session's report as Markdown or HTML",
    examples: ['evidence report --session s-1', 'evidence report --session s-1 --html --out s-1.html'],
    options: (command) =>
      command
        .requiredOption('--session <id>', 'session to report on')
        .option('--html', 'HTML instead of Markdown')
        .option('--out <file>', 'file to write (default: stdout)'),
    run: async (cli, { session, html, out }) => {
      if (cli.globals.json)
        throw new UsageError('a report is Markdown or HTML; for JSON use `agentctl evidence export --session <id>`');
      const operation = html ? 'htmlReport' : 'markdownReport';
      await deliver(cli, () => cli.api().stream(operation, { path: { id: session } }), out);
      return 'positive';
    },
  });
  addPublicKey(parent);
  addOperation(parent, 'signingKeys', showKeys);
}

/** Renders the bundle as HTML using this program's verifier, not one sent by the gateway. */
async function asHtml(bundle: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Iterable<Uint8Array>> {
  const [{ loadFiles }, { singleFile }] = await Promise.all([
    import('../local/console.ts'),
    import('#core/evidence/single-file.ts'),
  ]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bundle) chunks.push(chunk);
  const files = await loadFiles(fileURLToPath(new URL('../../console', import.meta.url)));
  const pieces: Uint8Array[] = [];
  for await (const piece of singleFile(Buffer.concat(chunks).toString('utf8'), files['evidence.js'] ?? ''))
    pieces.push(Buffer.from(piece));
  return pieces;
}

function showKeys(out: Output, { keys, successions }: Fields): void {
  const linked = list(successions).map(({ previous, next, created_at }) => ({
    ids: [fields(previous).key_id, fields(next).key_id],
    created_at,
  }));
  const rows = list(keys).map(({ key_id, public_key }, at) => [
    key_id,
    at === 0 ? 'in use' : 'former',
    linked.find(({ ids }) => ids[1] === key_id)?.created_at ?? '',
    fingerprint(publicKeyPem(public_key)),
  ]);
  out.table(['key', 'state', 'follows another since', 'SHA-256'], rows);
}

function addPublicKey(parent: Parent): void {
  addCommand<SessionOptions>(parent, {
    usage: 'public-key',
    summary: 'Fetch the public key that signed a session, to pin it for offline verification',
    examples: ['evidence public-key --session s-1 --out gateway.pem'],
    options: (command) =>
      command
        .requiredOption('--session <id>', 'session whose export contains the key')
        .option('--out <file>', 'file to write (default: stdout)'),
    run: async (cli, { session, out = '-' }) => {
      const answer = await cli.api().call('exportSession', { path: { id: session } });
      const pem = publicKeyPem(fields(answer.json).public_key);
      if (cli.globals.json) cli.out.pretty({ public_key: pem, sha256: fingerprint(pem) });
      else if (out === '-') cli.out.text(pem);
      if (out !== '-') await saveWhole(out, async () => [Buffer.from(pem)]);
      cli.out.note(`SHA-256 of the key: ${fingerprint(pem)}`);
      cli.out.note(
        'A key from the server proves nothing about the server: compare it with a copy from another source, then pin it.',
      );
      return 'positive';
    },
  });
}

/** Returns the key as PEM, rebuilt from the parsed key so that nothing but a key is written. */
function publicKeyPem(given: unknown): string {
  try {
    return createPublicKey(text(given) ?? '')
      .export({ type: 'spki', format: 'pem' })
      .toString();
  } catch (cause) {
    throw new Failure(exitCodes.negative, 'the export carries no readable public key', { cause });
  }
}

const fingerprint = (pem: string): string => keyIdOf(createPublicKey(pem));

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');

/** Passes the bytes through. After the last one, throws if the document is incomplete. */
async function* wholeJson(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let depth = 0;
  let begun = false;
  let inText = false;
  let escaped = false;
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) inText = true;
      else if (byte === openBrace || byte === openBracket) {
        depth++;
        begun = true;
      } else if (byte === closeBrace || byte === closeBracket) depth--;
    }
    yield chunk;
  }
  if (begun && depth === 0 && !inText) return;
  throw new Failure(exitCodes.unreachable, 'the export broke off before its end: do not rely on any part of it');
}

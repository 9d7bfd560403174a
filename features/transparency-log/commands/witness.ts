/**
 * `witness`: reads a gateway's log, and cosigns checkpoints that extend the previous ones. It needs only a key with
 * read access; run it where the gateway's operators have no rights.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addCommand, type Cli, type FeatureCommand, type Outcome, type Parent } from '#agentctl/command.ts';
import { exitCodes, Failure, fileTrouble, UsageError } from '#agentctl/failure.ts';
import { wholeNumber } from '#agentctl/globals.ts';
import { keyOf } from '#agentctl/log-trust.ts';
import type { WitnessState } from '#agentctl/witness-state.ts';
import { type OpenCheckpoint, openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import type { NoteKey, NoteSigner } from '#core/evidence/transparency/note.ts';
import { fields, text } from '#core/kernel/json-fields.ts';

interface WitnessOptions {
  readonly name: string;
  readonly folder: string;
  readonly logKey?: readonly string[];
  readonly every?: number;
  readonly showKey?: boolean;
  readonly publish?: boolean;
}

export const commands: readonly FeatureCommand[] = [{ after: 'evidence', add: addWitness }];

function addWitness(parent: Parent): void {
  addCommand<WitnessOptions>(parent, {
    usage: 'witness',
    summary: "Cosign checkpoints of a gateway's transparency log that continue the earlier ones",
    examples: [
      'witness --name auditor --folder ./auditor --show-key',
      'witness --name auditor --folder ./auditor --log-key log.vkey',
      'witness --name auditor --folder ./auditor --log-key log.vkey --every 60 --publish',
    ],
    options: (command) =>
      command
        .requiredOption('--name <name>', 'name of the witness, in its key and its cosignatures')
        .requiredOption('--folder <folder>', 'folder for its private key and the checkpoints that it saw')
        .option('--log-key <key...>', 'verifier keys of the log to watch, newest first, or files with them')
        .option('--every <seconds>', 'seconds between two checks (default: check once)', wholeNumber)
        .option('--publish', 'send cosignatures to the gateway, which adds them to its bundles')
        .option('--show-key', 'print the verifier key of the witness and end'),
    run: (cli, options) => witness(cli, options),
  });
}

async function witness(cli: Cli, options: WitnessOptions): Promise<Outcome> {
  const signer = await witnessSigner(options);
  if (options.showKey) {
    const { verifierKey } = await import('#core/evidence/transparency/note.ts');
    cli.out.line(verifierKey(signer));
    return 'positive';
  }
  const { logKey = [] } = options;
  if (logKey.length === 0) throw new UsageError('give --log-key: a witness watches only a log whose keys it trusts');
  const log = await logKeysOf(logKey);
  for (;;) {
    const outcome = await witnessOnce(cli, options, signer, log).catch((failure: unknown) =>
      unreachable(cli, options, failure),
    );
    if (outcome === 'negative' || !options.every) return outcome;
    cli.out.flush();
    await pause(options.every * 1000);
  }
}

/** Parses the log keys. @throws UsageError if the keys belong to several logs. */
async function logKeysOf(texts: readonly string[]): Promise<readonly NoteKey[]> {
  const { logKey } = await import('#core/evidence/transparency/witness-keys.ts');
  const keys = await Promise.all(texts.map((text) => keyOf(text, '--log-key', logKey)));
  const other = keys.find(({ name }) => name !== keys[0]!.name);
  if (other)
    throw new UsageError(
      `--log-key: ${keys[0]!.name} and ${other.name} are two logs; watch each with a --folder of its own`,
    );
  return keys;
}

/** Handles an unreachable gateway: retries at the interval, or fails if no interval is set. */
function unreachable(cli: Cli, { every }: WitnessOptions, failure: unknown): Outcome {
  if (!every || !(failure instanceof Failure) || failure.exitCode !== exitCodes.unreachable) throw failure;
  cli.out.note(`${failure.message}; the next check is in ${every} seconds`);
  return 'positive';
}

async function witnessSigner({ name, folder }: WitnessOptions): Promise<NoteSigner> {
  const { witnessKeyIn } = await import('../adapters/witness-folder.ts');
  const { noteKeyTypes, noteSigner } = await import('#core/evidence/transparency/note.ts');
  const key = await witnessKeyIn(folder);
  try {
    return noteSigner(name, key, noteKeyTypes.cosignature);
  } catch (cause) {
    throw new UsageError(`--name: ${(cause as Error).message}`, cause);
  }
}

/** Checks the log once. The new state is durable before the cosignature is published. */
async function witnessOnce(
  cli: Cli,
  options: WitnessOptions,
  signer: NoteSigner,
  log: readonly NoteKey[],
): Promise<Outcome> {
  const { continued } = await import('#core/evidence/transparency/continued.ts');
  const before = await keptState(options.folder, log);
  const note = text(fields((await cli.api().call('logCheckpoint')).json).checkpoint) ?? '';
  const claimed = openCheckpoint(note, log);
  const grown = typeof claimed !== 'string' && before && claimed.size > before.size;
  const head = continued(note, log, before, grown ? await consistency(cli, before.size, claimed.size) : []);
  if (typeof head === 'string') return saveRefused(cli, options, note, head);
  const state = await readOn(cli, before, head, log);
  if (typeof state === 'string') return saveRefused(cli, options, note, state);

  const { cosign } = await import('#core/evidence/transparency/checkpoint-note.ts');
  const { writeWitnessState } = await import('#agentctl/witness-state.ts');
  const seconds = Math.floor(Date.now() / 1000);
  const at = new Date(seconds * 1000).toISOString();
  const checkpoint = `${note}${cosign(head.text, seconds, signer)}\n`;
  // Of several checks at the same size, only the last is needed: the log had no additional leaf until then.
  const history = [...(before?.history ?? []).filter(({ size }) => size < head.size), { size: head.size, at }];
  await writeWitnessState(options.folder, { ...state, checkpoint, history });
  await publish(cli, options, checkpoint);
  if (cli.globals.json) cli.out.pretty({ cosigned: true, origin: head.origin, size: head.size, at, checkpoint });
  else cli.out.line(`cosigned: ${head.size} leaves of ${head.origin} at ${at}`);
  return 'positive';
}

/** Saves the refused checkpoint, which, together with the state of the witness, proves the log's misbehaviour. */
async function saveRefused(cli: Cli, { folder }: WitnessOptions, note: string, reason: string): Promise<Outcome> {
  const file = await publishCheckpoint(folder, 'refused', note);
  if (cli.globals.json) cli.out.pretty({ cosigned: false, reason, checkpoint: note });
  else cli.out.line(`refused: ${reason}`);
  cli.out.note(
    `The refused checkpoint is in ${file}. Keep it with the state of the witness: together they prove that the log was changed.`,
  );
  return 'negative';
}

async function keptState(folder: string, [log]: readonly NoteKey[]): Promise<WitnessState | undefined> {
  const { readWitnessState } = await import('#agentctl/witness-state.ts');
  const { readVerifierKey } = await import('#core/evidence/transparency/note.ts');
  let state: WitnessState;
  try {
    state = await readWitnessState(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(exitCodes.negative, `${folder} does not hold the state of a witness: restore it from a copy`, {
      cause,
    });
  }
  // The log's key may have been rotated; its name stays the same.
  if (readVerifierKey(state.log_key)?.name !== log?.name) {
    throw new UsageError(
      `${folder} is the state of a witness of ${state.log_key}: give another --folder for another log`,
    );
  }
  return state;
}

async function consistency(cli: Cli, from: number, to: number): Promise<Buffer[]> {
  const { proof } = fields((await cli.api().call('logConsistency', { query: { from, to } })).json);
  return (Array.isArray(proof) ? proof : []).map((hash) => Buffer.from(String(hash), 'base64'));
}

/**
 * Reads the leaves added since the last check. Returns the defect if a leaf is missing or a session moves backwards.
 */
async function readOn(
  cli: Cli,
  before: WitnessState | undefined,
  head: OpenCheckpoint,
  log: readonly NoteKey[],
): Promise<Omit<WitnessState, 'checkpoint' | 'history'> | string> {
  const { Frontier } = await import('#core/evidence/transparency/tree.ts');
  const { readLeaves } = await import('../read-leaves.ts');
  const { verifierKey } = await import('#core/evidence/transparency/note.ts');
  const tree = new Frontier(before?.size, before?.frontier);
  const sessions = new Map(before?.sessions);
  const leaves = await leavesBetween(cli, tree.size, head.size);
  const defect = typeof leaves === 'string' ? leaves : readLeaves(leaves, head, tree, sessions);
  if (defect !== undefined) return defect;
  return { log_key: verifierKey(log[0]!), size: head.size, root: head.root, frontier: [...tree.roots], sessions };
}

async function leavesBetween(cli: Cli, from: number, to: number) {
  const { readLeaf } = await import('#core/evidence/transparency/leaf.ts');
  const { leavesOfBundle, tileAt, tilePath, tileWidth } = await import('../tiles.ts');
  const leaves = [];
  for (let at = from; at < to; ) {
    const tile = tileAt('entries', Math.floor(at / tileWidth), to)!;
    const path = tilePath(tile);
    const { bytes } = fields((await cli.api().call('logTile', { query: { path } })).json);
    let read: Buffer[];
    try {
      read = leavesOfBundle(Buffer.from(text(bytes) ?? '', 'base64')).slice(at % tileWidth);
    } catch (cause) {
      return `${path} cannot be read: ${(cause as Error).message}`;
    }
    const parsed = read.map(readLeaf);
    if (parsed.length !== tile.width - (at % tileWidth) || parsed.some((leaf) => !leaf))
      return `${path} does not have ${tile.width} leaves of this log`;
    leaves.push(...parsed.map((leaf) => leaf!));
    at += parsed.length;
  }
  return leaves;
}

async function publish(cli: Cli, { folder, publish: handsIn }: WitnessOptions, checkpoint: string): Promise<void> {
  await publishCheckpoint(folder, 'checkpoint', checkpoint);
  if (handsIn) await cli.api().call('addCosignature', { body: { note: checkpoint } });
}

/** Writes a checkpoint that other users may read. @returns the path of its file. */
async function publishCheckpoint(folder: string, name: 'checkpoint' | 'refused', checkpoint: string): Promise<string> {
  const { writePublic } = await import('../adapters/witness-folder.ts');
  const file = join(folder, name);
  await writePublic(file, checkpoint).catch((cause) => {
    throw fileTrouble('write', file, cause);
  });
  return file;
}

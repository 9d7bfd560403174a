/** The state of a witness: each cosigned checkpoint with its time, and the newest leaf of each session. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeDurably } from '#adapters/local/durable-file.ts';
import type { KnownSessions } from '#core/evidence/transparency/session-proof.ts';

const hash = z.base64();
const stateSchema = z.strictObject({
  version: z.literal(1),
  log_key: z.string(),
  size: z.int().nonnegative(),
  root: hash,
  /** Frontier of the log over the leaves read so far. */
  frontier: z.array(hash),
  /** The newest cosigned checkpoint. */
  checkpoint: z.string(),
  history: z.array(z.strictObject({ size: z.int().nonnegative(), at: z.iso.datetime() })),
  sessions: z.record(z.string(), z.array(z.strictObject({ index: z.int().nonnegative(), hash: z.string() }))),
});

export interface WitnessState {
  readonly log_key: string;
  readonly size: number;
  readonly root: Buffer;
  readonly frontier: readonly Buffer[];
  readonly checkpoint: string;
  readonly history: readonly { readonly size: number; readonly at: string }[];
  readonly sessions: KnownSessions;
}

const fileOf = (folder: string): string => join(folder, 'state.json');

/** Reads the state. @throws the file system's error; Error if the file does not contain the state of a witness. */
export async function readWitnessState(folder: string): Promise<WitnessState> {
  const { version: _version, ...state } = stateSchema.parse(JSON.parse(await readFile(fileOf(folder), 'utf8')));
  return {
    ...state,
    root: Buffer.from(state.root, 'base64'),
    frontier: state.frontier.map((each) => Buffer.from(each, 'base64')),
    sessions: new Map(Object.entries(state.sessions)),
  };
}

/** Replaces the state. The new state is durable when this returns. */
export async function writeWitnessState(folder: string, state: WitnessState): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const document: z.infer<typeof stateSchema> = {
    ...state,
    version: 1,
    history: [...state.history],
    root: state.root.toString('base64'),
    frontier: state.frontier.map((each) => each.toString('base64')),
    sessions: Object.fromEntries([...state.sessions].map(([session, leaves]) => [session, [...leaves]])),
  };
  await writeDurably(fileOf(folder), `${JSON.stringify(document)}\n`);
}

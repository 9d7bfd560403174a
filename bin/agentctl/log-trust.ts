/** Reads the keys of logs and witnesses given on the command line, and the state of the user's own witness. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NoteKey } from '#core/evidence/transparency/note.ts';
import type { LogTrust } from '#core/evidence/transparency/session-proof.ts';
import { fileTrouble, UsageError } from './failure.ts';

export interface LogOptions {
  readonly logKey?: readonly string[];
  readonly witnessKey?: readonly string[];
  readonly witnessState?: string;
}

/** Reads the trusted keys. @throws UsageError for invalid keys and unreadable files. */
export async function logTrust({
  logKey: logs = [],
  witnessKey: witnesses = [],
  witnessState,
}: LogOptions): Promise<LogTrust> {
  const { logKey, witnessKey } = await import('#core/evidence/transparency/witness-keys.ts');
  const kept = witnessState === undefined ? {} : await readWitnessHistory(witnessState);
  return {
    ...(logs.length > 0 && { log: await Promise.all(logs.map((text) => keyOf(text, '--log-key', logKey))) }),
    witnesses: await Promise.all(witnesses.map((text) => keyOf(text, '--witness-key', witnessKey))),
    ...kept,
  };
}

/** Parses a verifier key, given directly or as a file name. */
export async function keyOf(text: string, option: string, read: (text: string) => NoteKey): Promise<NoteKey> {
  const named = /\+[0-9a-f]{8}\+/.test(text)
    ? text
    : await readFile(text, 'utf8').catch((cause) => {
        throw fileTrouble('read', text, cause);
      });
  try {
    return read(named);
  } catch (cause) {
    throw new UsageError(`${option}: ${(cause as Error).message}`, cause);
  }
}

/** Reads the newest leaf of each session and the history of log sizes. */
async function readWitnessHistory(folder: string): Promise<Pick<LogTrust, 'history' | 'sessions'>> {
  const { readWitnessState } = await import('./witness-state.ts');
  const { history, sessions } = await readWitnessState(join(folder)).catch((cause) => {
    throw fileTrouble('read', folder, cause);
  });
  return { history, sessions: (session) => sessions.get(session) };
}

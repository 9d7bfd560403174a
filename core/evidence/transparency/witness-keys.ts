/** Parses log and witness keys from a configuration file, a command line or a page. */
import { type NoteKey, noteKeyTypes, readVerifierKey } from './note.ts';
import type { LogTrust } from './session-proof.ts';

/** Parses a witness key. @throws TypeError if the text is not a witness key. */
export function witnessKey(text: string): NoteKey {
  const key = readVerifierKey(text);
  if (!key) throw new TypeError('it is not a verifier key: <name>+<eight hex digits>+<base64>');
  if (key.type !== noteKeyTypes.cosignature) throw new TypeError('it is a log key, not a witness key');
  return key;
}

/** Parses a log key. @throws TypeError if the text is not a log key. */
export function logKey(text: string): NoteKey {
  const key = readVerifierKey(text);
  if (!key) throw new TypeError('it is not a verifier key: <name>+<eight hex digits>+<base64>');
  if (key.type !== noteKeyTypes.ed25519) throw new TypeError('it is a witness key, not a log key');
  return key;
}

/**
 * Parses the keys of one log and its witnesses, separated by whitespace. The key type distinguishes the log from the
 * witnesses.
 * @throws TypeError naming the key.
 */
export function logTrustOf(lines: string): Pick<LogTrust, 'log' | 'witnesses'> {
  const keys = lines.split(/\s+/).filter((text) => text !== '');
  const read = keys.map((text, at) => {
    const key = readVerifierKey(text);
    if (!key) throw new TypeError(`key ${at + 1} is not a verifier key: <name>+<eight hex digits>+<base64>`);
    return key;
  });
  const logs = read.filter(({ type }) => type === noteKeyTypes.ed25519);
  if (logs.some(({ name }) => name !== logs[0]!.name))
    throw new TypeError('the keys name two logs, but a session is in only one log');
  return {
    ...(logs.length > 0 && { log: logs }),
    witnesses: read.filter(({ type }) => type === noteKeyTypes.cosignature),
  };
}

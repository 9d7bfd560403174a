/** The keys of logs and witnesses as texts of a configuration, a command line or a page. */
import { type NoteKey, noteKeyTypes, readVerifierKey } from './note.ts';
import type { LogTrust } from './session-proof.ts';

/** @throws TypeError for a text that is not the verifier key of a witness. */
export function witnessKey(text: string): NoteKey {
  const key = readVerifierKey(text);
  if (!key) throw new TypeError('it is not a verifier key: <name>+<eight hex digits>+<base64>');
  if (key.type !== noteKeyTypes.cosignature) throw new TypeError('it is the key of a log, not that of a witness');
  return key;
}

/** @throws TypeError for a text that is not the verifier key of a log. */
export function logKey(text: string): NoteKey {
  const key = readVerifierKey(text);
  if (!key) throw new TypeError('it is not a verifier key: <name>+<eight hex digits>+<base64>');
  if (key.type !== noteKeyTypes.ed25519) throw new TypeError('it is the key of a witness, not that of a log');
  return key;
}

/**
 * Keys of one log, which may have had several, and of witnesses, one on each line: the kind of each says what it is of.
 * @throws TypeError that names the line.
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
    throw new TypeError('two keys are of logs; a session is in one log');
  return {
    ...(logs.length > 0 && { log: logs }),
    witnesses: read.filter(({ type }) => type === noteKeyTypes.cosignature),
  };
}

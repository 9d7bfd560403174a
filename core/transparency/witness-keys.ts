/** The keys of witnesses as texts of a configuration or a command line. */
import { type NoteKey, noteKeyTypes, readVerifierKey } from './note.ts';

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

/** The readable part of a checkpoint of the transparency log (a signed note of C2SP tlog-checkpoint). */

/** Returns the origin and the number of entries. The signature is not checked here. */
export function checkpointOf(note: string): { readonly origin: string; readonly size: number } {
  const [origin = '', size = '0'] = note.split('\n');
  return { origin, size: Number(size) || 0 };
}

/** Answer of `GET evidence/log/checkpoint`. */
export interface LogCheckpoint {
  readonly log_key: string;
  readonly checkpoint: string;
  readonly cosigned: readonly { readonly witness: string; readonly size: number; readonly note: string }[];
}

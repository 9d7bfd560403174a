/** The readable part of a transparency log checkpoint (a signed note, C2SP tlog-checkpoint). */

/** Returns the origin and the number of entries. The signature is not checked here. */
export function checkpointOf(note: string): { readonly origin: string; readonly size: number } {
  const [origin = '', size = '0'] = note.split('\n');
  return { origin, size: Number(size) || 0 };
}

/** Response of `GET evidence/log/checkpoint`. */
export interface LogCheckpoint {
  readonly log_key: string;
  readonly checkpoint: string;
  readonly cosigned: readonly { readonly witness: string; readonly size: number; readonly note: string }[];
}

/**
 * Reads a checkpoint file and detects whether it was altered, truncated in the middle, or signed with an unknown key.
 */
import { createReadStream } from 'node:fs';
import * as z from 'zod';
import { type ChainPoint, type Checkpoint, chainPointSchema, checkpointSchema } from '#core/contracts/evidence.ts';
import { checkpointHash, isOver, unsignedCheckpoint } from '#core/evidence/checkpoint.ts';
import { byteLines } from '#core/kernel/byte-lines.ts';

export interface CheckpointLine {
  readonly checkpoint: Checkpoint;
  readonly points: readonly ChainPoint[];
  readonly offset: number;
  readonly bytes: number;
}

interface ReadCheckpoints {
  /** Byte position at which the last whole line ends. */
  readonly end: number;
  /** Hash of the last checkpoint. */
  readonly previous: string;
  /** Description of the file's damage. */
  readonly damage?: string;
  /** Whether bytes follow the last whole line. */
  readonly torn: boolean;
}

/** Maximum number of lines held until a signature covers them. */
const heldLines = 1_000;

const lineSchema = z.strictObject({ checkpoint: checkpointSchema, points: z.array(chainPointSchema).min(1) });

/**
 * Reads every line. Each line links to the previous one, so one good signature at the end covers all lines; if a link
 * is broken, each line is verified separately.
 * @param onLine called for the valid lines.
 */
export async function readCheckpoints(
  path: string,
  publicKeys: readonly string[],
  onLine: (line: CheckpointLine) => void,
): Promise<ReadCheckpoints> {
  let [number, lastNumber, offset, previous] = [0, 0, 0, ''];
  let damage: string | undefined;
  let last: Checkpoint | undefined;
  let unvouched: CheckpointLine[] = [];

  const vouched = () => {
    const reason = last && unsignedCheckpoint(last, publicKeys);
    const good =
      reason === undefined
        ? unvouched
        : unvouched.filter(({ checkpoint }) => !unsignedCheckpoint(checkpoint, publicKeys));
    if (reason !== undefined)
      damage ??= `line ${lastNumber} of the checkpoint file is not signed by a key of this gateway`;
    for (const line of good) onLine(line);
    unvouched = [];
  };

  for await (const { text, bytes, whole } of byteLines(createReadStream(path))) {
    if (!whole) return { end: offset, previous, torn: true, ...finished() };
    number++;
    const parsed = lineOf(text);
    if (!parsed || parsed.checkpoint.previous !== previous) {
      vouched();
      damage ??= `line ${number} of the checkpoint file ${parsed ? 'does not follow the line before it' : 'was altered'}`;
    }
    if (parsed) {
      unvouched.push({ ...parsed, offset, bytes });
      last = parsed.checkpoint;
      lastNumber = number;
      previous = checkpointHash(parsed.checkpoint);
      if (unvouched.length === heldLines) vouched();
    }
    offset += bytes;
  }
  return { end: offset, previous, torn: false, ...finished() };

  function finished() {
    vouched();
    return damage === undefined ? {} : { damage };
  }
}

function lineOf(text: string): z.infer<typeof lineSchema> | undefined {
  try {
    const line = lineSchema.parse(JSON.parse(text));
    return isOver(line.checkpoint, line.points) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Rows of the session list: activity and state of each session [console.sessions]. */
import type { AnswerOf } from '#core/operations/endpoints.ts';

export type Session = AnswerOf<'listSessions'>['sessions'][number];

export type State = 'waiting' | 'active' | 'quiet';

const activeMs = 5 * 60_000;

/**
 * Returns the state. A session is waiting while one of its calls needs a person's decision, and active for five minutes
 * after an entry.
 */
export function stateOf({ session_id, updated_at }: Session, waiting: ReadonlySet<string>, nowMs: number): State {
  if (waiting.has(session_id)) return 'waiting';
  return nowMs - Date.parse(updated_at) < activeMs ? 'active' : 'quiet';
}

/** Counts the session's tool and model calls. A call that was held and then allowed has two decisions. */
export const callsOf = ({ counts: { allow = 0, block = 0, chat = 0, review = 0, approve = 0 } }: Session): number =>
  Math.max(0, allow - approve) + block + review + chat;

/** Returns the numbers of calls that were not allowed, in words: `2 reviewed, 1 blocked`. */
export function notableCounts({ counts }: Session): string {
  const words = [
    ['review', 'reviewed'],
    ['block', 'blocked'],
    ['deny', 'denied'],
  ] as const;
  return words.flatMap(([kind, word]) => ((counts[kind] ?? 0) > 0 ? [`${counts[kind]} ${word}`] : [])).join(', ');
}

/** Declared task, attached to sessions, to a key in all its sessions, or to a key in the listed sessions only. */
export interface Task {
  readonly name: string;
  readonly created_at: string;
  readonly sessions?: readonly string[];
  readonly key_id?: string;
}

/** Returns the name of the session's task, or an empty string. @param tasks newest first. */
export const taskOf = ({ session_id, owner_key, updated_at }: Session, tasks: readonly Task[]): string =>
  tasks.find(
    ({ sessions, key_id, created_at }) =>
      (sessions?.includes(session_id) ?? (key_id !== undefined && created_at <= updated_at)) &&
      (key_id ?? owner_key) === owner_key,
  )?.name ?? '';

export interface Search {
  readonly text: string;
  /** State to show; empty for all. */
  readonly state: string;
}

/** @param names the names of the session's key and task. */
export const isFound = (
  { session_id, owner_key = '' }: Session,
  state: State,
  { text, state: asked }: Search,
  names: readonly string[],
): boolean =>
  (asked === '' || state === asked) &&
  [session_id, owner_key, ...names].some((each) => each.toLowerCase().includes(text.toLowerCase()));

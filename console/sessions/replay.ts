/** A session step by step: the state after each step [console.replay]. */
import type { AnswerOf } from '#core/operations/endpoints.ts';

export type Entry = AnswerOf<'exportSession'>['entries'][number];

export interface ReplayState {
  readonly allowed: number;
  readonly blocked: number;
  /** Calls that are waiting for a person at this step. */
  readonly waiting: number;
  readonly chats: number;
  readonly usd: number;
  /** Milliseconds since the first entry. */
  readonly afterMs: number;
}

/** Running totals over entries in order. */
export class Sums {
  readonly #waiting = new Set<string>();
  readonly #sums = { allowed: 0, blocked: 0, chats: 0, microusd: 0 };
  #beganMs: number | undefined;

  /** Adds the next entry. @returns the state after it. */
  after({ kind, envelope_id, body, timestamp }: Entry): ReplayState {
    const sums = this.#sums;
    if (kind === 'review') this.#waiting.add(envelope_id);
    if (kind === 'approve' || kind === 'deny') this.#waiting.delete(envelope_id);
    if (kind === 'allow') sums.allowed++;
    if (kind === 'block') sums.blocked++;
    if (kind === 'chat' && body.outcome !== 'begun') {
      sums.chats++;
      sums.microusd += typeof body.cost_microusd === 'number' ? body.cost_microusd : 0;
    }
    const { microusd, ...counts } = sums;
    this.#beganMs ??= Date.parse(timestamp);
    const afterMs = Date.parse(timestamp) - this.#beganMs;
    return {
      ...counts,
      waiting: this.#waiting.size,
      usd: microusd / 1_000_000,
      afterMs: Number.isNaN(afterMs) ? 0 : afterMs,
    };
  }
}

/** Returns the step named in an address, from 1; without one, or beyond the end, the last step. */
export function stepOf(asked: string, total: number): number {
  const step = /^\d{1,9}$/.test(asked) ? Number(asked) - 1 : total - 1;
  return Math.min(Math.max(step, 0), total - 1);
}

/** Longest and shortest pause during a replay; the recorded pauses between entries are clamped to them. */
const pauses = { least: 600, most: 2_500 };

export function pauseBetween(now: ReplayState, next: ReplayState): number {
  const real = next.afterMs - now.afterMs;
  return Math.min(Math.max(real, pauses.least), pauses.most);
}

/** Returns the main value of a call: the command, the query, the path, or another string from its parameters. */
export function excerptOf({ body: { parameters } }: Entry): string {
  if (typeof parameters !== 'object' || parameters === null) return '';
  const values = new Map(Object.entries(parameters));
  const named = ['command', 'query', 'sql', 'path', 'url', 'title'].map((name) => values.get(name));
  const text = [...named, ...values.values()].find((value) => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? text.split('\n')[0]!.slice(0, 200) : '';
}

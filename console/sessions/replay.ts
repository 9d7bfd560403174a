/** A session step by step: what had happened up to a step [console.replay]. */
import type { AnswerOf } from '#core/operations/endpoints.ts';

export type Entry = AnswerOf<'exportSession'>['entries'][number];

export interface Standing {
  readonly allowed: number;
  readonly blocked: number;
  /** Calls that wait for a person at this step. */
  readonly waiting: number;
  readonly chats: number;
  readonly usd: number;
  /** Milliseconds since the first entry. */
  readonly afterMs: number;
}

/** Adds up the entries up to and with a step. */
export function standingAt(entries: readonly Entry[], step: number): Standing {
  const waiting = new Set<string>();
  const sums = { allowed: 0, blocked: 0, chats: 0, microusd: 0 };
  for (const { kind, envelope_id, body } of entries.slice(0, step + 1)) {
    if (kind === 'review') waiting.add(envelope_id);
    if (kind === 'approve' || kind === 'deny') waiting.delete(envelope_id);
    if (kind === 'allow') sums.allowed++;
    if (kind === 'block') sums.blocked++;
    if (kind === 'chat' && body.outcome !== 'begun') {
      sums.chats++;
      sums.microusd += typeof body.cost_microusd === 'number' ? body.cost_microusd : 0;
    }
  }
  const { microusd, ...counts } = sums;
  const afterMs = Date.parse(entries[step]?.timestamp ?? '') - Date.parse(entries[0]?.timestamp ?? '');
  return { ...counts, waiting: waiting.size, usd: microusd / 1_000_000, afterMs: Number.isNaN(afterMs) ? 0 : afterMs };
}

/** The step of an address, from 1; without one, or beyond the end, the last. */
export function stepOf(asked: string, total: number): number {
  const step = /^\d{1,9}$/.test(asked) ? Number(asked) - 1 : total - 1;
  return Math.min(Math.max(step, 0), total - 1);
}

/** Longest and shortest pause of a replay: the real pauses between entries, made bearable. */
const pauses = { least: 600, most: 2_500 };

export function pauseAfter(entries: readonly Entry[], step: number): number {
  const [now, next] = [entries[step], entries[step + 1]].map((entry) => Date.parse(entry?.timestamp ?? ''));
  const real = next! - now!;
  return Number.isNaN(real) ? pauses.least : Math.min(Math.max(real, pauses.least), pauses.most);
}

/** What a call is about beyond its name: the command, the query, the path, or another text of its parameters. */
export function excerptOf({ body: { parameters } }: Entry): string {
  if (typeof parameters !== 'object' || parameters === null) return '';
  const values = new Map(Object.entries(parameters));
  const named = ['command', 'query', 'sql', 'path', 'url', 'title'].map((name) => values.get(name));
  const text = [...named, ...values.values()].find((value) => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? text.split('\n')[0]!.slice(0, 200) : '';
}

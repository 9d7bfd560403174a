/** The state of the gateway in a sentence. */
import type { AnswerOf } from '#core/operations/endpoints.ts';

export type Status = AnswerOf<'status'>;

export function healthSentence({ status, dependencies }: Status): string {
  if (status === 'unavailable') return 'A store is down. Calls are refused until it is up again.';
  if (status === 'degraded') return 'A dependency that decisions do not need is down.';
  return dependencies.every(({ state }) => state === 'up') ? 'All dependencies are up.' : 'No dependency is down.';
}

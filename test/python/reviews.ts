/** Reviewed calls through the Python libraries, in each way of answering them. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { comment } from '../support/voter.ts';

export interface ReviewMode {
  readonly name: string;
  /** Members of `approvals`. */
  readonly approvals: string;
  readonly env: Readonly<Record<string, string>>;
}

export const reviewModes: readonly ReviewMode[] = [
  {
    name: 'status_202, streams',
    approvals: 'chat_review: status_202',
    env: { WAYS: 'streamed', ASK_AGAIN: 'true', FATES: 'approve,deny,leave' },
  },
  { name: 'error_409', approvals: 'chat_review: error_409', env: { ASK_AGAIN: 'true', FATES: 'approve,deny,leave' } },
  { name: 'hold, decided in time', approvals: 'chat_review: hold, hold_seconds: 50', env: { FATES: 'approve,deny' } },
  { name: 'hold, not decided', approvals: 'chat_review: hold, hold_seconds: 1', env: { FATES: 'leave' } },
];

const address = /\/admin\/v1\/approvals\/[0-9a-f-]{36}/;

/** Of one mode; what `reviews.py` printed. */
export const reviewChecks = ({ name, env }: ReviewMode, outcomes: Record<string, Loose>): Check[] =>
  env.FATES!.split(',').map((fate) =>
    check(`[clients.review] ${name}: what a reviewer is to ${fate}`, async () => {
      const all = Object.entries(outcomes).filter(([way]) => way.endsWith(`: ${fate}`));
      assert.ok(all.length >= 8, `${all.length} ways`);
      for (const [way, { first, after }] of all)
        if (fate === 'leave') assert.match(first.message ?? '', address, way);
        else if (fate === 'approve') assert.deepEqual(after, { text: 'Lift-off.' }, way);
        else assert.match(after.message ?? '', new RegExp(`denied by alice: ${comment}`), way);
    }),
  );

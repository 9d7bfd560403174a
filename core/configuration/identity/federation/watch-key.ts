/** Watches the key of a caller that has a stream open [auth.revoked-key]. */
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { repeat } from '#core/kernel/repeat.ts';
import type { Principal } from '../principal.ts';
import { recall } from './recall.ts';

const pollIntervalMs = 4_000;

interface Needs {
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly timeouts: Timeouts;
}

/** Calls `revoked` within five seconds of the key being revoked, unless the returned function is called first. */
export const watchKey = ({ snapshots, timeouts }: Needs, principal: Principal, revoked: () => void): (() => void) =>
  repeat(timeouts, pollIntervalMs, async () => {
    if (!(await recall(await snapshots.current({ of: principal }), principal.key_id, principal.federated))) revoked();
  });

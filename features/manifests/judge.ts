/** Judges calls by the declared tasks of their session, and by the task sheet of its first request. */
import type { AddedJudge } from '#core/actions/judge.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { withFirst } from '#core/session/tasks/first-sheet.ts';

/** Loaded on the first call with a manifest. */
const drift = lazyImport(() => import('./drift.ts'));

export const taskJudge: AddedJudge = {
  name: 'task',
  rules: 'manifest:',
  records: true,
  async judge({ effects, caller }) {
    if (!caller) return undefined;
    const { envelope, head, firstRequest } = caller;
    const attached = withFirst(caller.attached, envelope.tenant, firstRequest ?? head?.first_request);
    if (attached.manifests.length === 0 && attached.unknown === undefined) return undefined;
    return (await drift()).verdictOn(caller, attached, effects);
  },
  async firstSheet({ manifests }, prompt) {
    if (manifests.first_request === 'off') return undefined;
    return (await import('#core/session/tasks/first-request.ts')).sheetOfFirstRequest(prompt);
  },
};

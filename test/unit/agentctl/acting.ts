/** One call, and a gateway with a scripted response to it. */
import { Home, serverOf } from './support.ts';

export const home = new Home();
export const server = serverOf(home);
export const call = ['--protocol', 'git', '--tool', 'scm.create_pr', '--target', 'acme/web', '--capability', 'write'];
export const body = { protocol: 'git', tool: 'scm.create_pr', target: 'acme/web', capability: 'write' };
export const id = '0197a3c2-7d1e-7000-8000-000000000001';
export const review = {
  envelope_id: id,
  decision: 'review',
  matched_rule: 'git:scm.create_*',
  policy: 'pr-writer',
  policy_version: 3,
  session_id: 's-9',
  error: {
    code: -32002,
    message: 'asks',
    data: { approval_url: `http://x/${id}`, queued_at: '2026-01-02T03:04:05.000Z' },
  },
};

export const sent = () => JSON.parse(server.seen[0]!.body) as unknown;

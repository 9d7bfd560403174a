/** A governed action for tests of the flow's steps. */
import type { GovernedAction } from '#core/actions/governed.ts';
import { configurationSchema } from '#features/configuration.ts';
import type { Loose } from '../../support/loose.ts';

export const nowMs = Date.UTC(2026, 0, 1);

export const configuration = (over: Loose = {}): Loose =>
  configurationSchema.parse({ version: 1, tenants: [{ id: 't', api_keys: ['k'] }], ...over });

export const envelope: Loose = {
  envelope_id: 'e1',
  tenant: 't',
  key_id: 'k1',
  actor: { agent: 'writer', session: 's1' },
  protocol: 'git',
  tool: 'scm.get',
  target: 'acme/web',
  capability: 'read',
  parameters: {},
  justification: '',
};

export function action({ envelope: call, configuration: settings, decision, ...over }: Loose = {}): GovernedAction {
  return {
    envelope: { ...envelope, ...call },
    principal: { key_id: 'k1', name: 'writer', kind: 'agent', tenant: 't', owner: 'bob' },
    snapshot: { version: 3, configuration: configuration(settings) },
    decision: { decision: 'review', matched_rule: 'git:*', policy: 'p', ...decision },
    call_digest: 'd'.repeat(64),
    effects: { parts: [], carrier: false },
    standing: { session: undefined, key: undefined },
    head: null,
    ...over,
  } as never;
}

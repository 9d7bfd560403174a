/** What an approval is bound to: the digest of the whole call. */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { digestOf } from '#core/kernel/canonical.ts';

/** The fields of a call that its digest covers. An envelope has them, and so has the row of an approval. */
type DigestedCall = Pick<
  ActionEnvelope,
  | 'tenant'
  | 'key_id'
  | 'protocol'
  | 'tool'
  | 'target'
  | 'capability'
  | 'upstream'
  | 'upstream_tool'
  | 'definition'
  | 'parameters'
  | 'sent_with'
> & { readonly actor: { readonly session: string } };

/** SHA-256 of the canonical call: who, in which session, exactly what, and where it goes. Never ids or times. */
export const callDigest = (call: DigestedCall): string =>
  digestOf({
    tenant: call.tenant,
    key_id: call.key_id,
    session: call.actor.session,
    protocol: call.protocol,
    tool: call.tool,
    target: call.target,
    capability: call.capability,
    upstream: call.upstream,
    upstream_tool: call.upstream_tool,
    definition: call.definition,
    parameters: call.parameters,
    sent_with: call.sent_with,
  });

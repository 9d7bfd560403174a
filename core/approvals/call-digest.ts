/** The digest of the whole call, to which an approval is bound. */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { digestOf } from '#core/kernel/canonical.ts';

/** The fields of a call that its digest covers. Envelopes and approval rows have them. */
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

/**
 * Returns the SHA-256 of the canonical call: caller, session, content and destination. Ids and times are not included.
 */
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

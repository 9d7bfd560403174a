/**
 * Evaluates calls without running them, using the active policy, an older version, or draft policies [policy.simulate].
 */
import { ownerOf } from '#core/actions/abuse-notes.ts';
import { noRulePlaces, placesOfVersion } from '#core/configuration/store/places.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { asRead } from '#core/configuration/tenant-view.ts';
import { simulateSchema } from '#core/contracts/admin-requests.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { decidedBy, decidedCalls, difference } from './decided-calls.ts';
import { loadText } from './load-text.ts';
import { type Call, type Operation, parseBySchema } from './operation.ts';
import { versionOf } from './policy-version.ts';

export const simulate: Operation = async (call) => {
  const { calls, version, tool_policies, explain } = parseBySchema(simulateSchema, call.body());
  if (version !== undefined && tool_policies !== undefined)
    throw invalidRequest(
      'Found version and tool_policies; only one of them is allowed: name a version, or try policies out.',
    );
  const { snapshot, principal, ports } = call;
  const draft = tool_policies && (await loadDraft(call, tool_policies));
  const given = draft ? decidedBy(draft.configuration) : version === undefined ? snapshot : await asOf(call, version);
  const place = draft ? noRulePlaces : await placesOfVersion(ports, version ?? snapshot.version);
  const caller = { tenant: principal.tenant, owner: ownerOf(principal) };
  const results = await decidedCalls(ports, ofTenant(given, principal.tenant), calls, { place, explain, caller });
  noteProbes(call, results);
  return {
    body: {
      policy_version: version ?? snapshot.version,
      results,
      ...(draft && {
        diff: await difference(ports, snapshot.configuration, draft.configuration),
        warnings: draft.warnings,
      }),
    },
  };
};

/**
 * Loads draft policies in the same way as a stored configuration.
 * @throws GatewayError `invalid_request` with every problem; `forbidden` for agents, which could learn how to evade
 * rules.
 */
async function loadDraft({ ports, snapshot, principal }: Call, tool_policies: Readonly<Record<string, unknown>>) {
  if (principal.kind === 'agent')
    throw new GatewayError(
      'forbidden',
      'Found a key of kind agent; policies can be tried out only with a key of a human or a service.',
    );
  // Other problems are only reported for the caller's tenants, like the rest of the configuration.
  const text = JSON.stringify({ ...asRead(principal, snapshot.configuration), tool_policies });
  const { configuration, warnings } = await loadText(ports, text);
  return { configuration, warnings };
}

const asOf = async (call: Call, version: number) => decidedBy((await versionOf(call, String(version))).configuration);

/** Counts an agent's simulated calls as probes if they are not allowed. */
function noteProbes({ ports, principal, snapshot }: Call, results: readonly { readonly decision: Decision }[]): void {
  if (principal.kind !== 'agent') return;
  const windowMs = snapshot.configuration.behavior.window_minutes * 60_000;
  for (const { decision } of results)
    if (decision !== 'allow') ports.probes.note(principal.tenant, principal.key_id, ports.clock.now(), windowMs);
}
